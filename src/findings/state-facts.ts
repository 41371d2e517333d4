import * as v from 'valibot';
import { WORDS, type Word } from '../event/trust.js';
import type { OwnReview, PullRequestConversation } from '../github/reading/conversation.js';
import { DAY_MS } from '../lib/clock.js';
import { groupBy } from '../lib/data.js';
import { utf8Bytes } from '../lib/text/bytes.js';
import { formatUsd, table } from '../lib/text/format.js';
import { formatFact, latestFacts, parseFact } from '../memory/state.js';
import { readOwnMark } from '../safety/mark.js';
import { SEVERITIES } from './finding.js';
import {
  fitFindings,
  type KeptFact,
  type KeptFinding,
  lineBytes,
  readKeptFact,
} from './kept-finding.js';

/**
 * The facts in the agent's state file: the record of findings, and facts about reviews, costs,
 * posts and pauses. `pruneState` bounds it, and `outcomesAndCostTable` sums it up. Times are
 * milliseconds since 1970 by the runner's clock.
 */

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
 * The agent of a review. A review that a comment asked for has the number of the comment behind the
 * agent's name.
 */
export function agentOfReviewer(reviewer: string): string {
  return reviewer.replace(/\/reply-\d+$/, '');
}

/** The agent that wrote a review of ours; undefined for any other text. */
export function agentOfReview(body: string): string | undefined {
  const mark = readReviewMark(body);
  return mark && agentOfReviewer(mark.agent);
}

/** The reviews that an agent has submitted, oldest first. */
export function submittedReviewsOf(
  { seen }: { readonly seen: Pick<PullRequestConversation, 'reviews'> | undefined },
  agent: string,
): readonly OwnReview[] {
  return (seen?.reviews ?? [])
    .filter(
      ({ state, body }) => state !== 'PENDING' && agentOfReview(body) === agentOfReviewer(agent),
    )
    .toSorted((a, b) => a.id - b.id);
}

const pull = v.pipe(v.number(), v.integer(), v.minValue(1));
const time = v.number();
/** One attempt of a run. Each has its own line, so that concurrent runs add up. */
const attempt = v.string();
const paths = v.pipe(v.array(v.string()), v.readonly());

const patternsSchema = v.object({ paths, pathsIgnore: paths });

const reviewedSchema = v.object({
  kind: v.literal('reviewed'),
  pull,
  head: v.string(),
  base: v.string(),
  /** Name of the base branch at that time. */
  into: v.optional(v.string()),
  /** Paths of files that did not fit into any review so far. */
  unseen: v.optional(paths),
  /** Ids of the patches of the files that were reviewed, see `patchId`. */
  patches: v.optional(v.pipe(v.array(v.string()), v.readonly())),
  /** The files that the review covered, if not all. */
  only: v.optional(patternsSchema),
  at: time,
});

const spentSchema = v.object({
  kind: v.literal('spent'),
  id: attempt,
  /** Left out if the run was not about a pull request. */
  pull: v.optional(pull),
  /** UTC, `2026-11-22`. */
  day: v.pipe(v.string(), v.regex(/^\d{4}-\d\d-\d\d$/)),
  usd: v.pipe(v.number(), v.minValue(0), v.maxValue(999_999_999)),
  model: v.optional(v.string()),
  at: time,
});

const postedSchema = v.object({
  kind: v.literal('posted'),
  id: attempt,
  pull: v.optional(pull),
  /** Ids of comments and reviews. */
  ids: v.pipe(v.array(v.number()), v.readonly()),
  /** The word of the run that wrote them. */
  words: v.picklist(WORDS),
  at: time,
});

const pauseSchema = v.object({
  kind: v.picklist(['paused', 'resumed']),
  pull,
  by: v.string(),
  at: time,
});

const factSchema = v.variant('kind', [reviewedSchema, spentSchema, postedSchema, pauseSchema]);

/** The last commit of a pull request whose review was completed. */
export type ReviewedFact = v.InferOutput<typeof reviewedSchema>;

/** The input `paths` of a review, split into included and excluded patterns. */
export type PathPatterns = v.InferOutput<typeof patternsSchema>;

/** The cost of one attempt of a run. */
export type SpentFact = v.InferOutput<typeof spentSchema>;

/** One line of the agent's state file. */
export type ReviewFact = KeptFact | v.InferOutput<typeof factSchema>;

/**
 * The facts of a state file; of several facts about the same subject, the latest. Lines that cannot
 * be parsed are left out.
 */
export function parseReviewFacts(text: string): readonly ReviewFact[] {
  return latestFacts(text.split('\n').flatMap((line) => parseReviewFact(line) ?? []));
}

/** The fact of one line; undefined if the line is damaged, or of a kind that is not known. */
function parseReviewFact(line: string): ReviewFact | undefined {
  const fact = parseFact(line);
  const finding = readKeptFact(fact);
  if (finding !== undefined) return finding;
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

/** The recorded findings of all pull requests. */
export function keptFindings(facts: readonly ReviewFact[]): readonly KeptFinding[] {
  return facts.filter((fact): fact is KeptFinding => fact.kind === 'finding');
}

/**
 * The comments and reviews that the agent has written, by id, with the trust word of the last run.
 */
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
 * Reviews of a pull request are paused: the later command counts, and at the same moment the pause.
 */
export function isPaused(facts: readonly ReviewFact[], pullNumber: number): boolean {
  const timeOf = (kind: 'paused' | 'resumed') =>
    facts.find((fact) => fact.kind === kind && fact.pull === pullNumber)?.at ??
    Number.NEGATIVE_INFINITY;
  return timeOf('paused') > Number.NEGATIVE_INFINITY && timeOf('paused') >= timeOf('resumed');
}

/** Retention of a fact. People's commands about reviews are kept twice as long as other facts. */
function keptMs({ kind }: ReviewFact): number {
  return (kind === 'paused' || kind === 'resumed' ? 365 : 180) * DAY_MS;
}

/**
 * Maximum number of facts of each kind; the latest are kept. A line takes 90 to 700 bytes, and that
 * of a review twenty more for each file.
 */
const MOST: Readonly<Record<ReviewFact['kind'], number>> = {
  finding: 600,
  heard: 300,
  checks: 200,
  spent: 1300,
  posted: 900,
  reviewed: 600,
  paused: 200,
  resumed: 200,
};

/** Maximum size of a state file: the cache holds 1 MiB, logs included, and must not fill up. */
const MAX_STATE_BYTES = 300_000;

/**
 * The state without expired facts. All other lines keep their bytes, including lines of a newer
 * version. The newest state is rewritten, because appended facts would leave the old lines there.
 */
export function pruneState(text: string, now: Date): string {
  const lines = text.split('\n');
  const facts = lines.map(parseReviewFact);
  const latest = new Set(latestOf(facts.flatMap((fact) => fact ?? [])));
  const isKept = (fact: ReviewFact | undefined) =>
    fact === undefined || (latest.has(fact) && now.getTime() - fact.at <= keptMs(fact));
  const current = lines.flatMap((line, index) =>
    isKept(facts[index]) ? [{ line, fact: facts[index] }] : [],
  );
  return fitLines(current)
    .map(({ line }) => line)
    .join('\n');
}

interface StateLine {
  readonly line: string;
  readonly fact: ReviewFact | undefined;
}

/** Shortens and drops findings until the state fits, then drops the oldest of the other facts. */
function fitLines(lines: readonly StateLine[]): readonly StateLine[] {
  const bytesOf = (some: readonly StateLine[]) =>
    some.reduce((sum, { line }) => sum + utf8Bytes(line) + 1, 0);
  let excessBytes = bytesOf(lines) - MAX_STATE_BYTES;
  if (excessBytes <= 0) return lines;

  const findings = keptFindings(lines.flatMap(({ fact }) => fact ?? []));
  const room = findings.reduce((sum, finding) => sum + lineBytes(finding), -excessBytes);
  const fitting = new Map(
    fitFindings(findings, room, lineBytes).map((finding) => [finding.id, finding]),
  );
  const shorter = lines.flatMap((stateLine): readonly StateLine[] => {
    if (stateLine.fact?.kind !== 'finding') return [stateLine];
    const fact = fitting.get(stateLine.fact.id);
    if (fact === undefined) return [];
    return fact === stateLine.fact ? [stateLine] : [{ line: formatFact(fact), fact }];
  });
  excessBytes = bytesOf(shorter) - MAX_STATE_BYTES;
  const dropped = new Set<StateLine>();
  for (const stateLine of shorter.toSorted((a, b) => (a.fact?.at ?? 0) - (b.fact?.at ?? 0))) {
    const { line, fact } = stateLine;
    if (excessBytes <= 0 || fact === undefined || !DROPPED.has(fact.kind)) continue;
    dropped.add(stateLine);
    excessBytes -= utf8Bytes(line) + 1;
  }
  return shorter.filter((stateLine) => !dropped.has(stateLine));
}

/** Kinds whose oldest facts are dropped if dropping findings does not make enough room. */
const DROPPED: ReadonlySet<ReviewFact['kind']> = new Set(['spent', 'posted', 'reviewed', 'checks']);

/**
 * Ended findings are dropped before open ones. At the same time, the first in the file are kept.
 */
function latestOf(facts: readonly ReviewFact[]): readonly ReviewFact[] {
  const isEnded = (fact: ReviewFact) => fact.kind === 'finding' && fact.state !== 'open';
  const ofKinds = groupBy(
    facts.toSorted((a, b) => Number(isEnded(a)) - Number(isEnded(b)) || b.at - a.at),
    ({ kind }) => kind,
  );
  return [...ofKinds].flatMap(([kind, ofKind]) => ofKind.slice(0, MOST[kind]));
}

/** After this time without an answer, a finding counts as unanswered. */
const UNANSWERED_MS = 14 * DAY_MS;

const FATES = ['acted on', 'dismissed', 'unanswered'] as const;

/**
 * The fates of findings and the cost of the model's runs, by month and model, the newest first; as
 * markdown. Empty if no finding has a fate yet.
 */
export function outcomesAndCostTable(facts: readonly ReviewFact[], now: Date): string {
  const ended = keptFindings(facts).flatMap((finding) => {
    const fate = fateOf(finding, now);
    const monthAndModel = monthOf(new Date(finding.raised).toISOString(), finding.model);
    return fate === undefined ? [] : [{ monthAndModel, severity: finding.severity, fate }];
  });
  const spentFacts = facts.filter((fact) => fact.kind === 'spent');
  // In a full state, facts of the oldest month have been dropped, so that its cost is not known.
  const oldest =
    spentFacts.length < MOST.spent
      ? ''
      : spentFacts.map(({ day }) => day.slice(0, 7)).toSorted()[0];
  const spent = spentFacts.filter(({ day }) => day.slice(0, 7) !== oldest);
  const named = [
    ...ended.map(({ monthAndModel }) => monthAndModel),
    ...spent.map(({ day, model }) => monthOf(day, model)),
  ];
  const months = ended.length === 0 ? [] : [...new Set(named)].toSorted().reverse();
  const rows = months.map((monthAndModel) => {
    const [month = '', model = ''] = monthAndModel.split(' ');
    const findings = ended.filter((finding) => finding.monthAndModel === monthAndModel);
    const costs = spent.filter((fact) => monthOf(fact.day, fact.model) === monthAndModel);
    const cost = costs.reduce((sum, { usd }) => sum + usd, 0);
    const acted = findings.filter(({ fate }) => fate === 'acted on').length;
    const each = cost > 0 && acted > 0 ? formatUsd(cost / acted) : '';
    const cells = SEVERITIES.map((severity) => {
      const rated = findings.filter((finding) => finding.severity === severity);
      const counts = FATES.map((fate) => rated.filter((finding) => finding.fate === fate).length);
      return rated.length === 0 ? '' : counts.join(' / ');
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
 * Undefined for a finding that people can still answer, or whose end says nothing: for example, a
 * conversation that was resolved while the line was unchanged.
 */
function fateOf(
  { state, why, gone, raised }: KeptFinding,
  now: Date,
): (typeof FATES)[number] | undefined {
  if (state === 'open') return now.getTime() - raised > UNANSWERED_MS ? 'unanswered' : undefined;
  if (state === 'dismissed') return 'dismissed';
  const isChanged = why === 'resolved' && gone;
  return why === 'fixed' || why === 'suggestion' || isChanged ? 'acted on' : undefined;
}
