import { type Repository, subjectNumber, type Trigger } from '../event/trigger.js';
import { NO_TOKEN, withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import { findOrCreateIssue } from '../github/posting/issues.js';
import { warningText } from '../lib/errors.js';
import { paragraphs } from '../lib/text/format.js';
import { framedBody } from '../review/comment-text.js';
import type { PostedReview } from '../review/post-review.js';
import { isQuestion } from '../review/scope.js';
import type { FindingMark } from '../review/state-facts.js';
import type { Publisher, PublishRequest, Reporter } from '../run/dependencies.js';
import type { Plan, Published } from '../run/records.js';
import type { Mark, MarkLane } from '../safety/mark.js';
import { sanitize } from '../safety/sanitize.js';
import {
  type ActionPublisherOptions,
  answerText,
  cleanFor,
  commentKey,
  commentTarget,
  FOR_ALL,
  footer,
  isOnLine,
  postComment,
  signature,
  type Target,
  targetOf,
  writtenBy,
} from './answer.js';
import { publishChange } from './publish-change.js';
import { publishCheck } from './publish-check.js';
import { publishRequested, reviewResultOf, tellFindings, tellOthers } from './publish-findings.js';

const NO_COMMENT = 'no comment was written';
const NO_ISSUE = 'the issue was not written';

const NOTHING: Published = { line: undefined, url: undefined };

/** The action's publisher, which also answers for a run that failed. */
interface ActionPublisher extends Publisher {
  /** Tells the sender of a comment in one line why it has no answer. */
  answerFailure(failure: {
    readonly trigger: Trigger;
    readonly agent: string;
    readonly line: string;
  }): Promise<void>;
}

/** Posts the answer as a comment where one is wanted (D26). Summary and outputs are written when the run is over. */
export function createActionPublisher(given: ActionPublisherOptions): ActionPublisher {
  const ids: number[] = [];
  const client = given.client === undefined ? undefined : notePosted(given.client, ids);
  const options = { ...given, client };
  return {
    async publish(run) {
      const published = await publishAll(run, options);
      return { ...published, posted: [...(published.posted ?? []), ...ids] };
    },
    tellFindings: (told) => tellFindings(told, options),
    async reply({ trigger, agent, text, among, marks }) {
      const target = commentTarget(trigger, options.comment);
      if (target === undefined) return NOTHING;
      const about = agent === undefined ? '' : `About the agent \`${agent}\` · `;
      const by = `${about}axe-action, no model was asked`;
      // A reply in a thread is never brought up to date.
      const isShared = among === 'unless-answered' || (among === 'for-all' && !isOnLine(trigger));
      const key = commentKey(isShared ? FOR_ALL : (agent ?? FOR_ALL), target);
      const isOnce = among === 'unless-answered';
      // It quotes memory, which holds words of people without write access too.
      return await post(trigger, { target, key, lane: 'untrusted', text, by, isOnce, marks }, options);
    },
    async answerFailure({ trigger, agent, line: text }) {
      const target = commentTarget(trigger, options.comment);
      if (target === undefined || trigger.kind !== 'comment') return;
      // An answer in a thread is never replaced, so that of a second attempt must have a key of its own.
      const key = isOnLine(trigger) ? `${commentKey(agent, target)}/failure` : commentKey(agent, target);
      const by = writtenBy(agent);
      // The answer of an earlier attempt stays; a later one takes the place of this line.
      await post(trigger, { target, key, lane: 'untrusted', text, by, isOnce: true }, options);
    },
  };
}

/**
 * A client that notes the ids of the comments and reviews it writes. Every workflow of a repository posts under one
 * account, so nothing else tells later runs which texts are ours. A note added to a comment that stands says nothing.
 */
function notePosted(client: GitHubClient, ids: number[]): GitHubClient {
  return {
    graphql: (query, options) => client.graphql(query, options),
    async request(route, options) {
      const response = await client.request(route, options);
      const { id } = (response.body ?? {}) as { readonly id?: unknown };
      if (WRITES.test(route) && typeof id === 'number') ids.push(id);
      return response;
    },
  };
}

const WRITES = /^POST .*\/(?:comments|replies|reviews)$|^PATCH .*\/issues\/comments\/\{comment_id\}$/;

/** Posts what the tools of a run collected, then its answer: one line for both (D9). */
async function publishAll(end: PublishRequest, options: ActionPublisherOptions): Promise<Published> {
  const own = await publishRequested(end, options);
  const others = await tellOthers(end, options);
  const check = await publishCheck(end, own, options);
  const change = await publishChange(end, options);
  const comment = await postAnswer(end, own, change.said, options);
  const line =
    [own.line, change.line, comment.line].filter((one) => one !== undefined).join(' ') || undefined;
  const url = own.url ?? comment.url;
  const isPublished = line !== undefined || url !== undefined || check.checkUrl !== undefined;
  return {
    line,
    url,
    pullRequestUrl: change.url,
    checkUrl: check.checkUrl || undefined,
    posted: own.posted,
    marks: [...(own.marks ?? []), ...others],
    isReviewLost: own.isReviewLost,
    details: paragraphs([comment.details ?? own.details ?? '', change.details ?? '']) || undefined,
    reviewResult: reviewResultOf(end, own, options),
    // A pull request that is not there counts; any other failure where nothing went well (D40).
    failure: change.failure ?? (isPublished ? undefined : (own.failure ?? check.failure ?? comment.failure)),
  };
}

/** Posts the answer of a run where it belongs. */
async function postAnswer(
  end: PublishRequest,
  published: PostedReview,
  /** On the pull request of the run, for people. */
  said: string | undefined,
  options: ActionPublisherOptions,
): Promise<Published> {
  const { plan, lane } = end;
  const { trigger, agent } = plan;
  const text = paragraphs([answerText(end, cleanFor(lane, options)), said ?? '']);
  if (text.trim() === '') return NOTHING;
  const isSaid = options.comment !== 'always' && isAnswer(published, trigger);
  const target = isSaid ? undefined : targetOf(plan, options.comment);
  if (target !== undefined) {
    const key = commentKey(agent.name, target);
    return await post(trigger, { target, key, lane, text, by: signature(end) }, options);
  }
  const details = withoutPull(plan, options);
  const { reportTo } = options;
  if (reportTo === '' || trigger.kind === 'local' || subjectNumber(trigger) !== undefined)
    return { ...NOTHING, details };
  return await postReport(trigger.repository, agent.name, text, lane, options);
}

/**
 * Puts the answer into the issue of this agent in this workflow, or opens one (D26). The body is replaced, so a run that
 * is repeated changes nothing but the time. Trouble is a warning.
 */
async function postReport(
  repository: Repository,
  agent: string,
  text: string,
  lane: MarkLane,
  options: ActionPublisherOptions,
): Promise<Published> {
  const { client, reporter, secrets, workflow } = options;
  if (client === undefined) return unposted(NO_ISSUE, NO_TOKEN, undefined, reporter);
  const mark: Mark = { kind: 'report', agent, workflow, lane };
  const body = framedBody({
    mark,
    text: cleanFor(lane, options)(text),
    footer: footer(writtenBy(agent), options),
  });
  const title = sanitize(`Report of ${agent}`, 'title', secrets);
  const result = await withGitHub(
    (signal) => findOrCreateIssue(client, { repository, mark, title, body, labels: [] }, signal),
    'The report is in the job summary.',
  );
  if (result instanceof GitHubError) return unposted(NO_ISSUE, result.message, result.remedy, reporter);
  const { number, url, created } = result;
  return { line: `${created ? 'Opened' : 'Updated'} the report #${number}.`, url };
}

/**
 * Whether a review is all of the answer. A question is answered where it was asked, whatever else was posted; whoever asks
 * for a review has it once it is there.
 */
function isAnswer({ isReview, url }: PostedReview, trigger: Trigger): boolean {
  if (trigger.kind !== 'comment') return isReview;
  return isReview && url !== undefined && !isQuestion(trigger);
}

/** Where another workflow's run has no pull request, people look for the answer in vain. */
function withoutPull(
  { trigger, reportsOn }: Plan,
  { comment, reportTo }: ActionPublisherOptions,
): string | undefined {
  if (trigger.kind !== 'workflow_run' || reportsOn !== undefined) return undefined;
  if (comment === 'never' || reportTo !== '') return undefined;
  const commit = trigger.headSha.slice(0, 7);
  return `No open pull request has the commit ${commit} as its head, so the answer is only here.`;
}

interface Comment {
  readonly target: Target;
  /** By which it is found again. */
  readonly key: string;
  readonly lane: MarkLane;
  readonly text: string;
  /** Who wrote it, in markdown. */
  readonly by: string;
  /** It is left out where it, or another one of the same key, is there. */
  readonly isOnce?: boolean;
  /** What it says of findings. */
  readonly marks?: readonly FindingMark[];
}

async function post(
  trigger: Trigger,
  { target, key, lane, text, by, isOnce = false, marks }: Comment,
  options: ActionPublisherOptions,
): Promise<Published> {
  if (trigger.kind === 'local') return NOTHING;
  const { client, reporter } = options;
  if (client === undefined) return unposted(NO_COMMENT, NO_TOKEN, undefined, reporter);
  const mark = { kind: 'answer', agent: key, lane, marks } as const;
  const body = framedBody({ mark, text: cleanFor(lane, options)(text), footer: footer(by, options) });
  const { repository } = trigger;
  const comment = { repository, number: target.number, mark, body };
  const result = await withGitHub(
    (signal) => postComment(client, trigger, comment, isOnce, signal),
    'The answer is in the job summary; check that the issue or pull request is not locked.',
  );
  return result instanceof GitHubError
    ? unposted(NO_COMMENT, result.message, result.remedy, reporter)
    : result;
}

function unposted(what: string, why: string, remedy: string | undefined, reporter: Reporter): Published {
  const message = `the answer is in the job summary, but ${what}: ${why}`;
  const warning = { code: 'publish-failed', message, remedy } as const;
  reporter.warn(warning);
  return { ...NOTHING, failure: warningText(warning) };
}
