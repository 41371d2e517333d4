import * as v from 'valibot';
import { WORDS, type Word } from '../event/trust.js';
import { DAY_MS } from '../lib/clock.js';
import { groupBy } from '../lib/data.js';
import { formatUsd, table } from '../lib/text/format.js';
import { latestFacts, parseFact } from '../memory/state.js';
import { type Mark, readOwnMark } from '../safety/mark.js';
import {
  CATEGORIES,
  CONFIDENCES,
  FINDING_ACTORS,
  FINDING_RULES,
  SEVERITIES,
  STATE_REASON_TEXTS,
  type StateReason,
} from './finding.js';

/**
 * What was decided of a finding. The hidden first line of a text of ours and the agent's state hold
 * the same marks, so that either can take the place of the other. Besides them the state says what
 * was reviewed, spent, posted and paused: `pruneState` bounds it, and `outcomesAndCostTable` sums it up.
 * Times are milliseconds since 1970 by the runner's clock.
 */

const id = v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/));
const side = v.optional(v.picklist(['LEFT', 'RIGHT']), 'RIGHT');
const person = v.optional(v.string());

const raisedSchema = v.object({
  kind: v.literal('raised'),
  id,
  at: v.number(),
  agent: v.string(),
  handle: v.pipe(v.string(), v.regex(/^F[A-Z0-9]{4}$/)),
  /** Left out: a model raised it. */
  rule: v.optional(v.picklist(FINDING_RULES)),
  title: v.string(),
  category: v.picklist(CATEGORIES),
  severity: v.picklist(SEVERITIES),
  /** Left out: `likely`. */
  confidence: v.optional(v.picklist(CONFIDENCES)),
  path: v.string(),
  line: v.number(),
  side,
  /** Of the line, see `lineFingerprint`. */
  code: v.string(),
  /** The word of the run that raised it. */
  words: v.picklist(WORDS),
  /**
   * Who had its conversation resolved as it was said there: that gesture is older than the finding.
   */
  closedBy: person,
  /** Where it stands, which is known once it was read; in the state alone. */
  thread: v.optional(v.string()),
  comment: v.optional(v.number()),
  /** Which model raised it; in the state alone. */
  model: v.optional(v.string()),
});

const endedSchema = v.object({
  kind: v.literal('ended'),
  id,
  at: v.number(),
  state: v.picklist(['settled', 'dismissed']),
  by: v.picklist(FINDING_ACTORS),
  why: v.picklist(Object.keys(STATE_REASON_TEXTS) as StateReason[]),
  login: person,
  /** Of the line as it stood then; empty where it stood no more. */
  code: v.string(),
  /**
   * Its conversation was resolved then, by us or by somebody with write access: one that is open
   * was opened since.
   */
  closed: v.boolean(),
});

const backSchema = v.object({
  kind: v.literal('back'),
  id,
  at: v.number(),
  by: v.picklist(FINDING_ACTORS),
  login: person,
  path: v.string(),
  line: v.number(),
  side,
  code: v.string(),
  severity: v.picklist(SEVERITIES),
  /** Who had its conversation resolved where we could not open it: that gesture is an old one. */
  closedBy: person,
});

const markSchema = v.variant('kind', [raisedSchema, endedSchema, backSchema]);

export type RaisedMark = v.InferOutput<typeof raisedSchema>;

export type EndedMark = v.InferOutput<typeof endedSchema>;

/** A finding that had ended is open again; or an open one is worse, or on a changed line. */
export type ReopenedMark = v.InferOutput<typeof backSchema>;

export type FindingMark = v.InferOutput<typeof markSchema>;

export type MarkOnPull = FindingMark & { readonly pull: number };

/** What was said of the findings of a pull request. */
export interface MarksOnPull {
  readonly pull: number;
  readonly marks: readonly FindingMark[];
}

/** What the agent's state keeps of a pull request. */
export interface PullRequestState {
  readonly marks: readonly FindingMark[];
  /**
   * The comments and reviews that the agent wrote, by id, with the word of the run: what they say
   * may end a finding.
   */
  readonly posted: ReadonlyMap<number, Word>;
}

/** A mark, of whatever a text or a state file holds; undefined for what is none. @internal */
export function readFindingMark(value: unknown): FindingMark | undefined {
  const { success, output } = v.safeParse(markSchema, value);
  return success ? output : undefined;
}

/** The marks of findings that a text of ours bears. Whether it is ours has to be known besides. */
export function findingMarksOf(body: string): readonly FindingMark[] {
  const { marks } = readOwnMark(body);
  return Array.isArray(marks) ? marks.flatMap((one) => readFindingMark(one) ?? []) : [];
}

/** The hidden line of a comment on a line, or of a finding that is said in an open conversation. */
export function findingMark(agent: string, marks: readonly FindingMark[]): Mark {
  return { kind: 'finding', agent, id: marks[0]?.id, marks };
}

/**
 * The hidden line of an answer that tells of a finding, by its id, what became of it, once for each
 * commit.
 */
export function replyMark(reply: {
  readonly agent: string;
  readonly marks: readonly FindingMark[];
  readonly head: string;
  readonly id: string;
}): Mark {
  const { agent, marks, head } = reply;
  return { kind: 'reply', agent, id: reply.id, how: marks[0]?.kind ?? 'claim', head, marks };
}

/** The agent of a review of ours and the commit it is about; undefined for any other text. */
export function readReviewMark(
  body: string,
): { readonly agent: string; readonly head: string } | undefined {
  const { kind, agent, head } = readOwnMark(body);
  return kind === 'review' && typeof agent === 'string' && typeof head === 'string'
    ? { agent, head }
    : undefined;
}

/**
 * The agent of a review; one that was asked for in a comment bears the comment's number behind the
 * agent's name.
 */
export function agentOfReviewer(reviewer: string): string {
  return reviewer.replace(/\/reply-\d+$/, '');
}

const pull = v.pipe(v.number(), v.integer(), v.minValue(1));
const at = v.number();
/** Of one attempt of a run: each has a line of its own, so that runs at the same time add up. */
const attempt = v.string();
const paths = v.pipe(v.array(v.string()), v.readonly());

const patternsSchema = v.object({ paths, pathsIgnore: paths });

const reviewedSchema = v.object({
  kind: v.literal('reviewed'),
  pull,
  head: v.string(),
  base: v.string(),
  /** Name of the branch the pull request went into then. */
  into: v.optional(v.string()),
  /** Paths of files that did not fit into the reviews up to then. */
  unseen: v.optional(paths),
  /** What the patches of the files that were seen are known by, see `patchId`. */
  patches: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  /** Which files were to be looked at, where not all were. */
  only: v.optional(patternsSchema),
  at,
});

const spentSchema = v.object({
  kind: v.literal('spent'),
  id: attempt,
  /** Left out where the run was about no pull request. */
  pull: v.optional(pull),
  /** UTC, `2026-11-22`. */
  day: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\d$/)),
  usd: v.pipe(v.number(), v.minValue(0), v.maxValue(999_999_999)),
  model: v.optional(v.string()),
  at,
});

const postedSchema = v.object({
  kind: v.literal('posted'),
  id: attempt,
  pull: v.optional(pull),
  /** Of comments and reviews. */
  ids: v.pipe(v.array(v.number()), v.readonly()),
  /** The word of the run that wrote them. */
  words: v.picklist(WORDS),
  at,
});

const pauseSchema = v.object({ kind: v.picklist(['paused', 'resumed']), pull, by: v.string(), at });

const factSchema = v.variant('kind', [reviewedSchema, spentSchema, postedSchema, pauseSchema]);

/** The last commit of a pull request that was looked at to the end. */
export type ReviewedFact = v.InferOutput<typeof reviewedSchema>;

/** The input `paths` of a review, apart by what it includes and excludes. */
export type PathPatterns = v.InferOutput<typeof patternsSchema>;

/** What one attempt of a run has cost. */
export type SpentFact = v.InferOutput<typeof spentSchema>;

/**
 * What the pull request bot keeps in the agent's state file: what was decided of findings is among
 * it.
 */
export type ReviewFact = MarkOnPull | v.InferOutput<typeof factSchema>;

/**
 * The facts of a state file, of several about the same the latest. Lines that say nothing that can
 * be understood are left out.
 */
export function parseReviewFacts(text: string): readonly ReviewFact[] {
  return latestFacts(text.split('\n').flatMap((line) => parseReviewFact(line) ?? []));
}

/** What a line of a state file says, if it is one of ours and whole. */
function parseReviewFact(line: string): ReviewFact | undefined {
  const fact = parseFact(line);
  const mark = readFindingMark(fact);
  if (mark !== undefined) return v.is(pull, fact?.pull) ? { ...mark, pull: fact.pull } : undefined;
  const { success, output } = v.safeParse(factSchema, fact);
  return success ? output : undefined;
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

function isMark(fact: ReviewFact): fact is MarkOnPull {
  return fact.kind === 'raised' || fact.kind === 'ended' || fact.kind === 'back';
}

/** What was decided of findings, on all pull requests. */
export function findingMarksIn(facts: readonly ReviewFact[]): readonly MarkOnPull[] {
  return facts.filter(isMark);
}

/**
 * The facts that keep marks of one pull request; `model` has raised the findings that are in no
 * conversation yet.
 */
export function markFacts(
  marks: readonly FindingMark[],
  pullNumber: number,
  model?: string,
): readonly MarkOnPull[] {
  return marks.map((mark) =>
    mark.kind === 'raised' && mark.thread === undefined
      ? { ...mark, model: mark.model ?? model, pull: pullNumber }
      : { ...mark, pull: pullNumber },
  );
}

/** What is kept of a pull request; undefined where nothing is. */
export function pullRequestState(
  facts: readonly ReviewFact[],
  pullNumber: number,
): PullRequestState | undefined {
  const isKnown = facts.some(
    (fact) =>
      fact.pull === pullNumber &&
      (isMark(fact) || fact.kind === 'posted' || fact.kind === 'reviewed'),
  );
  if (!isKnown) return undefined;
  return {
    marks: findingMarksIn(facts).filter((mark) => mark.pull === pullNumber),
    posted: postedWords(facts),
  };
}

/** The comments and reviews that the agent has written, by id, with the word of the last run. */
export function postedWords(facts: readonly ReviewFact[]): ReadonlyMap<number, Word> {
  const posted = facts.flatMap((fact) => (fact.kind === 'posted' ? fact : []));
  return new Map(
    posted
      .toSorted((a, b) => a.at - b.at)
      .flatMap(({ ids, words }) => ids.map((commentId) => [commentId, words] as const)),
  );
}

/** The commit of a pull request that was reviewed last. */
export function lastReviewed(
  facts: readonly ReviewFact[],
  pullNumber: number,
): ReviewedFact | undefined {
  return facts.find(
    (fact): fact is ReviewedFact => fact.kind === 'reviewed' && fact.pull === pullNumber,
  );
}

/**
 * Whether reviews of a pull request are stopped: the later word counts, and of the same moment the
 * one that stops.
 */
export function isPaused(facts: readonly ReviewFact[], pullNumber: number): boolean {
  const timeOf = (kind: 'paused' | 'resumed') =>
    facts.find((fact) => fact.kind === kind && fact.pull === pullNumber)?.at ??
    Number.NEGATIVE_INFINITY;
  return timeOf('paused') > Number.NEGATIVE_INFINITY && timeOf('paused') >= timeOf('resumed');
}

/** How long a fact is kept: what a person said of reviews, twice as long. */
function keptMs({ kind }: ReviewFact): number {
  return (kind === 'paused' || kind === 'resumed' ? 365 : 180) * DAY_MS;
}

/**
 * How many facts of a kind are kept, the latest ones. A line takes 90 to 500 bytes, that of a
 * review twenty more for each file, and the cache holds one MiB, logs included: a busy repository
 * must not fill it. There are no fewer ends than findings, since one whose end is lost would be
 * open.
 */
const MOST: Readonly<Record<ReviewFact['kind'], number>> = {
  raised: 550,
  ended: 600,
  back: 250,
  spent: 1300,
  posted: 900,
  reviewed: 600,
  paused: 200,
  resumed: 200,
};

/**
 * The state without what nobody asks for any more. Every other line keeps its bytes. It is a
 * rewrite of the newest state: as facts, the old lines would stay.
 */
export function pruneState(text: string, now: Date): string {
  const lines = text.split('\n');
  const facts = lines.map(parseReviewFact);
  const kept = new Set(latestOf(facts.flatMap((fact) => fact ?? [])));
  const isKept = (fact: ReviewFact | undefined) =>
    fact === undefined || (kept.has(fact) && now.getTime() - fact.at <= keptMs(fact));
  return lines.filter((_, index) => isKept(facts[index])).join('\n');
}

/** Of the same time the first ones in the file. */
function latestOf(facts: readonly ReviewFact[]): readonly ReviewFact[] {
  const ofKinds = groupBy(
    facts.toSorted((a, b) => b.at - a.at),
    ({ kind }) => kind,
  );
  return [...ofKinds].flatMap(([kind, of]) => of.slice(0, MOST[kind]));
}

/** A finding that nobody has answered for so long has no answer. */
const UNANSWERED_MS = 14 * DAY_MS;

const FATES = ['acted on', 'dismissed', 'unanswered'] as const;

/**
 * What people made of findings and what the runs of the model cost, by month and model, the newest
 * first; as markdown. Empty where no finding's story is over.
 */
export function outcomesAndCostTable(facts: readonly ReviewFact[], now: Date): string {
  const marks = findingMarksIn(facts);
  const ended = marks
    .filter((mark) => mark.kind === 'raised')
    .flatMap((mark) => {
      const [fate, of] = [
        fateOf(mark, marks, now),
        monthOf(new Date(mark.at).toISOString(), mark.model),
      ];
      return fate === undefined ? [] : [{ of, severity: mark.severity, fate }];
    });
  const kept = facts.filter((fact) => fact.kind === 'spent');
  // What the oldest month has cost is not known any more where the state has no room for more.
  const oldest =
    kept.length < MOST.spent ? '' : kept.map(({ day }) => day.slice(0, 7)).toSorted()[0];
  const spent = kept.filter(({ day }) => day.slice(0, 7) !== oldest);
  const named = [
    ...ended.map(({ of }) => of),
    ...spent.map(({ day, model }) => monthOf(day, model)),
  ];
  const months = ended.length === 0 ? [] : [...new Set(named)].toSorted().reverse();
  const rows = months.map((of) => {
    const [month = '', model = ''] = of.split(' ');
    const findings = ended.filter((one) => one.of === of);
    const costs = spent.filter((one) => monthOf(one.day, one.model) === of);
    const cost = costs.reduce((sum, one) => sum + one.usd, 0);
    const acted = findings.filter(({ fate }) => fate === 'acted on').length;
    const each = cost > 0 && acted > 0 ? formatUsd(cost / acted) : '';
    const cells = SEVERITIES.map((severity) => {
      const own = findings.filter((one) => one.severity === severity);
      const counts = FATES.map((fate) => own.filter((one) => one.fate === fate).length);
      return own.length === 0 ? '' : counts.join(' / ');
    });
    return [month, model, ...cells, cost > 0 ? formatUsd(cost) : '', each];
  });
  const legend =
    'Findings: acted on / dismissed / unanswered, and what all runs of the model cost in the month:';
  const head = ['Month', 'Model', ...SEVERITIES, 'Cost', 'Cost of each acted on'];
  return rows.length === 0 ? '' : `${legend}\n\n${table(head, rows)}`;
}

function monthOf(day: string, model = 'unknown'): string {
  return `${day.slice(0, 7)} ${model}`;
}

/**
 * Undefined for one whose story goes on, or that says nothing, as one that was resolved with its
 * line as it was.
 */
function fateOf(
  raised: RaisedMark,
  marks: readonly FindingMark[],
  now: Date,
): (typeof FATES)[number] | undefined {
  const [last] = marks
    .filter((mark) => mark.id === raised.id && mark.kind !== 'raised')
    .toSorted((a, b) => b.at - a.at);
  if (last?.kind !== 'ended')
    return now.getTime() - raised.at > UNANSWERED_MS ? 'unanswered' : undefined;
  if (last.state === 'dismissed') return 'dismissed';
  const isChanged = last.why === 'resolved' && last.code === '';
  return last.why === 'fixed' || last.why === 'suggestion' || isChanged ? 'acted on' : undefined;
}
