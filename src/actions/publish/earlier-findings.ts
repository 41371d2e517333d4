import type { GitHubClient } from '../../adapters/github/client/client.js';
import { dismissReviews } from '../../adapters/github/posting/dismiss-review.js';
import { changeThreads, type ThreadChange } from '../../adapters/github/posting/end-threads.js';
import { count } from '../../core/text/number.js';
import { titleLine } from '../../review/comment-text.js';
import type { EarlierFindings, SettledThread } from '../../review/earlier.js';
import { agentOf, type EndMark, outdatedNote, parseReviewMarker } from '../../review/markers.js';
import type { PreparedReview } from '../../review/prepare-review.js';
import { isBlocking } from '../../review/verdict.js';
import type { OldTexts } from './close-texts.js';
import type { OwnFindings, OwnOpenThread } from './known-findings.js';
import type { RequestedReview } from './requested.js';
import { withGitHub } from './with-github.js';

const SHORT_SHA = 7;

/** Carries out what was decided, and says it in a sentence; empty for nothing. Trouble is a warning. */
export async function endEarlier(
  { removed, settled, claimed, back }: EarlierFindings<OwnOpenThread>,
  client: GitHubClient,
  { place, commits, lane, options }: RequestedReview,
): Promise<string> {
  const changes = [
    ...removed.map((thread) => ({
      id: thread.id,
      first: thread.first,
      to: 'resolve' as const,
      mark: 'outdated' as const,
      note: outdatedNote(commits.head),
      reply: '',
      replied: [],
    })),
    ...settled.map((one) => settledChange(one, { commits, options })),
    ...claimed.map((one) => claimedChange(one, { commits, options })),
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
  const response = await withGitHub(
    (signal) => changeThreads(client, { ...place, changes, head: commits.head, lane }, signal),
    REMEDY,
  );
  const result = response.kind === 'failed' ? response : response.answer;
  if (result.kind === 'changed') {
    return [
      removed.length === 0 ? '' : `Marked ${count(removed.length, 'comment')} as outdated.`,
      settled.length === 0 ? '' : `Settled ${count(settled.length, 'earlier finding')}.`,
      claimed.length === 0 ? '' : `Left ${count(claimed.length, 'earlier finding')} for a person to settle.`,
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

type SettledOwn = SettledThread<OwnOpenThread>;

function settledChange(
  { settlement: { how, reason, by }, thread: { id, first, replies } }: SettledOwn,
  { commits, options }: Pick<RequestedReview, 'commits' | 'options'>,
): ThreadChange {
  const said = titleLine(reason, options.clean);
  const head = commits.head.slice(0, SHORT_SHA);
  const opening = {
    fixed: `Settled by ${head}: ${said}`,
    wrong: `I take this back: ${said}`,
    dismissed: `Not raised again on this pull request, as ${by === '' ? 'was said here' : `\`${by}\` said`}: ${said}`,
  }[how];
  const mark: EndMark = how === 'wrong' ? 'withdrawn' : 'settled';
  return {
    id,
    first,
    to: 'resolve',
    mark,
    note: how === 'wrong' ? 'Taken back.' : `Settled as of ${head}.`,
    reply: opening,
    replied: replies.flatMap(({ isOurs, body }) => (isOurs ? [body] : [])),
  };
}

/** The same where the model may only say it. */
function claimedChange(
  claimed: SettledOwn,
  parts: Pick<RequestedReview, 'commits' | 'options'>,
): ThreadChange {
  const change = settledChange(claimed, parts);
  const stays = 'A person with write access has to resolve it: the change comes from outside.';
  return { ...change, to: 'leave', reply: `${change.reply}\n\n${stays}` };
}

/** What the review that asked for changes is held against. */
interface StaleParts {
  readonly client: GitHubClient;
  readonly own: OwnFindings;
  readonly prepared: PreparedReview;
  readonly earlier: EarlierFindings<OwnOpenThread>;
  readonly texts: OldTexts;
}

/**
 * Takes back reviews of the agent that ask for changes, once a run that ended well does not, and no finding that is bad
 * enough is open any more, whatever way it ended. A model's word alone frees nothing where the change comes from outside.
 * An answer to a question takes nothing back, nor does the review of a commit that is no longer the newest.
 */
export async function dismissStale(
  requested: RequestedReview,
  { client, own, prepared, earlier, texts }: StaleParts,
): Promise<void> {
  const { place, agent, commits, isComplete, reach, unseen, options, buffered } = requested;
  const severities = [
    ...earlier.open.map(({ marker }) => marker.severity),
    ...texts.stillOpen.map(({ severity }) => severity),
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
  const response = await withGitHub((signal) => dismissReviews(client, stale, signal), REMEDY);
  const result = response.kind === 'failed' ? response : response.answer;
  if (result.kind !== 'failed') return;
  const message = `a review that asks for changes was not dismissed: ${result.message}`;
  options.reporter.warn({ code: 'publish-failed', message, remedy: result.remedy });
}

function isOf(agent: string, body: string): boolean {
  return agentOf(parseReviewMarker(body)?.agent ?? '') === agentOf(agent);
}
