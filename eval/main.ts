import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Environment } from '../src/lib/environment.js';
import { AxeError } from '../src/lib/errors.js';
import { UsageError } from './case.js';
import { formatClaims, isRight, judgeClaims, loadClaims } from './claims.js';
import { evaluate } from './evaluate.js';
import { differences, writeExpected } from './expected.js';
import { chooseCases, countKinds, type LoadedCase, loadCases } from './load.js';
import { formatComparison, formatReport, type SettingResult } from './report.js';
import { runSet } from './run-set.js';
import { checkModel, liveSetting, offlineSetting, scriptedSetting } from './settings.js';
import { openWorld, type World } from './world.js';

/** What the evaluation is started with. */
export interface Started {
  readonly args: readonly string[];
  readonly env: Environment;
  /** Prints a line of the report. */
  print(line: string): void;
  /** Says what is under way. */
  say(line: string): void;
}

const USAGE = `npm run eval -- [options]

Without options: scripted answers and offline/rules; exact expected figures. Asks no model.
  --model <provider/model>   asks this model, with your own key
  --max-cost <dollars>       the most that all of it may cost; needed with --model
  --rounds <number>          how often each case is run; default 3 with --model
  --cases <list>             only these cases or kinds
  --set <file>               reviews the changes of a public set, and writes docs/score.md
  --memory                   with --set, also with the memory of each repository's earlier changes,
                             without and with notes
  --yes                      with --set, starts after it has said what it will cost
  --claims                   only second looks: at 60 claims about the cases, of which 30 hold
  --out <file>               writes the result as JSON; with --set, its page goes next to it
  --compare <a> <b>          compares the first settings of two such files
  --update                   takes the figures for the expected ones`;

/**
 * Runs the evaluation and returns its exit status: 1 where figures differ or runs failed, 2 where
 * it could not start.
 */
export async function main(started: Started): Promise<number> {
  try {
    return await run(readOptions(started.args), started);
  } catch (thrown) {
    if (!(thrown instanceof UsageError || thrown instanceof AxeError || isParseError(thrown)))
      throw thrown;
    const remedy = thrown instanceof AxeError ? ` ${thrown.remedy ?? ''}` : '';
    started.say(`${thrown.message}${remedy}`.trim());
    return 2;
  }
}

/** What `parseArgs` throws for an option that it does not know. */
function isParseError(thrown: unknown): thrown is { readonly message: string } {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return false;
  return String(thrown.code).startsWith('ERR_PARSE_ARGS');
}

type Options = ReturnType<typeof readOptions>;

function readOptions(args: readonly string[]) {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      model: { type: 'string' },
      'max-cost': { type: 'string' },
      rounds: { type: 'string' },
      cases: { type: 'string', default: '' },
      out: { type: 'string' },
      compare: { type: 'boolean', default: false },
      update: { type: 'boolean', default: false },
      claims: { type: 'boolean', default: false },
      set: { type: 'string' },
      memory: { type: 'boolean', default: false },
      yes: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  return { ...values, positionals };
}

async function run(options: Options, started: Started): Promise<number> {
  if (options.help) {
    started.print(USAGE);
    return 0;
  }
  if (options.compare) return compare(options.positionals, started);
  const [word] = options.positionals;
  if (word !== undefined) throw new UsageError(`${word} is no option; see npm run eval -- --help`);
  const isOfSet = options.memory || options.yes;
  if (isOfSet && options.set === undefined) throw new UsageError('--memory and --yes need --set');
  const cases = chooseCases(loadCases(), listOf(options.cases));
  const world = await openWorld();
  try {
    if (options.set !== undefined) return await ofSet(world, options.set, { options, started });
    if (options.claims) return await judgeAllClaims(world, { options, started });
    return options.model === undefined
      ? await withoutModel(world, cases, { options, started })
      : await withModel(world, cases, { options, started, model: options.model });
  } finally {
    await world.close();
  }
}

interface Running {
  readonly options: Options;
  readonly started: Started;
}

/** What a person measures, with a set that they have downloaded. */
async function ofSet(world: World, set: string, { options, started }: Running): Promise<number> {
  const { model, memory: hasMemory, yes: isConfirmed, out = 'docs/score.json' } = options;
  if (model === undefined) throw new UsageError('--set needs --model');
  const capUsd = options['max-cost'] === undefined ? undefined : readLimits(options).capUsd;
  const folder = join(import.meta.dirname, '../.eval');
  const chosen = { set, model, capUsd, hasMemory, isConfirmed, out, folder };
  return await runSet(world, chosen, started);
}

/** What guards the pipeline in CI. */
async function withoutModel(
  world: World,
  cases: readonly LoadedCase[],
  { options, started }: Running,
): Promise<number> {
  const { gateway } = world;
  const say = () => undefined;
  const beganMs = performance.now();
  const once = { rounds: 1, isOfModel: false, say };
  const scripted = await evaluate(world, { ...once, cases, setting: scriptedSetting(gateway) });
  // Rules remember nothing that people say in words, so lessons would show nothing.
  const ruled = cases.filter(({ about }) => about.kind !== 'lesson');
  const offline = await evaluate(world, { ...once, cases: ruled, setting: offlineSetting() });
  const isAll = options.cases === '';
  const setting = scriptedSetting(gateway);
  const claims = isAll
    ? await judgeClaims(world, { claims: loadClaims(), cases, setting, rounds: 1 })
    : [];
  const seconds = ((performance.now() - beganMs) / 1000).toFixed(1);
  const results = [scripted, offline];
  for (const result of results) started.print(`${formatReport(result)}\n`);
  if (isAll) started.print(`${formatClaims(setting.name, claims, false)}\n`);
  started.print(`${describeCases(cases)} in ${seconds} s.`);
  started.print(
    'Scripted answers and rules guard the pipeline: placement, gates, sameness, settling, posting. This says nothing about a model.',
  );
  writeOut(options, results);
  const status = judge(results, { options, started });
  return claims.every(isRight) ? status : 1;
}

/** The figures of a choice of cases are nobody's. */
function judge(results: readonly SettingResult[], { options, started }: Running): number {
  if (options.cases !== '') return 0;
  if (options.update) {
    writeExpected(results);
    started.print('The figures are the expected ones from now on: eval/expected.json.');
    return 0;
  }
  const lines = differences(results);
  if (lines.length === 0) {
    started.print('All figures are the expected ones.');
    return 0;
  }
  for (const line of lines) started.print(`- ${line}`);
  started.print(
    'These figures differ. If they should, run `npm run eval -- --update` and commit eval/expected.json.',
  );
  return 1;
}

async function withModel(
  world: World,
  cases: readonly LoadedCase[],
  { options, started, model }: Running & { readonly model: string },
): Promise<number> {
  const { capUsd, rounds } = readLimits(options);
  checkModel(model);
  started.print(
    `${model}: ${describeCases(cases)}, ${rounds} rounds. It stops at $${capUsd.toFixed(2)}.\n`,
  );
  const purse = { capUsd, spentUsd: 0 };
  const setting = liveSetting(world.gateway, model, started.env, purse);
  const result = await evaluate(world, {
    cases,
    setting,
    rounds,
    isOfModel: true,
    say: started.say,
  });
  started.print(`${formatReport(result)}\n`);
  if (purse.spentUsd >= capUsd)
    started.print('It stopped at the cap: the figures are of a part of the cases.');
  started.print(`Spent: $${purse.spentUsd.toFixed(4)}.`);
  writeOut(options, [result]);
  return result.scores.some(({ failed }) => failed.length > 0) ? 1 : 0;
}

/** Only second looks: what compares verifiers and their prompts at the least cost. */
async function judgeAllClaims(world: World, { options, started }: Running): Promise<number> {
  const { gateway } = world;
  const { model } = options;
  const wanted = listOf(options.cases);
  const cases = loadCases();
  const claims = loadClaims().filter((one) => wanted.length === 0 || wanted.includes(one.case));
  const judging = { claims, cases };
  if (model === undefined) {
    const setting = scriptedSetting(gateway);
    const judged = await judgeClaims(world, { ...judging, setting, rounds: 1 });
    started.print(formatClaims(setting.name, judged, false));
    return judged.every(isRight) ? 0 : 1;
  }
  const { capUsd, rounds } = readLimits(options);
  checkModel(model);
  started.print(
    `${model}: ${claims.length} claims, ${rounds} rounds. It stops at $${capUsd.toFixed(2)}.\n`,
  );
  const setting = liveSetting(gateway, model, started.env, { capUsd, spentUsd: 0 });
  const judged = await judgeClaims(world, { ...judging, setting, rounds });
  started.print(formatClaims(setting.name, judged, true));
  if (judged.length < claims.length * rounds)
    started.print('\nIt stopped at the cap: the figures are of a part of the claims.');
  if (options.out !== undefined)
    writeFileSync(options.out, `${JSON.stringify(judged, undefined, 2)}\n`);
  return 0;
}

/** What a run with a model may cost, and how often each case is run. */
function readLimits(options: Options): { readonly capUsd: number; readonly rounds: number } {
  const capUsd = Number(options['max-cost'] ?? Number.NaN);
  if (!(capUsd > 0))
    throw new UsageError(
      '--model needs --max-cost, the most that all of it may cost in US dollars',
    );
  const rounds = Number(options.rounds ?? 3);
  if (!Number.isSafeInteger(rounds) || rounds < 1)
    throw new UsageError('--rounds is a whole number from 1 on');
  return { capUsd, rounds };
}

function compare(files: readonly string[], { print }: Started): number {
  const [a, b] = files.map(
    (file) => JSON.parse(readFileSync(file, 'utf8')) as readonly SettingResult[],
  );
  const [first, second] = [a?.[0], b?.[0]];
  if (first === undefined || second === undefined || files.length !== 2) {
    throw new UsageError('--compare takes two files that --out has written');
  }
  print(formatComparison(first, second));
  return 0;
}

function writeOut({ out }: Options, results: readonly SettingResult[]): void {
  if (out !== undefined) writeFileSync(out, `${JSON.stringify(results, undefined, 2)}\n`);
}

function describeCases(cases: readonly LoadedCase[]): string {
  const kinds = [...countKinds(cases)].map(([kind, count]) => `${count} ${kind}`);
  return `${cases.length} cases (${kinds.join(', ')})`;
}

function listOf(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}
