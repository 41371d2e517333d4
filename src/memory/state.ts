import { parseJson } from '../lib/data.js';
import { separatorAfter } from './run-log.js';

/**
 * A fact about an agent's runs that the model does not read. Facts are in a small file next to the
 * run log, each on a line as JSON, `- {"kind":"spent",…}`. A later fact replaces an earlier one
 * with the same kind, id and pull request; lines that are not facts stay as they are.
 * @internal
 */
export interface StateFact {
  readonly kind: string;
  readonly id?: string;
  readonly pull?: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const SUFFIX = '.state.md';
const BACKUP = '.bak';
const HEAD = `# State

axe-action keeps this next to the memory; no model reads it.

`;

/** `pr-reviewer.md` → `pr-reviewer.state.md`. */
export function statePath(path: string): string {
  return path.replace(/(?:\.md)?$/, SUFFIX);
}

/** Includes the `.bak` of a state file. */
export function isStatePath(path: string): boolean {
  return path.endsWith(SUFFIX) || path.endsWith(SUFFIX + BACKUP);
}

/** The version of our lines. Lines of a higher one are for a newer version of the action. */
const VERSION = 1;

/** True for a state with lines that a newer version of the action wrote. */
export function hasNewerLines(text: string): boolean {
  return text.split('\n').some((line) => (parseLine(line)?.v ?? VERSION) > VERSION);
}

/**
 * Reads the fact of a line, with any further keys; undefined if the line is not a fact. A newer
 * version's line is not one, so it keeps its bytes: nothing replaces or removes it.
 */
export function parseFact(line: string): StateFact | undefined {
  const { v: version = VERSION, ...fact } = parseLine(line) ?? {};
  return version <= VERSION && typeof fact.kind === 'string' && typeof fact.at === 'number'
    ? (fact as StateFact)
    : undefined;
}

function parseLine(line: string): (Partial<StateFact> & { readonly v?: number }) | undefined {
  const [, json] = /^- (\{[^\n]*\})\r?$/.exec(line) ?? [];
  return parseJson(json ?? '{}') as Partial<StateFact> | undefined;
}

/**
 * Adds facts to a state; each replaces the older one with the same key. Every other line keeps its
 * bytes, and new lines end as the others do.
 */
export function withFacts(text: string, facts: readonly StateFact[]): string {
  if (facts.length === 0) return text;
  const latest = new Map(facts.map((fact) => [keyOf(fact), formatFact(fact)]));
  const writtenKeys = new Set<string>();
  const start = text === '' ? HEAD : text;

  const lines = start.split('\n').flatMap((line) => {
    const oldFact = parseFact(line);
    const key = oldFact === undefined ? '' : keyOf(oldFact);
    const next = latest.get(key);
    if (next === undefined) return [line];
    if (writtenKeys.has(key)) return [];
    writtenKeys.add(key);
    return [line.endsWith('\r') ? `${next}\r` : next];
  });
  const updated = lines.join('\n');

  const lineBreak = start.includes('\r\n') ? '\r\n' : '\n';
  const newLines = [...latest].flatMap(([key, line]) =>
    writtenKeys.has(key) ? [] : [line + lineBreak],
  );
  return newLines.length === 0 ? updated : updated + separatorAfter(updated) + newLines.join('');
}

/**
 * Merges the facts of two states into the lines of `base`. The later fact wins, whichever side is
 * the base.
 */
export function mergeStates(base: string, incoming: string): string {
  if (incoming === '' || base === incoming) return base;
  if (base === '') return incoming;

  const factsOf = (text: string) => text.split('\n').flatMap((line) => parseFact(line) ?? []);
  const baseFacts = new Map(latestFacts(factsOf(base)).map((fact) => [keyOf(fact), fact]));
  const newerFacts = latestFacts(factsOf(incoming)).filter((fact) =>
    isLater(fact, baseFacts.get(keyOf(fact))),
  );
  return withFacts(base, newerFacts);
}

/** A state without the lines of another one; empty if no fact is left. */
export function withoutFacts(text: string, others: string): string {
  const removed = new Set(others.split('\n'));
  const isFact = (line: string) => parseFact(line) !== undefined;
  const lines = text.split('\n').filter((line) => !isFact(line) || !removed.has(line));
  return lines.some(isFact) ? lines.join('\n') : '';
}

/** The latest of the facts with the same key. */
export function latestFacts<T extends StateFact>(facts: readonly T[]): readonly T[] {
  const latest = new Map<string, T>();
  for (const fact of facts)
    if (isLater(fact, latest.get(keyOf(fact)))) latest.set(keyOf(fact), fact);
  return [...latest.values()];
}

export function formatFact({ kind, ...rest }: StateFact): string {
  return `- ${JSON.stringify({ kind, v: VERSION, ...rest })}`;
}

function keyOf({ kind, id, pull }: StateFact): string {
  return JSON.stringify([kind, id, pull]);
}

/**
 * If both have the same time the greater text wins, so that merging does not depend on the order.
 */
function isLater(fact: StateFact, known: StateFact | undefined): boolean {
  if (known === undefined) return true;
  return fact.at === known.at ? formatFact(fact) > formatFact(known) : fact.at > known.at;
}
