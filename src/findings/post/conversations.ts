import { rightsOf } from '../../event/trust.js';
import { withGitHub } from '../../github/client/ask.js';
import type { GitHubClient } from '../../github/client/client.js';
import { GitHubError } from '../../github/client/errors.js';
import { replyInThread, setThreadResolved } from '../../github/posting/comments.js';
import { dismissReviews, editReview } from '../../github/posting/review.js';
import { commentsIn, type OwnReview, type Thread } from '../../github/reading/conversation.js';
import { count } from '../../lib/text/format.js';
import { formatMark, isMarked, type Mark, readOwnMark } from '../../safety/mark.js';
import { countHolding } from '../check-rows.js';
import type { Ledger } from '../decide/ledger.js';
import { isBlocking } from '../finding.js';
import {
  copyOfRecord,
  factsOfRecord,
  type KeptFact,
  type PullRecord,
  readCopy,
} from '../kept-finding.js';
import { isTold, type KnownFinding } from '../known-finding.js';
import { agentOfReviewer, submittedReviewsOf } from '../state-facts.js';
import {
  CONVERSATION_STAYS_OPEN,
  type ReviewToPost,
  replyToClaimedEnd,
  replyToEnded,
  replyToReopened,
} from './finding-texts.js';

/** A reply for a conversation; cleaned markdown without its mark. */
interface ThreadReply {
  readonly thread: Thread;
  readonly mark: Mark;
  readonly body: string;
}

const REMEDY = 'Resolve them by hand; the findings themselves are reported correctly.';
const DISMISS =
  'Dismiss the review by hand; a protected branch may let only some people dismiss reviews.';

/**
 * Resolves the conversations of findings that have ended and opens those of findings that are open,
 * and notes in the ledger what was done. Returns the findings whose conversation was changed.
 */
export async function turnConversations(
  client: GitHubClient,
  posting: ReviewToPost,
): Promise<readonly KnownFinding[]> {
  const { ledger, news } = posting;
  const set = setter(client, posting);
  const turned: KnownFinding[] = [];
  for (const finding of [...news.back, ...hiddenFindings(ledger)])
    if (finding.thread?.isResolved === true && (await set(finding, false))) turned.push(finding);
  for (const finding of news.ended)
    if (isLeftOpen(finding, posting) && (await set(finding, true))) turned.push(finding);
  return turned;
}

/**
 * Turns conversations back to what they were: the record that says who turned them was not saved,
 * and the next reading would take it for a person's gesture.
 */
export async function turnBack(
  client: GitHubClient,
  posting: ReviewToPost,
  turned: readonly KnownFinding[],
): Promise<void> {
  const set = setter(client, posting);
  for (const finding of turned) await set(finding, finding.thread?.isResolved === true);
}

/** The conversation of a finding that has ended is open, and the run is one to resolve it. */
function isLeftOpen(finding: KnownFinding, posting: ReviewToPost): boolean {
  return finding.thread?.isResolved === false && canClose(finding, posting);
}

/** The texts for conversations: decisions first, then ends that people decide about. */
export function repliesTo(posting: ReviewToPost): readonly ThreadReply[] {
  const { ledger, news, answered } = posting;
  const reply = (
    finding: KnownFinding,
    body: string | undefined,
    mark = revMark(finding, posting),
  ): readonly ThreadReply[] => {
    const { thread } = finding;
    const isAnswered = answered?.has(finding.id) === true;
    return thread === undefined || body === undefined || isAnswered ? [] : [{ thread, mark, body }];
  };

  const back = news.back.flatMap((finding) => reply(finding, replyToReopened(finding, posting)));
  const ended = news.ended.flatMap((finding) => {
    const text = replyToEnded(finding, posting);
    const isResolved = ledger.byId(finding.id)?.saw.resolvedBy !== undefined;
    const note =
      isLeftOpen(finding, posting) && !isResolved ? `\n\n${CONVERSATION_STAYS_OPEN}` : '';
    return reply(finding, text === undefined ? undefined : `${text}${note}`);
  });
  const claimed = news.claimed.flatMap((settlement) => {
    const text = replyToClaimedEnd(settlement, ledger.whyPeopleDecide(settlement) ?? '', posting);
    return reply(settlement.finding, text, claimMark(settlement.finding, posting));
  });
  return [...back, ...ended, ...claimed];
}

/** On a fork only people decide; a finding of a rule has ended by no word at all. */
function canClose({ by, why }: KnownFinding, { word }: ReviewToPost): boolean {
  return (rightsOf(word).ends !== 'people' || by === 'program') && why !== 'resolved';
}

/** The hidden line of a text that says what was decided of a finding. */
export function revMark(
  { id, rev }: Pick<KnownFinding, 'id' | 'rev'>,
  { agent }: Pick<ReviewToPost, 'agent'>,
  kind: 'finding' | 'reply' = 'reply',
): Mark {
  return { kind, agent: agentOfReviewer(agent), id, rev };
}

/** Said once for each commit: it decides nothing. */
function claimMark({ id }: KnownFinding, { agent, head }: ReviewToPost): Mark {
  return { kind: 'claim', agent: agentOfReviewer(agent), id, head };
}

/**
 * Changes conversations until the token turns out not to be allowed to. What was changed is noted in
 * the ledger, so that a later difference is a person's gesture.
 */
function setter(
  client: GitHubClient,
  { ledger, warn }: ReviewToPost,
): (finding: KnownFinding, isResolved: boolean) => Promise<boolean> {
  let isAllowed = true;
  return async ({ id, thread }, isResolved) => {
    if (!isAllowed || thread === undefined || thread.canTurn === false) return false;
    const change = { id: thread.id, isResolved };
    const answer = await withGitHub((signal) => setThreadResolved(client, change, signal), REMEDY);
    isAllowed = answer === true;
    if (isAllowed) ledger.noteResolved(id, isResolved ? ownLogin(ledger) : undefined);
    if (typeof answer !== 'boolean') {
      const message = `conversations of findings were not changed: ${answer.message}`;
      warn({ code: 'publish-failed', message, remedy: answer.remedy });
    }
    return isAllowed;
  };
}

/** The account that writes our texts. */
function ownLogin({ seen }: Ledger): string | undefined {
  const comments = seen === undefined ? [] : commentsIn(seen);
  return comments.find(({ isOurs }) => isOurs)?.author.login;
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
  let postedCount = 0;
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
      return postedCount;
    }
    postedCount += 1;
  }
  return postedCount;
}

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
export function reviewEndOf(posting: Pick<ReviewToPost, 'ledger' | 'agent' | 'blockOn'>) {
  const { ledger, agent } = posting;
  // Also one that was withdrawn: what it asked for may be open again.
  const hasReview = submittedReviewsOf(ledger, agent).some(
    ({ body }) => readOwnMark(body)['asks'] === true,
  );
  const wasAsked = hasReview || ledger.seen === undefined;
  const isFailing = isRequesting(ledger, agent) || (wasAsked && requestsChanges(posting));
  const holdingChecks = countHolding(ledger.checks);
  return { open: ledger.open, isBlocking: isFailing, holdingChecks, unposted: [] };
}

/** Open findings whose conversation somebody closed who cannot end them. */
function hiddenFindings(ledger: Ledger): readonly KnownFinding[] {
  return ledger.open.filter(({ thread }) => thread?.isResolved === true);
}

/**
 * A review requests changes while a finding is open that is bad enough. A person who dismissed such
 * a review has overruled the findings of that time.
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
    .filter((time) => !Number.isNaN(time));
  const overruledAt = Math.max(0, ...overruled);
  return ledger.open.some(
    (finding) =>
      isBlocking(finding, blockOn) && (!isTold(finding) || finding.decided > overruledAt),
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
 * Findings have changed and no text says so yet, or the agent's review no longer matches the open
 * findings.
 */
export function hasUnreportedChanges(posting: ReviewToPost): boolean {
  const { ledger, news, agent } = posting;
  if (ledger.seen === undefined) return false;
  const changes = [news.fresh, news.ended, news.back, news.claimed, hiddenFindings(ledger)];
  const isStale = requestsChanges(posting) ? !hasAsked(ledger, agent) : isRequesting(ledger, agent);
  return changes.some(({ length }) => length > 0) || isStale;
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
  if (isPartlyKnown(posting) || posting.isUnread === true) return true;
  const ids = requests.map(({ id }) => id);
  const reason = 'Nothing that this agent asked to change is open.';
  const result = await withGitHub(
    (signal) => dismissReviews(client, { ...place, ids, message: reason }, signal),
    DISMISS,
  );
  if (!(result instanceof GitHubError)) return false;
  const message = `a review that asks for changes was not dismissed: ${result.message}`;
  warn({ code: 'publish-failed', message, remedy: result.remedy });
  return true;
}

/** More can be open than is known, and this run has not read the whole change, which finds it again. */
export function isPartlyKnown({ ledger, extent }: ReviewToPost): boolean {
  return ledger.isCut && extent !== 'whole';
}

/** The record of a posting's findings. */
export function recordToKeep(posting: ReviewToPost): PullRecord {
  const { ledger, place, head, word, now, model, clean } = posting;
  const record = ledger.record({ pull: place.number, head, word, now, model, clean });
  return { ...record, isCut: isPartlyKnown(posting) || undefined };
}

/** The lines of state that keep the findings of a posting; none for a run that keeps no state. */
export function factsToKeep(posting: ReviewToPost): readonly KeptFact[] {
  const { place, now, ledger } = posting;
  if (ledger.context.keepsState === false) return [];
  const parts = { pull: place.number, now, before: ledger.context.record };
  return factsOfRecord(recordToKeep(posting), parts);
}

/**
 * Without a state for the pull request, the newest review of the agent holds the record: brings its
 * copy up to date, and returns whether it had to. Trouble is a warning.
 */
export async function updateCopy(client: GitHubClient, posting: ReviewToPost): Promise<boolean> {
  const { ledger, agent, place, warn } = posting;
  const newest = submittedReviewsOf(ledger, agent).at(-1);
  const { keepsState, record: stored } = ledger.context;
  // A state that should know the pull request, and does not, can be one that nobody can save.
  const isInState = keepsState === true && stored !== undefined;
  if (isInState || newest === undefined) return false;

  const record = copyOfRecord(recordToKeep(posting));
  const copy = readCopy(newest.body);
  if (copy === undefined || JSON.stringify(copy) === JSON.stringify(record)) return false;
  const [, ...text] = newest.body.split('\n');
  const mark = { ...readOwnMark(newest.body), record } as unknown as Mark;
  const body = [formatMark(mark), ...text].join('\n');
  const result = await withGitHub(
    (signal) => editReview(client, { ...place, id: newest.id, body }, signal),
    KEEP_STATE,
  );
  if (!(result instanceof GitHubError)) return true;
  const message = `what became of findings could not be kept in the review: ${result.message}`;
  warn({ code: 'publish-failed', message, remedy: result.remedy });
  return true;
}

const KEEP_STATE = 'Give the agent a memory, which keeps it too.';
