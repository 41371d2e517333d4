import { decodeField, encodeField } from './field.js';
import { separator } from './run-log.js';

/**
 * What is kept of an agent besides its memory and is not memory for the model (D36): a small markdown file next to the
 * run log, one fact a line, `- <kind> <key> <rest>`. A line is known by its kind and key; lines that are not facts stay
 * as they are.
 */
export interface Fact {
  /** Lower-case letters and hyphens. */
  readonly kind: string;
  /** Anything; in the file it is percent-encoded. */
  readonly key: string;
  /** What else the line says, `name=value` parts; empty for nothing. */
  readonly rest: string;
}

const SUFFIX = '.state.md';
const BACKUP = '.bak';
const FACT = /^- ([a-z][a-z-]*) (\S+)(?: ([^\n]*))?$/;
const LINE_BREAKS = /\r\n|[\n\r\u2028\u2029\u0085]/g;
const HEAD = `# State

axe-action keeps this beside the memory; no model reads it.

`;

/** Where the state of a run log stands: `pr-reviewer.md` → `pr-reviewer.state.md`. */
export function statePath(path: string): string {
  return path.replace(/(?:\.md)?$/, SUFFIX);
}

/** Whether a path in the tree is that of a state file, or of its `.bak`. */
export function isStatePath(path: string): boolean {
  return path.endsWith(SUFFIX) || path.endsWith(SUFFIX + BACKUP);
}

/** The facts of a state file in its order. */
export function parseState(text: string): readonly Fact[] {
  return text.split(/\r?\n/).flatMap((line) => parseFact(line) ?? []);
}

/**
 * The state with these facts: one of the same kind and key takes the place of the old one. Every other line keeps its
 * bytes, and new ones end as the others do.
 */
export function withFacts(text: string, facts: readonly Fact[]): string {
  if (facts.length === 0) return text;
  const latest = new Map(facts.map((fact) => [nameOf(fact), formatFact(fact)]));
  const written = new Set<string>();
  const start = text === '' ? HEAD : text;
  const lines = start.split('\n').flatMap((line) => {
    const known = parseFact(line.replace(/\r$/, ''));
    const name = known === undefined ? '' : nameOf(known);
    const next = latest.get(name);
    if (next === undefined) return [line];
    if (written.has(name)) return [];
    written.add(name);
    return [line.endsWith('\r') ? `${next}\r` : next];
  });
  const kept = lines.join('\n');
  const lineBreak = start.includes('\r\n') ? '\r\n' : '\n';
  const fresh = [...latest].flatMap(([name, line]) => (written.has(name) ? [] : [line + lineBreak]));
  return fresh.length === 0 ? kept : kept + separator(kept) + fresh.join('');
}

/**
 * The facts of both states, in the lines of `base`. Where both know the same kind and key, the one with the later `at=`
 * holds, whichever side is the base.
 */
export function mergeStates(base: string, other: string): string {
  if (other === '' || base === other) return base;
  if (base === '') return other;
  const known = newestFacts(base);
  const newer = [...newestFacts(other)].flatMap(([name, fact]) =>
    isNewer(fact, known.get(name)) ? [fact] : [],
  );
  return withFacts(base, newer);
}

/** One fact of each kind and key, though a hand-made file may have more. */
function newestFacts(text: string): ReadonlyMap<string, Fact> {
  const newest = new Map<string, Fact>();
  for (const fact of parseState(text))
    if (isNewer(fact, newest.get(nameOf(fact)))) newest.set(nameOf(fact), fact);
  return newest;
}

function parseFact(line: string): Fact | undefined {
  const match = FACT.exec(line);
  if (match === null) return undefined;
  const [, kind = '', key = '', rest = ''] = match;
  return { kind, key: decodeField(key), rest };
}

function formatFact({ kind, key, rest }: Fact): string {
  const line = `- ${kind} ${encodeField(key)}`;
  return rest === '' ? line : `${line} ${rest.replace(LINE_BREAKS, ' ')}`;
}

function nameOf({ kind, key }: Fact): string {
  return `${kind} ${key}`;
}

/** Of the same time the greater text holds, so that both sides come to the same. */
function isNewer(fact: Fact, known: Fact | undefined): boolean {
  if (known === undefined) return true;
  const [timeMs, knownMs] = [timeOf(fact), timeOf(known)];
  return timeMs === knownMs ? fact.rest > known.rest : timeMs > knownMs;
}

/** Milliseconds; without a time a fact is older than any that has one. */
function timeOf({ rest }: Fact): number {
  const timeMs = Date.parse(/(?:^| )at=(\S+)/.exec(rest)?.[1] ?? '');
  return Number.isNaN(timeMs) ? Number.NEGATIVE_INFINITY : timeMs;
}
