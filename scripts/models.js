// Writes src/model/models.json: prices, windows, output limits and efforts, which change without us.
//
//   node scripts/models.js                     from https://models.dev/api.json
//   node scripts/models.js --from FILE         from a copy of it
//   node scripts/models.js --from FOLDER       from a checkout of github.com/anomalyco/models.dev
//   node scripts/models.js --accept            even if the changes are suspicious
//   node scripts/models.js --check-age DAYS    writes nothing, and fails if the file is older
//
// The fixture of the tests has an `overrides.json` of its own. A source like that is used with those
// overrides, and what is written is the `models.json` next to them, with the date that it has.
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ageInDays } from './models/age.js';
import { sellerDifferences, staleOverrides, suspiciousChanges } from './models/guard.js';
import { render, rowsOf } from './models/rows.js';
import { readSource } from './models/source.js';

const HOME = join(import.meta.dirname, '../src/model');

const { values: flags } = parseArgs({
  options: {
    from: { type: 'string' },
    accept: { type: 'boolean', default: false },
    'check-age': { type: 'string' },
  },
});
const fixture = fixtureOf(flags.from);
const file = join(fixture ?? HOME, 'models.json');
const current = readJson(file);
process.exitCode = flags['check-age'] === undefined ? await update() : checkAge(flags['check-age']);

async function update() {
  const overrides = readJson(join(fixture ?? HOME, 'overrides.json'));
  const today = fixture === undefined ? new Date().toISOString().slice(0, 10) : current.date;

  const providers = await readSource(flags.from);
  const catalog = fixture === undefined ? await readCatalog() : {};
  print('Differences from our table of providers', sellerDifferences(providers, catalog));
  const stale = staleOverrides(overrides, providers, today);
  print('Overrides to correct in overrides.json', stale);
  if (stale.length > 0) return 1;

  const models = rowsOf(providers, overrides);
  const changes = suspiciousChanges(current.models, models);
  print('Changes to look at; `--accept` accepts them', changes);
  if (changes.length > 0 && !flags.accept) return 1;

  writeFileSync(file, render({ date: today, models }));
  return 0;
}

function checkAge(most) {
  if (!/^\d+$/.test(most)) throw new Error('`--check-age` needs a number of days');
  const { date, days } = ageInDays(file);
  const isOld = !(days <= Number(most));
  process.stdout.write(`The figures of models are from ${date}, ${days} days old.\n`);
  if (isOld) process.stderr.write('Run `node scripts/models.js` and commit what it writes.\n');
  return isOld ? 1 : 0;
}

/** The folder of a source that has overrides of its own. */
function fixtureOf(from) {
  if (from === undefined) return undefined;
  const folder = statSync(from).isFile() ? dirname(from) : from;
  return existsSync(join(folder, 'overrides.json')) ? folder : undefined;
}

/** The providers of the program by id, as far as they are sellers. */
async function readCatalog() {
  await import('../eval/typescript.js');
  const { findProvider, PROVIDER_IDS } = await import('../src/model/catalog.ts');
  return Object.fromEntries(PROVIDER_IDS.map((id) => [id, findProvider({ provider: id })]));
}

function print(title, lines) {
  if (lines.length > 0)
    process.stdout.write(`${title}:\n${lines.map((line) => `- ${line}\n`).join('')}`);
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'));
}
