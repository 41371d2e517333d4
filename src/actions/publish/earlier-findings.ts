import type { GitHubClient } from '../../adapters/github/client/client.js';
import { dismissReviews } from '../../adapters/github/posting/dismiss-review.js';
import { changeThreads, type ThreadChange } from '../../adapters/github/posting/end-threads.js';
import { isOwnText } from '../../core/event/mention.js';
import { featuresOf } from '../../core/findings/features.js';
import { sketchOf } from '../../core/findings/likeness.js';
import { isBlocking } from '../../core/review/blocking.js';
import type { Repeated } from '../../core/review/buffered.js';
import { oneLine, severityMark } from '../../core/review/comment-text.js';
import { readDiffLines } from '../../core/review/diff-lines.js';
import type { Ended, FindingFact } from '../../core/review/finding-facts.js';
import { commentWords } from '../../core/review/known.js';
import { agentOf, type EndMark, goneNote, parseReviewMarker } from '../../core/review/markers.js';
import { isLineGone, isSuggestionApplied } from '../../core/review/outdated.js';
import type { PreparedReview } from '../../core/review/prepare-review.js';
import type { Settlement, SettleWay } from '../../core/review/settle.js';
import { count } from '../../core/text/count.js';
import { cleanLine } from '../../core/text/cut.js';
import type { OldTexts } from './close-texts.js';
import type { OwnFindings, OwnOpenThread } from './known-findings.js';
import type { RequestedReview } from './requested.js';
import { whileAsked } from './while-asked.js';

/** What a run makes of the findings that the pull request had before. */
export interface EarlierFindings {
  /** Their lines are gone from the change, and nobody has answered. */
  readonly gone: readonly OwnOpenThread[];
  /** Of these, those whose suggestion was committed: that is what cured them. */
  readonly applied: ReadonlySet<OwnOpenThread>;
  /** The model has ended them; where it may only say so, they are open as well. */
  readonly settled: readonly { readonly settlement: Settlement; readonly thread: OwnOpenThread }[];
  /** Ended before, and raised again. */
  readonly back: readonly Repeated[];
  /** They are open, and stay so. */
  readonly open: readonly OwnOpenThread[];
}

/** A run changes no more conversations: each takes a request or two. */
const MAX_CHANGED = 30;

/** Sorts the agent's findings on lines by what becomes of them; nothing is ended that this run did not look at. */
export function sortEarlier(
  { commits, buffered, isTrusted }: RequestedReview,
  own: OwnFindings,
): EarlierFindings {
  const lines = own.head === commits.head ? readDiffLines(commits.diff) : undefined;
  const raised = new Set(buffered.repeated.map(({ of }) => of.id));
  const settled = buffered.settlements
    .flatMap((settlement) => {
      const thread = own.threads.find(({ marker }) => marker.id === settlement.finding.id);
      return thread === undefined ? [] : [{ settlement, thread }];
    })
    .slice(0, MAX_CHANGED);
  const isSettled = (thread: OwnOpenThread) => settled.some((one) => one.thread === thread);
  const gone = own.threads
    .filter(
      (thread) =>
        lines !== undefined &&
        !raised.has(thread.marker.id) &&
        !isSettled(thread) &&
        !isAnswered(thread) &&
        isLineGone(thread, lines),
    )
    .slice(0, MAX_CHANGED);
  const isApplied = ({ path, first }: OwnOpenThread) =>
    lines !== undefined && isSuggestionApplied({ path, body: first.body }, lines);
  return {
    gone,
    applied: new Set(gone.filter(isApplied)),
    settled,
    back: buffered.repeated.filter(({ of }) => of.state !== 'open' && of.isOwn),
    // Text in a fork's diff could ask the model to end a finding: there its word leaves it open.
    open: own.threads.filter((thread) => !gone.includes(thread) && !(isTrusted && isSettled(thread))),
  };
}

function isAnswered({ replies, repliesTotal }: OwnOpenThread): boolean {
  return repliesTotal > replies.length || replies.some(({ isOurs, body }) => !(isOurs && isOwnText(body)));
}

const SHORT_SHA = 7;

/** Carries out what was decided, and says it in a sentence; empty for nothing. Trouble is a warning. */
export async function endEarlier(
  { gone, settled, back }: EarlierFindings,
  client: GitHubClient,
  { place, commits, isTrusted, options }: RequestedReview,
): Promise<string> {
  const changes = [
    ...gone.map((thread) => ({
      id: thread.id,
      first: thread.first,
      to: 'resolve' as const,
      mark: 'outdated' as const,
      note: goneNote(commits.head),
      reply: '',
      replied: [],
    })),
    ...settled.map(({ settlement, thread }) =>
      settledChange(settlement, thread, { commits, isTrusted, options }),
    ),
    ...back.map(({ of }) => ({
      id: of.thread.id,
      first: { id: of.thread.commentId, body: of.thread.body },
      to: 'reopen' as const,
      mark: 'outdated' as const,
      note: '',
      reply: `Back since ${commits.head.slice(0, SHORT_SHA)}.`,
      replied: [],
    })),
  ];
  if (changes.length === 0) return '';
  const asked = await whileAsked(
    (signal) => changeThreads(client, { ...place, changes, head: commits.head }, signal),
    REMEDY,
  );
  const result = asked.kind === 'failed' ? asked : asked.answer;
  if (result.kind === 'changed') {
    return [
      gone.length === 0 ? '' : `Marked ${count(gone.length, 'comment')} as outdated.`,
      settled.length === 0 ? '' : `Settled ${count(settled.length, 'earlier finding')}.`,
      back.length === 0 ? '' : `${count(back.length, 'earlier finding')} came back.`,
    ]
      .filter((sentence) => sentence !== '')
      .join(' ');
  }
  const message = `${count(changes.length, 'earlier finding')} could not all be marked as ended: ${result.message}`;
  options.reporter.warn({ code: 'publish-failed', message, remedy: result.remedy });
  return '';
}

const REMEDY = 'Resolve them by hand.';

function settledChange(
  { how, reason, by }: Settlement,
  { id, first, replies }: OwnOpenThread,
  { commits, isTrusted, options }: Pick<RequestedReview, 'commits' | 'isTrusted' | 'options'>,
): ThreadChange {
  const said = oneLine(reason, options.clean);
  const head = commits.head.slice(0, SHORT_SHA);
  const opening = {
    fixed: `Settled by ${head}: ${said}`,
    wrong: `I take this back: ${said}`,
    dismissed: `Not raised again on this pull request, as ${by === '' ? 'was said here' : `\`${by}\` said`}: ${said}`,
  }[how];
  const stays = isTrusted
    ? ''
    : '\n\nA person with write access has to resolve it: the change comes from outside.';
  const mark: EndMark = how === 'wrong' ? 'withdrawn' : 'settled';
  return {
    id,
    first,
    to: isTrusted ? 'resolve' : 'leave',
    mark,
    note: how === 'wrong' ? 'Taken back.' : `Settled as of ${head}.`,
    reply: `${opening}${stays}`,
    replied: replies.flatMap(({ isOurs, body }) => (isOurs ? [body] : [])),
  };
}

/** What is kept of the ends (D36): closed sets and logins alone. */
export function endFacts(
  { gone, applied, settled, back }: EarlierFindings,
  { place, facts, now }: RequestedReview,
): readonly FindingFact[] {
  const raisedAs = (id: string) =>
    facts.find((fact) => fact.kind === 'finding' && fact.id === id && fact.pull === place.number);
  const end = (id: string, how: Ended['how'], parts: Pick<Ended, 'why' | 'by'>): readonly FindingFact[] => {
    const raised = raisedAs(id);
    if (raised?.kind !== 'finding') return [];
    const { path, category } = raised;
    return [{ kind: 'ended', id, pull: place.number, path, category, how, ...parts, at: now }];
  };
  /** What was acted on is wanted: findings like it are not held back for a few dismissals. */
  const accept = ({ marker: { id }, first }: OwnOpenThread): readonly FindingFact[] => {
    const raised = raisedAs(id);
    if (raised?.kind !== 'finding') return [];
    const { path, category } = raised;
    const sketch = sketchOf(featuresOf(commentWords(first.body)));
    return [{ kind: 'accepted', id, pull: place.number, path, category, sketch, at: now }];
  };
  return [
    ...gone.flatMap((thread) => {
      const { id } = thread.marker;
      return applied.has(thread)
        ? [...end(id, 'settled', { why: 'suggestion', by: '' }), ...accept(thread)]
        : end(id, 'outdated', { why: 'gone', by: '' });
    }),
    ...settled.flatMap(({ settlement: { how, by }, thread }) => [
      ...end(thread.marker.id, END_OF[how].how, { why: END_OF[how].why, by }),
      ...(how === 'fixed' ? accept(thread) : []),
    ]),
    ...back.flatMap(({ of }) => {
      const raised = raisedAs(of.id);
      return raised?.kind === 'finding' ? [{ ...raised, at: now }] : [];
    }),
  ];
}

const END_OF: Readonly<Record<SettleWay, Pick<Ended, 'how' | 'why'>>> = {
  fixed: { how: 'settled', why: 'fixed' },
  wrong: { how: 'withdrawn', why: 'wrong' },
  dismissed: { how: 'dismissed', why: 'words' },
};

const MAX_PATH = 200;

/** One line for each earlier finding that this review has to tell of, as markdown; empty where nothing happened to any. */
export function formatEarlier(
  { gone, applied, settled, back, open }: EarlierFindings,
  { commits, isTrusted, options }: RequestedReview,
): readonly string[] {
  const head = commits.head.slice(0, SHORT_SHA);
  const ended = isTrusted ? settled : [];
  const lines = [
    ...ended.map(({ settlement: { finding, how } }) => {
      const what = how === 'fixed' ? `settled by \`${head}\`` : how === 'wrong' ? 'taken back' : 'dismissed';
      return `- ✅ ${oneLine(finding.title, options.clean)} — ${what}`;
    }),
    ...gone.map((thread) => {
      const { marker, path } = thread;
      const title = oneLine(marker.title ?? cleanLine(path, MAX_PATH), options.clean);
      return `- ✅ ${title} — ${applied.has(thread) ? 'its suggestion was committed' : 'its line is gone'}`;
    }),
    ...back.map(({ of }) => `- ↩️ ${oneLine(of.title, options.clean)} — back since \`${head}\``),
  ];
  if (lines.length === 0) return [];
  const still = open.map(({ marker, path, first }) => {
    const title = oneLine(marker.title ?? cleanLine(path, MAX_PATH), options.clean);
    return `- ${severityMark(marker.severity ?? 'minor')} [${title.replace(/[[\]]/g, '')}](${first.url}) — still open`;
  });
  return [...lines, ...still];
}

/** What the review that asked for changes is held against. */
export interface StaleParts {
  readonly client: GitHubClient;
  readonly own: OwnFindings;
  readonly prepared: PreparedReview;
  readonly earlier: EarlierFindings;
  readonly texts: OldTexts;
}

/**
 * Takes back reviews of the agent that ask for changes, once a run that ended well does not, and no finding that is bad
 * enough is open any more, whatever way it ended. A model's word alone frees nothing where the change comes from outside.
 * An answer to a question takes nothing back, nor does the review of a commit that is no longer the newest.
 */
export async function dismissStale(
  wanted: RequestedReview,
  { client, own, prepared, earlier, texts }: StaleParts,
): Promise<void> {
  const { place, agent, commits, isComplete, reach, unseen, options, buffered } = wanted;
  const severities = [
    ...earlier.open.map(({ marker }) => marker.severity),
    ...texts.standing.map(({ severity }) => severity),
    ...earlier.back.map(({ of }) => of.severity),
    ...buffered.findings.map(({ finding }) => finding.severity),
  ];
  const isHeld = severities.some((severity) => isBlocking(severity, options.blockOn));
  const isNewest = own.head === commits.head;
  const isLookedAt = reach !== 'question' && unseen.length === 0;
  if (!isComplete || !isNewest || !isLookedAt || isHeld || prepared.verdict !== 'comment') return;
  const ids = own.reviews
    .filter(({ state, body }) => state === 'CHANGES_REQUESTED' && isOf(agent, body))
    .map(({ id }) => id);
  if (ids.length === 0) return;
  const stale = { ...place, ids, message: 'Nothing that this agent asked to change is open.' };
  const asked = await whileAsked((signal) => dismissReviews(client, stale, signal), REMEDY);
  const result = asked.kind === 'failed' ? asked : asked.answer;
  if (result.kind !== 'failed') return;
  const message = `a review that asks for changes was not dismissed: ${result.message}`;
  options.reporter.warn({ code: 'publish-failed', message, remedy: result.remedy });
}

function isOf(agent: string, body: string): boolean {
  return agentOf(parseReviewMarker(body)?.agent ?? '') === agentOf(agent);
}
