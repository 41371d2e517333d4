import { decodeField, encodeField } from '../memory/field.js';
import { type Fact, parseState, withFacts } from '../memory/state.js';
import { formatMarkValue } from '../safety/mark.js';
import type { PullMemory } from './ledger.js';
import type { MarkOnPull } from './lessons.js';
import { type FindingMark, readFindingMark } from './marks.js';

/** The last commit of a pull request that was reviewed. */
export interface Reviewed {
  readonly kind: 'reviewed';
  readonly pull: number;
  readonly head: string;
  readonly base: string;
  /** Name of the branch the pull request went into then. */
  readonly into?: string;
  /** A limit ended the review: the last commit that was looked at to the end, undefined for none. */
  readonly cut?: { readonly whole: string | undefined };
  /** Paths of files that did not fit into the reviews up to the last whole one; never empty, left out for none. */
  readonly unseen?: readonly string[];
  /** Which files were to be looked at, where not all were. */
  readonly only?: PathPatterns;
  readonly at: Date;
}

/** The input `paths` of a review, apart by what it includes and excludes. */
export interface PathPatterns {
  readonly paths: readonly string[];
  readonly pathsIgnore: readonly string[];
}

/** What one attempt of a run has cost. */
export interface Spent {
  readonly kind: 'spent';
  /** `<run id>-<attempt>`: each has a line of its own, so that runs at the same time add up. */
  readonly run: string;
  /** Undefined where the run was about no pull request. */
  readonly pull: number | undefined;
  /** UTC, `2026-11-22`. */
  readonly day: string;
  readonly usd: number;
  readonly at: Date;
}

/** Somebody stopped the reviews of a pull request, or let them go on. */
interface PauseFact {
  readonly kind: 'paused' | 'resumed';
  readonly pull: number;
  readonly by: string;
  readonly at: Date;
}

/** What one attempt of a run has written on GitHub. */
interface Posted {
  readonly kind: 'posted';
  /** As of {@link Spent}. */
  readonly run: string;
  readonly pull: number | undefined;
  /** Of comments and reviews. */
  readonly ids: readonly number[];
  readonly at: Date;
}

/** What the pull request bot keeps in the agent's state file (D36). */
export type ReviewFact = Reviewed | MarkFact | Spent | Posted | PauseFact;

/** What was decided of a finding, see `marks.ts`. */
interface MarkFact {
  readonly kind: 'mark';
  readonly mark: MarkOnPull;
  readonly at: Date;
}

/** The state with these facts, each in the place of an older one about the same. */
export function withReviewFacts(text: string, facts: readonly ReviewFact[]): string {
  return withFacts(text, facts.map(formatReviewFact));
}

/** The facts of a state file, of several about the same the latest. Lines that say nothing that can be understood are left out. */
export function parseReviewFacts(text: string): readonly ReviewFact[] {
  const newest = new Map<string, ReviewFact>();
  for (const fact of parseState(text)) {
    const parsed = parseReviewFact(fact);
    if (parsed === undefined) continue;
    const name = `${kindOf(parsed)} ${keyOf(parsed)}`;
    if (parsed.at.getTime() >= (newest.get(name)?.at.getTime() ?? Number.NEGATIVE_INFINITY))
      newest.set(name, parsed);
  }
  return [...newest.values()];
}

/** What a fact is called in its line. */
export function kindOf(fact: ReviewFact): string {
  return fact.kind === 'mark' ? fact.mark.kind : fact.kind;
}

/** The line of a fact. */
export function formatReviewFact(fact: ReviewFact): Fact {
  if (fact.kind === 'mark') {
    const { pull: _, ...mark } = fact.mark;
    const rest = `at=${fact.at.toISOString()} ${formatMarkValue(mark)}`;
    return { kind: mark.kind, key: keyOf(fact), rest };
  }
  const fields = Object.entries({ ...fieldsOf(fact), at: fact.at.toISOString() });
  const written = fields.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeField(value)}`],
  );
  return { kind: fact.kind, key: keyOf(fact), rest: written.join(' ') };
}

function keyOf(fact: ReviewFact): string {
  switch (fact.kind) {
    case 'mark':
      return `${fact.mark.id}/${fact.mark.pull}`;
    case 'spent':
    case 'posted':
      return fact.run;
    case 'reviewed':
    case 'paused':
    case 'resumed':
      return `${fact.pull}`;
  }
}

/** In the order in which they are written; those without a value are left out. */
function fieldsOf(fact: Exclude<ReviewFact, MarkFact>): Readonly<Record<string, string | undefined>> {
  switch (fact.kind) {
    case 'reviewed':
      return {
        head: fact.head,
        base: fact.base,
        into: fact.into,
        cut: fact.cut && (fact.cut.whole ?? NO_COMMIT),
        unseen: formatPaths(fact.unseen),
        paths: formatPaths(fact.only?.paths),
        ignored: formatPaths(fact.only?.pathsIgnore),
      };
    case 'spent':
      return { pr: fact.pull?.toString(), day: fact.day, usd: formatUsd(fact.usd) };
    case 'posted':
      return { pr: fact.pull?.toString(), ids: fact.ids.join('+') };
    case 'paused':
    case 'resumed':
      return { by: fact.by };
  }
}

function formatPaths(paths: readonly string[] = []): string | undefined {
  return paths.length === 0 ? undefined : paths.join(NO_PATH);
}

/** Stands where a commit would. */
const NO_COMMIT = 'none';

/** Stands between paths: no path holds it. */
const NO_PATH = '\0';

const MAX_USD = 999_999_999;

/** Micro-dollars, rounded up: a run that cost something is never free. What is not a number counts for nothing. */
function formatUsd(usd: number): string {
  const sane = Math.min(MAX_USD, Math.max(0, Number.isNaN(usd) ? 0 : usd));
  return (Math.ceil(sane * 1e6 - 1e-3) / 1e6).toFixed(6).replace(/0{1,4}$/, '');
}

/** What a line of a state file says, if it is one of ours and whole. */
export function parseReviewFact({ kind, key, rest }: Fact): ReviewFact | undefined {
  // What is behind a brace is a mark, in the words of a model.
  const fields = readFields(rest.split(' {', 1)[0] ?? '');
  const at = new Date(fields.get('at') ?? '');
  if (Number.isNaN(at.getTime())) return undefined;
  switch (kind) {
    case 'reviewed':
      return readReviewed(key, fields, at);
    case 'raised':
    case 'ended':
    case 'back':
      return readMarkFact(key, rest, at);
    case 'spent':
      return readSpent(key, fields, at);
    case 'posted':
      return {
        kind,
        run: key,
        pull: readPull(fields.get('pr')),
        ids: (fields.get('ids') ?? '')
          .split('+')
          .map(Number)
          .filter((id) => id > 0),
        at,
      };
    case 'paused':
    case 'resumed': {
      const pull = readPull(key);
      return pull === undefined ? undefined : { kind, pull, by: fields.get('by') ?? '', at };
    }
  }
  return undefined;
}

function readMarkFact(key: string, rest: string, at: Date): MarkFact | undefined {
  const pull = readPull(key.slice(key.indexOf('/') + 1));
  const mark = pull === undefined ? undefined : readFindingMark(jsonIn(rest));
  return mark === undefined || pull === undefined ? undefined : { kind: 'mark', mark: { ...mark, pull }, at };
}

function jsonIn(rest: string): unknown {
  try {
    return JSON.parse(rest.slice(rest.indexOf('{')));
  } catch {
    return undefined;
  }
}

type Fields = ReadonlyMap<string, string>;

function readFields(rest: string): Fields {
  const pairs = rest.split(' ').map((part) => /^([a-z]+)=(\S+)$/.exec(part));
  return new Map(
    pairs.flatMap((pair) => (pair === null ? [] : [[pair[1] ?? '', decodeField(pair[2] ?? '')]])),
  );
}

function readReviewed(key: string, fields: Fields, at: Date): Reviewed | undefined {
  const [pull, head, base] = [readPull(key), fields.get('head'), fields.get('base')];
  if (pull === undefined || head === undefined || base === undefined) return undefined;
  const [into, whole] = [fields.get('into'), fields.get('cut')];
  const pathsIn = (name: string) => (fields.get(name) ?? '').split(NO_PATH).filter((path) => path !== '');
  const unseen = pathsIn('unseen');
  const only = { paths: pathsIn('paths'), pathsIgnore: pathsIn('ignored') };
  const isLimited = only.paths.length + only.pathsIgnore.length > 0;
  return {
    kind: 'reviewed',
    pull,
    head,
    base,
    into,
    cut: whole === undefined ? undefined : { whole: whole === NO_COMMIT ? undefined : whole },
    unseen: unseen.length === 0 ? undefined : unseen,
    only: isLimited ? only : undefined,
    at,
  };
}

function readSpent(run: string, fields: Fields, at: Date): Spent | undefined {
  const [day, usd] = [fields.get('day') ?? '', fields.get('usd') ?? ''];
  if (!/^\d{4}-\d\d-\d\d$/.test(day) || !/^\d{1,9}(?:\.\d{1,9})?$/.test(usd)) return undefined;
  return { kind: 'spent', run, pull: readPull(fields.get('pr')), day, usd: Number(usd), at };
}

/** People may write the number with its `#`. */
function readPull(text: string | undefined): number | undefined {
  const [, digits] = /^#?([1-9]\d{0,9})$/.exec(text ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** US dollars that runs have spent on a pull request, or on a day (UTC, `2026-11-22`). */
export function spentUsd(
  facts: readonly ReviewFact[],
  on: { readonly pull: number } | { readonly day: string },
): number {
  let micros = 0;
  for (const fact of facts) {
    if (fact.kind !== 'spent') continue;
    const isMeant = 'pull' in on ? fact.pull === on.pull : fact.day === on.day;
    if (isMeant) micros += Math.round(fact.usd * 1e6);
  }
  return micros / 1e6;
}

/** What was decided of findings, on all pull requests. */
export function marksOf(facts: readonly ReviewFact[]): readonly MarkOnPull[] {
  return facts.flatMap((fact) => (fact.kind === 'mark' ? [fact.mark] : []));
}

/** The facts that keep marks of one pull request. */
export function markFacts(marks: readonly FindingMark[], pull: number): readonly MarkFact[] {
  return marks.map((mark) => ({ kind: 'mark', mark: { ...mark, pull }, at: new Date(mark.at) }));
}

/** What is kept of a pull request; undefined where nothing is. */
export function pullMemory(facts: readonly ReviewFact[], pull: number): PullMemory | undefined {
  const isKnown = facts.some((fact) => {
    if (fact.kind === 'mark') return fact.mark.pull === pull;
    return (fact.kind === 'posted' || fact.kind === 'reviewed') && fact.pull === pull;
  });
  if (!isKnown) return undefined;
  return { marks: marksOf(facts).filter((mark) => mark.pull === pull), posted: postedIds(facts) };
}

/** Ids of the comments and reviews that the agent has written. */
export function postedIds(facts: readonly ReviewFact[]): ReadonlySet<number> {
  return new Set(facts.flatMap((fact) => (fact.kind === 'posted' ? fact.ids : [])));
}

/** The commit of a pull request that was reviewed last. */
export function lastReviewed(facts: readonly ReviewFact[], pull: number): Reviewed | undefined {
  return facts.find((fact): fact is Reviewed => fact.kind === 'reviewed' && fact.pull === pull);
}

/** Whether reviews of a pull request are stopped: the later word counts, and of the same moment the one that stops. */
export function isPaused(facts: readonly ReviewFact[], pull: number): boolean {
  const timeOf = (kind: 'paused' | 'resumed') =>
    facts.find((fact) => fact.kind === kind && fact.pull === pull)?.at.getTime() ?? Number.NEGATIVE_INFINITY;
  return timeOf('paused') > Number.NEGATIVE_INFINITY && timeOf('paused') >= timeOf('resumed');
}
