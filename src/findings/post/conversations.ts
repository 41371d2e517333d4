import { rightsOf } from '../../event/trust.js';
import { withGitHub } from '../../github/client/ask.js';
import type { GitHubClient } from '../../github/client/client.js';
import { GitHubError } from '../../github/client/errors.js';
import { replyInThread, setThreadResolved } from '../../github/posting/comments.js';
import { dismissReviews } from '../../github/posting/review.js';
import {
  commentsIn,
  isOwnLogin,
  type OwnReview,
  type Thread,
} from '../../github/reading/conversation.js';
import { count } from '../../lib/text/format.js';
import { isMarked, type Mark, readOwnMark } from '../../safety/mark.js';
import type { Ledger } from '../decide/ledger.js';
import { hasEnded, isBlocking } from '../finding.js';
import type { KnownFinding } from '../known-finding.js';
import { ownMarksIn } from '../read/peoples-words.js';
import { agentOfReviewer, type FindingMark, readReviewMark, replyMark } from '../state-facts.js';
import {
  CONVERSATION_STAYS_OPEN,
  endedMark,
  type ReviewToPost,
  reopenedMark,
  replyToClaimedEnd,
  replyToEnded,
  replyToReopened,
} from './finding-texts.js';

/** Something to be said in a conversation; cleaned markdown without its mark. */
export interface ThreadReply {
  readonly thread: Thread;
  readonly mark: Mark;
  readonly body: string;
}

/** What was changed, and what is to be said of it. */
interface Changed {
  /** Of earlier findings. */
  readonly marks: readonly FindingMark[];
  readonly replies: readonly ThreadReply[];
}

const REMEDY = 'Resolve them by hand; the findings themselves are reported correctly.';
const DISMISS =
  'Dismiss the review by hand; a protected branch may let only some people dismiss reviews.';

/**
 * Resolves the conversations of findings that have ended and opens those of findings that are open;
 * what is said of it has the outcome in its mark, so it is said afterwards.
 */
export async function updateConversations(
  client: GitHubClient,
  posting: ReviewToPost,
): Promise<Changed> {
  const { ledger, news, agent, head, word, answered } = posting;
  const at = posting.now.getTime();
  const marks: FindingMark[] = [];
  const replies: ThreadReply[] = [];
  const set = setter(client, posting);
  const say = (finding: KnownFinding, text: string, said: readonly FindingMark[]) => {
    const { thread } = finding;
    if (thread === undefined) return;
    const mark = replyMark({
      agent: agentOfReviewer(agent),
      marks: said,
      head,
      id: finding.id,
    });
    replies.push({ thread, mark, body: text });
  };
  for (const finding of news.back) {
    const { thread } = finding;
    const wasResolved = thread?.isResolved === true;
    const isOpened = thread === undefined || !wasResolved || (await set(thread, false));
    const mark = reopenedMark(finding, at, isOpened ? undefined : (thread.resolvedBy ?? ''));
    marks.push(mark);
    if (answered?.has(finding.id) !== true) say(finding, replyToReopened(finding, posting), [mark]);
  }
  for (const finding of hiddenFindings(ledger)) {
    const { thread } = finding;
    if (thread === undefined || news.back.some(({ id }) => id === finding.id)) continue;
    if (!(await set(thread, false))) continue;
    // Opened now: who resolves it from here on means it.
    marks.push(reopenedMark(finding, at));
  }
  for (const finding of news.ended) {
    const { thread } = finding;
    // On a fork only people decide; a finding of a rule has ended by no word at all.
    const isEndKnown = rightsOf(word).ends !== 'people' || finding.by === 'program';
    const mayClose = thread !== undefined && isEndKnown && finding.why !== 'resolved';
    const closed =
      thread?.isResolved === false
        ? mayClose && (await set(thread, true))
        : isResolvedByWriter(thread, ledger);
    const mark = endedMark(finding, at, closed);
    marks.push(mark);
    const text = answered?.has(finding.id) === true ? undefined : replyToEnded(finding, posting);
    if (text !== undefined)
      say(finding, closed || !mayClose ? text : `${text}\n\n${CONVERSATION_STAYS_OPEN}`, [mark]);
  }
  for (const settlement of news.claimed) {
    const why = ledger.whyPeopleDecide(settlement) ?? '';
    say(settlement.finding, replyToClaimedEnd(settlement, why, posting), []);
  }
  return { marks, replies };
}

/**
 * Whether a conversation is closed by somebody whose closing says something: a stranger who opened
 * the pull request can close every conversation on it.
 */
export function isResolvedByWriter(thread: Thread | undefined, { seen, context }: Ledger): boolean {
  if (thread?.isResolved !== true || seen === undefined) return false;
  const { resolvedBy = '' } = thread;
  return isOwnLogin(resolvedBy, seen) || context.isWriter(resolvedBy);
}

/** Changes conversations until the token turns out not to be allowed to. */
function setter(
  client: GitHubClient,
  { warn }: ReviewToPost,
): (thread: Thread, isResolved: boolean) => Promise<boolean> {
  let isAllowed = true;
  return async ({ id }, isResolved) => {
    if (!isAllowed) return false;
    const answer = await withGitHub(
      (signal) => setThreadResolved(client, { id, isResolved }, signal),
      REMEDY,
    );
    isAllowed = answer === true;
    if (typeof answer !== 'boolean') {
      const message = `conversations of findings were not changed: ${answer.message}`;
      warn({ code: 'publish-failed', message, remedy: answer.remedy });
    }
    return isAllowed;
  };
}

/**
 * Says what was changed, each in its conversation, and returns how many were said. Trouble is one
 * warning, and ends it.
 */
export async function postReplies(
  client: GitHubClient,
  { place, warn }: ReviewToPost,
  replies: readonly ThreadReply[],
): Promise<number> {
  let said = 0;
  for (const [index, { thread, mark, body }] of replies.entries()) {
    // A run that was killed may have said it.
    // Where people deleted the first comment, GitHub shows the next one in its place.
    const posts = [thread.first, ...thread.replies];
    if (posts.some(({ isOurs, body: before }) => isOurs && isMarked(before, mark))) continue;
    const reply = { ...place, commentId: thread.first.id, firstId: thread.first.id, mark, body };
    const result = await withGitHub((signal) => replyInThread(client, reply, signal), REMEDY);
    if (result instanceof GitHubError) {
      const message = `${count(replies.length - index, 'answer')} in conversations of findings could not be posted: ${result.message}`;
      warn({ code: 'publish-failed', message, remedy: result.remedy });
      return said;
    }
    said += 1;
  }
  return said;
}

/** The reviews of an agent that were sent. */
export function submittedReviewsOf({ seen }: Ledger, agent: string): readonly OwnReview[] {
  return (seen?.reviews ?? []).filter(
    ({ state, body }) =>
      state !== 'PENDING' &&
      agentOfReviewer(readReviewMark(body)?.agent ?? '') === agentOfReviewer(agent),
  );
}

/** Whether a review of the agent asks for changes. */
function isRequesting(ledger: Ledger, agent: string): boolean {
  return submittedReviewsOf(ledger, agent).some(({ state }) => state === 'CHANGES_REQUESTED');
}

/** Also by a comment: GitHub takes no request for changes on the agent's own pull request. */
function hasAsked(ledger: Ledger, agent: string): boolean {
  const isAskingComment = ({ state, body }: OwnReview) =>
    state === 'COMMENTED' && readOwnMark(body)['asks'] === true;
  return isRequesting(ledger, agent) || submittedReviewsOf(ledger, agent).some(isAskingComment);
}

/**
 * The check of a run without news: it fails while a review asks for changes, or one has asked and a
 * blocking finding is open. If reviews could not be read, open findings decide.
 */
export function reviewEndOf(asked: Pick<ReviewToPost, 'ledger' | 'agent' | 'blockOn'>) {
  const { ledger, agent } = asked;
  // Also one that was withdrawn: what it asked for may be open again.
  const hasReview = submittedReviewsOf(ledger, agent).some(
    ({ body }) => readOwnMark(body)['asks'] === true,
  );
  const wasAsked = hasReview || ledger.seen === undefined;
  const isFailing = isRequesting(ledger, agent) || (wasAsked && requestsChanges(asked));
  return { open: ledger.open, isBlocking: isFailing, unposted: [] };
}

/** Open findings whose conversation somebody closed who cannot end them. */
function hiddenFindings(ledger: Ledger): readonly KnownFinding[] {
  return ledger.open.filter(({ thread }) => thread?.isResolved === true);
}

/**
 * Whether the agent's findings ask for changes: one is open that is bad enough. A person who
 * dismissed its review has decided about those of then.
 */
export function requestsChanges({
  ledger,
  agent,
  blockOn,
}: Pick<ReviewToPost, 'ledger' | 'agent' | 'blockOn'>): boolean {
  if (blockOn === undefined) return false;
  const overruled = submittedReviewsOf(ledger, agent)
    .filter(({ state, isOverruled }) => state === 'DISMISSED' && isOverruled === true)
    .map(({ submittedAt = '' }) => Date.parse(submittedAt))
    .filter((at) => !Number.isNaN(at));
  const overruledAt = Math.max(0, ...overruled);
  return ledger.open.some(
    (one) => isBlocking(one, blockOn) && (!one.isTold || one.raisedAt > overruledAt),
  );
}

/**
 * Findings ask for changes, and no review of the agent does. Of a change that is not known nobody
 * can say that.
 */
export function mustRequestChanges(posting: ReviewToPost): boolean {
  const { ledger, agent } = posting;
  return ledger.context.lines !== undefined && requestsChanges(posting) && !hasAsked(ledger, agent);
}

/**
 * Whether something became of findings that nobody was told of, or a review of the agent does not
 * say any more what is open.
 */
export function hasUnreportedChanges(posting: ReviewToPost): boolean {
  const { ledger, news, agent } = posting;
  if (ledger.seen === undefined) return false;
  const told = [news.ended, news.back, news.claimed, hiddenFindings(ledger)];
  const isStale = requestsChanges(posting) ? !hasAsked(ledger, agent) : isRequesting(ledger, agent);
  return told.some(({ length }) => length > 0) || isStale;
}

/**
 * Takes back the reviews of the agent that ask for changes, once no finding is open that does;
 * whether one blocks still. Trouble is a warning.
 */
export async function withdrawChangeRequests(
  client: GitHubClient,
  posting: ReviewToPost,
): Promise<boolean> {
  const { ledger, place, agent, head, warn } = posting;
  const requests = submittedReviewsOf(ledger, agent).filter(
    ({ state }) => state === 'CHANGES_REQUESTED',
  );
  if (requests.length === 0) return false;
  // Findings were held against another commit than the newest: the run on that one decides.
  if (requestsChanges(posting) || ledger.seen?.head !== head) return true;
  const ids = requests.map(({ id }) => id);
  const why = 'Nothing that this agent asked to change is open.';
  const result = await withGitHub(
    (signal) => dismissReviews(client, { ...place, ids, message: why }, signal),
    DISMISS,
  );
  if (!(result instanceof GitHubError)) return false;
  const message = `a review that asks for changes was not dismissed: ${result.message}`;
  warn({ code: 'publish-failed', message, remedy: result.remedy });
  return true;
}

/**
 * What is kept of the findings of a pull request besides the marks of this run: where they stand,
 * which GitHub tells only once they are there; and where memory knows nothing of the pull request,
 * what its texts say.
 */
export function locationMarks({ ledger, now }: ReviewToPost): readonly FindingMark[] {
  const { findings, context } = ledger;
  const kept = (context.memory?.marks ?? []).filter((mark) => mark.kind === 'raised');
  return findings.flatMap((finding): readonly FindingMark[] => {
    const { first, said, thread, severity, path, line, key, isTold } = finding;
    if (first === undefined) return [];
    const known = kept.findLast(({ id }) => id === first.id);
    const isBound =
      said === undefined || (known?.thread === said.thread && known.comment === said.comment);
    if (known !== undefined && isBound) return [];
    const raised = {
      ...(known ?? { ...first, severity, path, line, code: key }),
      thread: said?.thread,
      comment: said?.comment,
    };
    const isEnded = known === undefined && isTold && hasEnded(finding);
    const at = now.getTime();
    return isEnded
      ? [raised, endedMark(finding, at, isResolvedByWriter(thread, ledger))]
      : [raised];
  });
}

/**
 * Ids of our texts, where memory knows of none: what was believed while reading is believed from
 * now on.
 */
export function adoptedCommentIds({ seen, context: { memory } }: Ledger): readonly number[] {
  if (memory !== undefined || seen === undefined) return [];
  return [...commentsIn(seen).filter((post) => ownMarksIn(post).length > 0), ...seen.reviews].map(
    ({ id }) => id,
  );
}
