import { type Repository, subjectNumber, type Trigger } from '../event/trigger.js';
import type { Word } from '../event/trust.js';
import { isQuestion } from '../findings/change/scope.js';
import { formatSaid, type SaidRev } from '../findings/kept-finding.js';
import { composeComment } from '../findings/post/comment-text.js';
import type { PostedReview } from '../findings/post/post-review.js';
import { NO_TOKEN, withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { publishCheckRun } from '../github/posting/check-run.js';
import { findOrCreateIssue } from '../github/posting/issues.js';
import { type Posted, updateOf } from '../github/posting/posted.js';
import { CancelledError, warningText } from '../lib/errors.js';
import { cameToNothing } from '../lib/outcome.js';
import { paragraphs } from '../lib/text/format.js';
import type { Publisher, PublishRequest, Reporter } from '../run/dependencies.js';
import { cleanFor } from '../run/outbound.js';
import type { Plan, PublicationResult } from '../run/records.js';
import { publishedLine } from '../run/views/published.js';
import type { Mark } from '../safety/mark.js';
import { sanitize } from '../safety/sanitize.js';
import {
  type ActionPublisherOptions,
  ALL_AGENTS,
  commentKey,
  commentTarget,
  isOnLine,
  postComment,
  type Target,
  targetOf,
} from './answer.js';
import { publishChange } from './publish-change.js';
import {
  publishRequested,
  refusedOf,
  reportFindings,
  reportOnOtherPulls,
  reviewResultOf,
  turnFindings,
} from './publish-findings.js';
import { changeNote } from './views/change.js';
import { checkOf, REFUSED } from './views/check.js';
import {
  answerText,
  footer,
  replySignature,
  reportTitle,
  signature,
  writtenBy,
} from './views/comment.js';

const FAILURES = {
  comment: 'no comment was written',
  issue: 'the issue was not written',
} as const;

const REMEDIES = {
  report: 'The report is in the job summary.',
  comment: 'The answer is in the job summary; check that the issue or pull request is not locked.',
  check: 'The result is in the job summary.',
} as const;

const NOTHING: PublicationResult = { posts: [] };

/** The action's publisher, which also answers for a run that failed. */
interface ActionPublisher extends Publisher {
  /** Tells the sender of a comment in one line why it has no answer. */
  answerFailure(failure: {
    readonly trigger: Trigger;
    readonly agent: string;
    readonly line: string;
  }): Promise<void>;
}

/**
 * Posts the answer as a comment where one is wanted. Summary and outputs are written when the run
 * is over.
 */
export function createActionPublisher(initial: ActionPublisherOptions): ActionPublisher {
  const ids: number[] = [];
  let onPosted: PublishRequest['onPosted'] = () => undefined;
  const client =
    initial.client &&
    notePosted(initial.client, ({ id, ...written }) => {
      ids.push(id);
      onPosted(id);
      initial.reporter.event({ kind: 'posted', ...written });
    });
  const options = { ...initial, client };
  return {
    async publish(run) {
      onPosted = (id) => run.onPosted(id);
      const published = await publishAll(run, options);
      return { ...published, posted: ids };
    },
    turn: (findings) => turnFindings(findings, options),
    tellFindings: (changes) => reportFindings(changes, options),
    async reply({ trigger, agent, text, among, says }) {
      const target = commentTarget(trigger, options.comment);
      if (target === undefined) return NOTHING;
      const by = replySignature(agent);
      // A reply in a thread is never brought up to date.
      const isShared = among === 'unless-answered' || (among === 'for-all' && !isOnLine(trigger));
      const key = commentKey(isShared ? ALL_AGENTS : (agent ?? ALL_AGENTS), target);
      const isOnce = among === 'unless-answered';
      // It quotes memory, which holds words of people without write access too.
      return await post(trigger, { target, key, word: 'guest', text, by, isOnce, says }, options);
    },
    async answerFailure({ trigger, agent, line: text }) {
      const target = commentTarget(trigger, options.comment);
      if (target === undefined || trigger.kind !== 'comment') return;
      // An answer in a thread is never replaced, so that of a second attempt must have a key of its
      // own.
      const key = isOnLine(trigger)
        ? `${commentKey(agent, target)}/failure`
        : commentKey(agent, target);
      const by = writtenBy(agent);
      // The answer of an earlier attempt stays; a later one takes the place of this line.
      await post(trigger, { target, key, word: 'guest', text, by, isOnce: true }, options);
    },
  };
}

/**
 * A client that notes the ids of the comments and reviews it writes. Every workflow of a repository
 * posts under one account, so nothing else says to later runs which texts are ours. A note added to
 * an existing comment says nothing.
 */
function notePosted(client: GitHubClient, onWritten: (text: OwnText) => void): GitHubClient {
  return {
    graphql: (query, options) => client.graphql(query, options),
    download: (route, options) => client.download(route, options),
    async request(route, options) {
      const response = await client.request(route, options);
      const { id, html_url: url } = (response.body ?? {}) as Readonly<Record<string, unknown>>;
      if (WRITES.test(route) && typeof id === 'number')
        onWritten({
          id,
          url: typeof url === 'string' ? url : undefined,
          isReview: route.endsWith('/reviews'),
        });
      return response;
    },
  };
}

interface OwnText {
  readonly id: number;
  readonly url: string | undefined;
  readonly isReview: boolean;
}

const WRITES =
  /^POST .*\/(?:comments|replies|reviews)$|^PATCH .*\/issues\/comments\/\{comment_id\}$/;

/** Posts what the tools of a run collected, then its answer: one line for both. */
async function publishAll(
  end: PublishRequest,
  options: ActionPublisherOptions,
): Promise<PublicationResult> {
  const tell = (part: Partial<PublicationResult>) => {
    if (publishedLine(part) !== '' || part.url !== undefined)
      options.reporter.event({
        kind: 'published',
        posts: part.posts ?? [],
        counts: part.counts,
        url: part.url,
      });
  };
  const requested = await publishRequested(end, options);
  tell(requested);
  await reportOnOtherPulls(end, options);
  const check = await publishCheck(end, requested, options);
  const change = await publishChange(end, options);
  tell(change);
  const comment = await postAnswer(end, requested, change, options);
  tell(comment);
  const { counts } = requested;
  const posts = [requested, check, change, comment].flatMap((part) => part.posts ?? []);
  const url = requested.url ?? comment.url;
  const isPublished =
    publishedLine({ posts, counts }) !== '' || url !== undefined || check.checkUrl !== undefined;
  return {
    posts,
    counts,
    url,
    pullRequestUrl: change.url,
    checkUrl: check.checkUrl || undefined,
    unposted: requested.unposted,
    refused: refusedOf(end),
    unplacedCommit: comment.unplacedCommit,
    change: change.change,
    reviewResult: reviewResultOf(end, requested, options),
    // A review or a pull request that is not there is always a failure; any other publication only
    // if nothing was published.
    failure:
      change.failure ??
      (requested.isUnposted === true ? requested.failure : undefined) ??
      (isPublished ? undefined : (requested.failure ?? check.failure ?? comment.failure)),
  };
}

/** Posts the answer of a run where it belongs. */
async function postAnswer(
  end: PublishRequest,
  published: PostedReview,
  change: Pick<PublicationResult, 'posts' | 'change'>,
  options: ActionPublisherOptions,
): Promise<PublicationResult> {
  const { plan, word } = end;
  const { trigger, agent } = plan;
  const note = changeNote(change, !cameToNothing(end.outcome));
  const text = paragraphs([answerText(end, cleanFor(word, options)), note]);
  if (text.trim() === '') return NOTHING;
  const isSaid = options.comment !== 'always' && isAnswer(published, trigger);
  const target = isSaid ? undefined : targetOf(plan, options.comment);
  if (target !== undefined) {
    const key = commentKey(agent.name, target);
    return await post(trigger, { target, key, word, text, by: signature(end) }, options);
  }
  const unplacedCommit = commitWithoutPull(plan, options);
  const { reportTo } = options;
  if (reportTo === '' || trigger.kind === 'local' || subjectNumber(trigger) !== undefined)
    return { ...NOTHING, unplacedCommit };
  return await postReport(trigger.repository, { agent: agent.name, text, word }, options);
}

interface Report {
  readonly agent: string;
  readonly text: string;
  readonly word: Word;
}

/**
 * Puts the answer into the issue of this agent in this workflow, or opens one. The body is
 * replaced, so a run that is repeated changes nothing but the time. Trouble is a warning.
 */
async function postReport(
  repository: Repository,
  { agent, text, word }: Report,
  options: ActionPublisherOptions,
): Promise<PublicationResult> {
  const { client, reporter, secrets, workflow } = options;
  if (client === undefined) return unposted(FAILURES.issue, NO_TOKEN, undefined, reporter);
  const mark: Mark = { kind: 'report', agent, workflow };
  const body = composeComment({
    mark,
    text: cleanFor(word, options)(text),
    footer: footer(writtenBy(agent), options),
  });
  const title = sanitize(reportTitle(agent), 'title', secrets);
  const result = await withGitHub(
    (signal) => findOrCreateIssue(client, { repository, mark, title, body, labels: [] }, signal),
    REMEDIES.report,
  );
  if (result instanceof GitHubError)
    return unposted(FAILURES.issue, result.message, result.remedy, reporter);
  const { number, url, created } = result;
  const posts: readonly Posted[] = [{ kind: 'report', number, url, ...updateOf(created) }];
  return { url, posts };
}

/**
 * The review is the whole answer. A question is answered at its own place, even if a review was
 * posted; a person who asks for a review has it once it is there.
 */
function isAnswer({ isReview, url }: PostedReview, trigger: Trigger): boolean {
  if (trigger.kind !== 'comment') return isReview;
  return isReview && url !== undefined && !isQuestion(trigger);
}

/** If another workflow's run has no pull request, people look for the answer in vain. */
function commitWithoutPull(
  { trigger, reportsOn }: Plan,
  { comment, reportTo }: ActionPublisherOptions,
): string | undefined {
  if (trigger.kind !== 'workflow_run' || reportsOn !== undefined) return undefined;
  if (comment === 'never' || reportTo !== '') return undefined;
  return trigger.headSha;
}

interface Comment {
  readonly target: Target;
  /** By which it is found again. */
  readonly key: string;
  readonly word: Word;
  readonly text: string;
  /** The author, in markdown. */
  readonly by: string;
  /** It is left out where it, or another one of the same key, is there. */
  readonly isOnce?: boolean;
  /** The decisions on findings that it reports. */
  readonly says?: readonly SaidRev[];
}

async function post(
  trigger: Trigger,
  { target, key, word, text, by, isOnce = false, says }: Comment,
  options: ActionPublisherOptions,
): Promise<PublicationResult> {
  if (trigger.kind === 'local') return NOTHING;
  const { client, reporter } = options;
  if (client === undefined) return unposted(FAILURES.comment, NO_TOKEN, undefined, reporter);
  const mark = { kind: 'answer', agent: key, says: says?.map(formatSaid) } as const;
  const body = composeComment({
    mark,
    text: cleanFor(word, options)(text),
    footer: footer(by, options),
  });
  const { repository } = trigger;
  const comment = { repository, number: target.number, mark, body };
  const result = await withGitHub(
    (signal) => postComment(client, trigger, { comment, isOnce }, signal),
    REMEDIES.comment,
  );
  return result instanceof GitHubError
    ? unposted(FAILURES.comment, result.message, result.remedy, reporter)
    : result;
}

function unposted(
  problem: string,
  cause: string,
  remedy: string | undefined,
  reporter: Reporter,
): PublicationResult {
  const message = `the answer is in the job summary, but ${problem}: ${cause}`;
  const warning = { code: 'publish-failed', message, remedy } as const;
  reporter.warn(warning);
  return { ...NOTHING, failure: warningText(warning) };
}

/**
 * Writes the check of the commit that a run is about, where the workflow wants one: into the one
 * that was started where there is one. Trouble is a warning.
 */
async function publishCheck(
  end: PublishRequest,
  published: PostedReview,
  options: ActionPublisherOptions,
): Promise<Pick<PublicationResult, 'checkUrl' | 'posts' | 'failure'>> {
  const { client, progress, reporter, checkRun } = options;
  if (!checkRun) return NOTHING;
  const check = isQuestionAlone(end, published.review)
    ? undefined
    : checkOf(end, published, options);
  const started = await progress?.started();
  if (check === undefined) {
    await endUnanswered(end, options);
    return NOTHING;
  }
  const result =
    client === undefined
      ? { message: NO_TOKEN, remedy: undefined }
      : await withGitHub(
          (signal) => publishCheckRun(client, check, { signal, started }),
          REMEDIES.check,
        );
  if (typeof result === 'string') {
    await progress?.finished();
    return { checkUrl: result, posts: [{ kind: 'check', url: result }] };
  }
  const failure = 'the check was not written';
  const { message, remedy } = result;
  reporter.warn({ code: 'publish-failed', message: `${failure}: ${message}`, remedy });
  return { posts: [], failure };
}

/** A question about a pull request changes its check only where findings changed. */
function isQuestionAlone(
  { plan, findings }: PublishRequest,
  review: PostedReview['review'],
): boolean {
  if (!isQuestion(plan.trigger)) return false;
  const { news } = findings ?? {};
  return (
    review === undefined ||
    news === undefined ||
    news.fresh.length + news.ended.length + news.back.length === 0
  );
}

/** A check must not stay in progress where a run has come to nothing. */
async function endUnanswered(
  { outcome, reviewEnd }: PublishRequest,
  { progress }: ActionPublisherOptions,
): Promise<void> {
  if (outcome.kind === 'refused') await progress?.end(REFUSED, 'failed', reviewEnd);
  if (outcome.kind !== 'failed') return;
  const { error } = outcome;
  await progress?.end(
    error.message,
    error instanceof CancelledError ? 'cancelled' : 'failed',
    reviewEnd,
  );
}
