import { readDiffLines } from '../axe/review/diff-lines.js';
import { parseReviewMarker } from '../axe/review/markers.js';
import { isGone } from '../axe/review/outdated.js';
import type { PreparedReview } from '../axe/review/prepare-review.js';
import type { GitHubClient } from '../github/client.js';
import { dismissReviews } from '../github/dismiss-review.js';
import { markOutdated } from '../github/mark-outdated.js';
import type { OwnFindings, OwnOpenThread } from './known-findings.js';
import type { WantedReview } from './wanted.js';
import { whileAsked } from './while-asked.js';

/** What a new review is held against. */
export interface OldReviews {
  readonly client: GitHubClient;
  readonly own: OwnFindings;
  readonly prepared: PreparedReview;
}

/** A run marks no more comments: each takes a request. */
const MAX_MARKED = 30;

/**
 * Our comments whose lines are gone from the change, and which nobody has answered. One that the run raises again is not
 * settled.
 */
export function goneThreads(
  { commits }: WantedReview,
  { own, prepared }: Pick<OldReviews, 'own' | 'prepared'>,
): readonly OwnOpenThread[] {
  if (!own.threads.some(({ isOutdated }) => isOutdated)) return [];
  const lines = readDiffLines(commits.diff);
  const again = new Set(prepared.alreadyOpen.map(({ fingerprint }) => fingerprint));
  return own.threads.filter(
    (thread) => !again.has(thread.fingerprint) && !isAnswered(thread) && isGone(thread, lines),
  );
}

function isAnswered({ replies, repliesTotal }: OwnOpenThread): boolean {
  return repliesTotal > replies.length || replies.some(({ isOurs }) => !isOurs);
}

/** Marks comments whose lines are gone, and says how many; empty for none. Trouble is a warning. */
export async function markGone(
  threads: readonly OwnOpenThread[],
  client: GitHubClient,
  { place, commits, options }: WantedReview,
): Promise<string> {
  if (threads.length === 0) return '';
  const some = threads.slice(0, MAX_MARKED);
  const outdated = { repository: place.repository, threads: some, head: commits.head };
  const asked = await whileAsked((signal) => markOutdated(client, outdated, signal), REMEDY);
  const result = asked.kind === 'failed' ? asked : asked.answer;
  const comments = `${some.length} ${some.length === 1 ? 'comment' : 'comments'}`;
  if (result.kind === 'marked') return `Marked ${comments} as outdated.`;
  const message = `${comments} on lines that are gone could not all be marked as outdated: ${result.message}. ${result.remedy}`;
  options.reporter.warn({ code: 'publish-failed', message });
  return '';
}

const REMEDY = 'Resolve them by hand.';

/**
 * Takes back reviews of the agent that ask for changes, once another one of a run that ended well does not, and, where it
 * looked at what is new only, nothing is open any more. An answer to a question takes nothing back.
 */
export async function dismissStale(
  wanted: WantedReview,
  { client, own, prepared }: OldReviews,
  gone: readonly OwnOpenThread[],
): Promise<void> {
  const { buffered, place, agent, isComplete, reach, options } = wanted;
  const isSettled = reach === 'whole' || (reach === 'part' && own.open.length <= gone.length);
  const isClear = isComplete && buffered.review !== undefined && prepared.verdict === 'comment';
  if (!isClear || !isSettled) return;
  const ids = own.reviews
    .filter(({ state, body }) => state === 'CHANGES_REQUESTED' && isOf(agent, body))
    .map(({ id }) => id);
  if (ids.length === 0) return;
  const stale = { ...place, ids, message: 'The newest review of this agent asks for no changes.' };
  const asked = await whileAsked((signal) => dismissReviews(client, stale, signal), REMEDY);
  const result = asked.kind === 'failed' ? asked : asked.answer;
  if (result.kind !== 'failed') return;
  const message = `a review that asks for changes was not dismissed: ${result.message}. ${result.remedy}`;
  options.reporter.warn({ code: 'publish-failed', message });
}

/** A review that was asked for in a comment bears the comment's number behind the agent's name. */
function isOf(agent: string, body: string): boolean {
  const name = withoutComment(agent);
  return withoutComment(parseReviewMarker(body)?.agent ?? '') === name;
}

function withoutComment(agent: string): string {
  return agent.replace(/\/reply-\d+$/, '');
}
