// Applies the mutants of mutants.json to src/ one after the other, each alone, and says which of
// them a test notices. Those without a name hold a level: a room that is written anew brings its
// line and its tests along, and must not notice fewer. A name belongs to a promise of
// docs/internals/promises.json, whose test has to notice the mutant.
//   npm run mutants -- 3 fence-can-be-closed    these two; without words all of them
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const MUTANTS = JSON.parse(readFileSync('scripts/mutants.json', 'utf8'));
const SOURCES = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join('src', name));

const words = process.argv.slice(2);
const mutants = MUTANTS.map((mutant, index) => ({
  ...mutant,
  number: index + 1,
  places: placesOf(mutant.find),
}));

const isMeantBy = (word, { number, name }) => word === `${number}` || word === name;
const unknown = words.filter((word) => !mutants.some((mutant) => isMeantBy(word, mutant)));
for (const word of unknown) process.stderr.write(`there is no mutant ${word}\n`);

// A line that has changed has to be named anew, so all lines are looked for, wanted or not.
const lost = mutants.filter(({ places }) => places.length !== 1);
for (const { number, places, find } of lost)
  process.stderr.write(`mutant ${number} is in ${places.length} places: ${find}\n`);

if (unknown.length + lost.length > 0) process.exit(1);

const wanted = mutants.filter(
  (mutant) => words.length === 0 || words.some((word) => isMeantBy(word, mutant)),
);
const survivors = [];
for (const mutant of wanted) {
  const isKilled = isNoticed(mutant);
  if (!isKilled) survivors.push(mutant);
  const label = [mutant.number, mutant.name].join(' ').trimEnd();
  process.stdout.write(`${label} ${isKilled ? 'killed' : 'SURVIVED'}  ${mutant.replace}\n`);
}
process.stdout.write(`${wanted.length - survivors.length} of ${wanted.length} killed\n`);
if (survivors.some(({ name }) => name !== undefined)) process.exitCode = 1;

/** The file of each place that has the line. */
function placesOf(find) {
  return SOURCES.flatMap((file) => {
    const times = readFileSync(file, 'utf8').split(find).length - 1;
    return Array(times).fill(file);
  });
}

/** Throws where Jest cannot even start. */
function isNoticed({ find, replace, tests, places: [file] }) {
  const text = readFileSync(file, 'utf8');
  const stop = () => process.exit(130);
  process.once('SIGINT', stop);
  const restore = () => writeFileSync(file, text);
  process.once('exit', restore);
  try {
    writeFileSync(
      file,
      text.replace(find, () => replace),
    );
    const command = ['scripts/test.js', '--bail', tests];
    const { status, stderr } = spawnSync(process.execPath, command, {
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    if (!/^Test Suites: /m.test(stderr)) throw new Error(`the tests did not run: ${stderr}`);
    return status !== 0;
  } finally {
    restore();
    process.off('exit', restore).off('SIGINT', stop);
  }
}
