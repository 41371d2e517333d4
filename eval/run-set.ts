import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseModelRef } from '../src/agent/config.js';
import type { Price } from '../src/agent/model-keys.js';
import { dateOf } from '../src/lib/clock.js';
import type { Environment } from '../src/lib/environment.js';
import { messageOf } from '../src/lib/errors.js';
import { VERSION } from '../src/lib/product.js';
import { findPrice } from '../src/model/model-facts.js';
import { type Case, parseCase, UsageError } from './case.js';
import { type CheckedOut, checkOut } from './checkout.js';
import { playChange, type Setting } from './play.js';
import { readSet, type SetChange } from './set.js';
import {
  type ChangeResult,
  COLUMNS,
  type Column,
  formatScore,
  type Score,
  scoreChange,
} from './set-score.js';
import { checkModel, liveSetting, offlineSetting } from './settings.js';
import type { Files } from './versions.js';
import type { World } from './world.js';

export interface SetOptions {
  /** The file of the set. */
  readonly set: string;
  readonly model: string;
  readonly capUsd: number | undefined;
  readonly hasMemory: boolean;
  readonly isConfirmed: boolean;
  /** The JSON; the page is next to it. */
  readonly out: string;
  /** Keeps the clones, and what the columns with memory remember. */
  readonly folder: string;
}

interface Output {
  readonly env: Environment;
  print(line: string): void;
  say(line: string): void;
}

const OFFLINE = 'offline/rules';

/**
 * Reviews the changes of a public set, and goes on where an earlier start was stopped. Returns the
 * exit status: 1 if a change failed, 2 if it did not start. Throws a UsageError.
 */
export async function runSet(world: World, options: SetOptions, output: Output): Promise<number> {
  const changes = readSet(options.set);
  const score = openScore(options, changes);
  const todo = reviewsToDo(score, changes);
  if (todo.length === 0) {
    writeScore(options.out, score);
    output.print('All changes are done.');
    return 0;
  }

  const purse = { capUsd: options.capUsd ?? 0, spentUsd: 0 };
  const setting = settingOf(world, options, { env: output.env, purse });
  output.print(announce(options, todo));
  if (!options.isConfirmed) {
    output.say('Add --yes to start.');
    return 2;
  }
  const results = [...score.results];
  const keep = (result: ChangeResult) => {
    const isSame = ({ name, column }: ChangeResult) =>
      name === result.name && column === result.column;
    const earlier = results.findIndex(isSame);
    results.splice(earlier < 0 ? results.length : earlier, earlier < 0 ? 0 : 1, result);
    writeScore(options.out, { ...score, results });
    output.say(
      `${result.column}: ${result.name}${result.failure ? ` failed: ${result.failure}` : ''}`,
    );
  };
  for (const { column, change } of todo) {
    if (!setting.mayGoOn()) break;
    const result = await reviewChange(world, {
      change,
      column,
      setting,
      folder: options.folder,
      memoryFile: memoryFileOf(options, { change, column, score }),
    });
    if (result === undefined) break;
    keep(result);
  }
  return printEnd({ ...score, results }, { options, output, purse });
}

/**
 * The reviews that are left, all columns of a change together: a cap that ends the run leaves tables
 * of the same changes. @internal
 */
export function reviewsToDo<Change extends Pick<SetChange, 'name'>>(
  score: Pick<Score, 'columns' | 'results'>,
  changes: readonly Change[],
): readonly { readonly column: Column; readonly change: Change }[] {
  return changes.flatMap((change) =>
    score.columns
      .filter((column) => !isDone(score, column, change.name))
      .map((column) => ({ column, change })),
  );
}

/** Why a change cannot be checked out, as a text. */
function tryCheckOut(change: SetChange, folder: string): CheckedOut | string {
  try {
    return checkOut(change, folder);
  } catch (thrown) {
    return `it cannot be checked out: ${inOneLine(messageOf(thrown))}`;
  }
}

/** One change, whatever becomes of it; undefined if the money ended in it. */
async function reviewChange(
  world: World,
  {
    change,
    column,
    setting,
    folder,
    memoryFile,
  }: {
    readonly change: SetChange;
    readonly column: Column;
    readonly setting: Setting;
    readonly folder: string;
    readonly memoryFile: string;
  },
): Promise<ChangeResult | undefined> {
  const { name, annotations } = change;
  const nothing = { found: 0, wrongPlace: 0, missed: annotations.length, unconfirmed: 0 };
  const unused = { calls: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };
  const begin = { name, column, ...nothing, usage: unused, seconds: 0 };
  const checkedOut = tryCheckOut(change, folder);
  if (typeof checkedOut === 'string') return { ...begin, failure: checkedOut };

  const beganMs = performance.now();
  const isKept = column !== 'without memory';
  const memory = isKept ? readMemory(memoryFile, column) : {};
  try {
    const about = caseOf(checkedOut.title);
    const played = await playChange(world, { about, version: checkedOut.version, memory }, setting);
    if (played === undefined) return undefined;
    const { conclusion, reason, posted, usage } = played.seen;
    const seconds = (performance.now() - beganMs) / 1000;
    if (conclusion !== 'success' && conclusion !== 'findings') {
      const failure = inOneLine(`${conclusion}${reason ? `: ${reason}` : ''}`);
      return { ...begin, failure, usage, seconds };
    }
    if (isKept) writeJson(memoryFile, played.memory);
    return { ...begin, ...scoreChange(annotations, posted), usage, seconds };
  } catch (thrown) {
    return { ...begin, failure: inOneLine(messageOf(thrown)) };
  }
}

/** Minutes for a change, so that a slow model ends this change alone. */
const MINUTES = '15';

/** A change of a set has no script and no faults of our own. */
function caseOf(title: string): Case {
  const about = { name: 'set', language: 'ts', kind: 'seeded', licence: 'theirs', source: 'a set' };
  const inputs = { 'timeout-minutes': MINUTES };
  return parseCase(JSON.stringify({ ...about, title: title || 'A change', inputs }), 'a set');
}

function settingOf(
  world: World,
  { model, capUsd }: SetOptions,
  {
    env,
    purse,
  }: { readonly env: Environment; readonly purse: { capUsd: number; spentUsd: number } },
): Setting {
  if (model === OFFLINE) return offlineSetting();
  if (capUsd === undefined)
    throw new UsageError('--set needs --max-cost, the most that all of it may cost in US dollars');
  checkModel(model);
  return liveSetting(world.gateway, model, env, purse);
}

/** What is sent for a change besides its diff, and how often, by the usual review. */
const PROMPT_TOKENS = 12_000;
const TURNS = 6;
const OUTPUT_TOKENS = 4_000;
/** With its share of the lines around it. */
const TOKENS_A_LINE = 20;

/** The price of a review by the lines of its change, without what a cache saves. @internal */
export function estimateUsd(lines: number, price: Pick<Price, 'input' | 'output'>): number {
  const input = TURNS * (PROMPT_TOKENS + lines * TOKENS_A_LINE);
  return (input * price.input + OUTPUT_TOKENS * price.output) / 1e6;
}

function announce(
  { model, capUsd }: SetOptions,
  todo: readonly { readonly change: SetChange }[],
): string {
  const count = `${model}: ${todo.length} reviews`;
  if (model === OFFLINE) return `${count}. They cost nothing.`;
  const price = findPrice(parseModelRef(model));
  const costs = todo.map(({ change }) => (price ? estimateUsd(change.changedLines, price) : 0));
  const usd = costs.reduce((sum, cost) => sum + cost, 0);
  return `${count}. They will cost about $${usd.toFixed(2)}, and stop at $${capUsd?.toFixed(2)}.`;
}

function printEnd(
  score: Score,
  {
    options,
    output,
    purse,
  }: {
    readonly options: SetOptions;
    readonly output: Output;
    readonly purse: { readonly spentUsd: number };
  },
): number {
  const failed = score.results.filter(({ failure }) => failure !== undefined);
  const open = score.columns.length * score.changes - score.results.length;
  output.print(
    `Wrote ${pageOf(options.out)} and ${options.out}. Spent: $${purse.spentUsd.toFixed(4)}.`,
  );
  if (open > 0) output.print(`${open} reviews are left. Start it again, and it goes on there.`);
  if (failed.length > 0)
    output.print(`${failed.length} reviews failed. Start it again, and it tries them again.`);
  return failed.length > 0 ? 1 : 0;
}

function isDone({ results }: Pick<Score, 'results'>, column: Column, name: string): boolean {
  return results.some(
    (result) => result.column === column && result.name === name && result.failure === undefined,
  );
}

/** The score that an earlier start has left, or a new one. */
function openScore(
  { set, model, hasMemory, out }: SetOptions,
  changes: readonly SetChange[],
): Score {
  const digest = createHash('sha256').update(readFileSync(set)).digest('hex').slice(0, 8);
  const begun: Score = {
    model,
    version: VERSION,
    date: dateOf(new Date()),
    set: `${basename(set)} (${digest})`,
    columns: hasMemory ? COLUMNS : COLUMNS.slice(0, 1),
    changes: changes.length,
    results: [],
  };
  if (!existsSync(out)) return begun;
  const earlier = JSON.parse(readFileSync(out, 'utf8')) as Score;
  const isSame = (['model', 'version', 'set'] as const).every((key) => earlier[key] === begun[key]);
  if (!isSame)
    throw new UsageError(
      `${out} is the score of ${earlier.model}, version ${earlier.version}, set ${earlier.set}. Move it, or name another file with --out.`,
    );
  const columns = earlier.columns.length > begun.columns.length ? earlier.columns : begun.columns;
  return { ...begun, columns, results: earlier.results };
}

function writeScore(out: string, score: Score): void {
  writeJson(out, score);
  writeFileSync(pageOf(out), formatScore(score));
}

function pageOf(out: string): string {
  return out.replace(/(\.json)?$/, '.md');
}

/** The memory of a repository belongs to one model, version, set and column. */
function memoryFileOf(
  { folder }: SetOptions,
  {
    change: { repository },
    column,
    score: { model, version, set },
  }: { readonly change: SetChange; readonly column: Column; readonly score: Score },
): string {
  const about = `${model} ${version} ${set} ${column}`;
  const digest = createHash('sha256').update(about).digest('hex');
  return join(folder, `memory-${digest.slice(0, 8)}`, `${repository.replaceAll('/', '+')}.json`);
}

/** The reviewer keeps notes where a person has begun them, so they begin with a heading alone. */
const BEGUN_NOTES: Files = { 'MEMORY.md': '# Facts\n' };

function readMemory(file: string, column: Column): Files {
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Files;
  return column === 'with memory and notes' ? BEGUN_NOTES : {};
}

function writeJson(file: string, value: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, undefined, 2)}\n`);
}

const MAX_FAILURE = 200;

function inOneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > MAX_FAILURE ? `${line.slice(0, MAX_FAILURE)} …` : line;
}
