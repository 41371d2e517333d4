import { type Repository, subjectNumber, type Trigger } from '../event/trigger.js';
import type { Word } from '../event/trust.js';
import type { PlacedFinding } from '../findings/change/diff-lines.js';
import { coverageTitle, formatCoverage, isQuestion } from '../findings/change/scope.js';
import { formatSaid, type SaidRev } from '../findings/kept-finding.js';
import {
  CUT,
  checkedCommit,
  openFindingsTitle,
  UNFINISHED,
} from '../findings/post/check-progress.js';
import { composeComment, findingPlainText, formatFindings } from '../findings/post/comment-text.js';
import type { PostedReview } from '../findings/post/post-review.js';
import { NO_TOKEN, withGitHub } from '../github/client/ask.js';
import type { GitHubClient } from '../github/client/client.js';
import { GitHubError } from '../github/client/errors.js';
import {
  type CheckAnnotation,
  type CheckRunReport,
  publishCheckRun,
} from '../github/posting/check-run.js';
import { findOrCreateIssue } from '../github/posting/issues.js';
import { type Posted, updateOf } from '../github/posting/posted.js';
import { CancelledError, warningText } from '../lib/errors.js';
import {
  cameToNothing,
  errorOf,
  isCutShort,
  isUnreviewed,
  markedAnswer,
  type RunOutcome,
} from '../lib/outcome.js';
import { capitalized, cleanLine, paragraphs } from '../lib/text/format.js';
import type { Publisher, PublishRequest, Reporter } from '../run/dependencies.js';
import { cleanFor } from '../run/outbound.js';
import type { Plan, PublicationResult } from '../run/records.js';
import type { Mark } from '../safety/mark.js';
import { sanitize } from '../safety/sanitize.js';
import {
  type ActionPublisherOptions,
  ALL_AGENTS,
  answerText,
  commentKey,
  commentTarget,
  footer,
  formatEnd,
  isOnLine,
  postComment,
  signature,
  type Target,
  targetOf,
  writtenBy,
} from './answer.js';
import { publishChange } from './publish-change.js';
import {
  publishRequested,
  reportFindings,
  reportOnOtherPulls,
  reviewResultOf,
  turnFindings,
} from './publish-findings.js';

const NO_COMMENT = 'no comment was written';
const NO_ISSUE = 'the issue was not written';

const NOTHING: PublicationResult = { line: undefined, url: undefined };

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
      const subject = agent === undefined ? '' : `About the agent \`${agent}\` · `;
      const by = `${subject}axe-action, no model was asked`;
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
  const tell = (part: Partial<Pick<PublicationResult, 'line' | 'url'>>) => {
    if (part.line !== undefined || part.url !== undefined)
      options.reporter.event({ kind: 'published', line: part.line, url: part.url });
  };
  const requested = await publishRequested(end, options);
  tell(requested);
  await reportOnOtherPulls(end, options);
  const check = await publishCheck(end, requested, options);
  const change = await publishChange(end, options);
  tell(change);
  const comment = await postAnswer(end, requested, change.said, options);
  tell(comment);
  const line =
    [requested.line, change.line, comment.line].filter((text) => text !== undefined).join(' ') ||
    undefined;
  const url = requested.url ?? comment.url;
  const posts = [requested, check, change, comment].flatMap((part) => part.posts ?? []);
  const isPublished = line !== undefined || url !== undefined || check.checkUrl !== undefined;
  return {
    line,
    url,
    pullRequestUrl: change.url,
    checkUrl: check.checkUrl || undefined,
    posts: posts.length === 0 ? undefined : posts,
    details:
      paragraphs([comment.details ?? requested.details ?? '', change.details ?? '']) || undefined,
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
  /** Sentence about the published change, for the people who asked for it. */
  changeNote: string | undefined,
  options: ActionPublisherOptions,
): Promise<PublicationResult> {
  const { plan, word } = end;
  const { trigger, agent } = plan;
  const text = paragraphs([answerText(end, cleanFor(word, options)), changeNote ?? '']);
  if (text.trim() === '') return NOTHING;
  const isSaid = options.comment !== 'always' && isAnswer(published, trigger);
  const target = isSaid ? undefined : targetOf(plan, options.comment);
  if (target !== undefined) {
    const key = commentKey(agent.name, target);
    return await post(trigger, { target, key, word, text, by: signature(end) }, options);
  }
  const details = withoutPull(plan, options);
  const { reportTo } = options;
  if (reportTo === '' || trigger.kind === 'local' || subjectNumber(trigger) !== undefined)
    return { ...NOTHING, details };
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
  if (client === undefined) return unposted(NO_ISSUE, NO_TOKEN, undefined, reporter);
  const mark: Mark = { kind: 'report', agent, workflow };
  const body = composeComment({
    mark,
    text: cleanFor(word, options)(text),
    footer: footer(writtenBy(agent), options),
  });
  const title = sanitize(`Report of ${agent}`, 'title', secrets);
  const result = await withGitHub(
    (signal) => findOrCreateIssue(client, { repository, mark, title, body, labels: [] }, signal),
    'The report is in the job summary.',
  );
  if (result instanceof GitHubError)
    return unposted(NO_ISSUE, result.message, result.remedy, reporter);
  const { number, url, created } = result;
  const posts: readonly Posted[] = [{ kind: 'report', number, url, ...updateOf(created) }];
  return { line: `${created ? 'Opened' : 'Updated'} the report #${number}.`, url, posts };
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
  if (client === undefined) return unposted(NO_COMMENT, NO_TOKEN, undefined, reporter);
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
    'The answer is in the job summary; check that the issue or pull request is not locked.',
  );
  return result instanceof GitHubError
    ? unposted(NO_COMMENT, result.message, result.remedy, reporter)
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
  if (!checkRun) return {};
  const check = isQuestionAlone(end, published.review)
    ? undefined
    : checkOf(end, published, options);
  const started = await progress?.started();
  if (check === undefined) {
    await endUnanswered(end, options);
    return {};
  }
  const result =
    client === undefined
      ? { message: NO_TOKEN, remedy: undefined }
      : await withGitHub(
          (signal) => publishCheckRun(client, check, { signal, started }),
          'The result is in the job summary.',
        );
  if (typeof result === 'string') {
    await progress?.finished();
    return { checkUrl: result, posts: [{ kind: 'check', url: result }] };
  }
  const failure = 'the check was not written';
  const { message, remedy } = result;
  reporter.warn({ code: 'publish-failed', message: `${failure}: ${message}`, remedy });
  return { failure };
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

/** (REST API, "Create a check run") */
const MAX_SUMMARY = 65_535;

/** GitHub takes 64 KiB for all of an annotation, 255 characters for its title. */
const MAX_MESSAGE = 10_000;
const MAX_TITLE = 200;

/**
 * The check of a run; undefined for one that is about no commit, or has come to no answer.
 * @internal
 */
export function checkOf(
  { plan, outcome, change, buffered, read: { coverage }, word, findings }: PublishRequest,
  { review, line = '' }: PostedReview,
  { runUrl, secrets }: { readonly runUrl: string; readonly secrets: readonly string[] },
): CheckRunReport | undefined {
  const { trigger, agent } = plan;
  const headSha = checkedCommit(trigger, change?.head);
  if (trigger.kind === 'local' || headSha === undefined) return undefined;
  if (cameToNothing(outcome)) return undefined;
  // An incomplete answer says so itself.
  const end = outcome.kind === 'incomplete' ? undefined : formatEnd(outcome);
  const summary = buffered.review?.summary ?? markedAnswer(outcome);
  const read = coverage === undefined ? '' : formatCoverage(coverage, plan.scope);
  const unpostedText = formatFindings('Findings', review?.unposted ?? []);
  const text = paragraphs([summary, end === undefined ? '' : `*${end}*`, read, line, unpostedText]);
  const isRead = coverage?.kind === 'whole' && findings?.isUnread !== true;
  const isClear = review?.open.length === 0 && isRead;
  const answered = summary.trim() === '' ? 'No answer' : 'Answered';
  const isCut = isCutShort(outcome);
  const hasNone = review?.open.length === 0 && !review.isBlocking;
  const cutTitle = isCut && hasNone ? UNFINISHED : undefined;
  const title = [
    cutTitle ?? (review === undefined ? answered : openFindingsTitle(review)),
    coverage === undefined ? '' : coverageTitle(coverage),
    isCut && cutTitle === undefined ? CUT : '',
  ].join('');
  // `neutral` holds nothing up; only a review that asks for changes is a failure.
  const conclusionUnlessBlocking = isClear ? 'success' : 'neutral';
  return {
    repository: trigger.repository,
    headSha,
    name: agent.name,
    conclusion: review?.isBlocking === true ? 'failure' : conclusionUnlessBlocking,
    title: isUnreviewed(outcome) ? unreviewedTitle(outcome, review, secrets) : title,
    summary: composeComment({
      mark: { kind: 'check', agent: agent.name },
      text: cleanFor(word, { secrets })(text),
      footer: footer(writtenBy(agent.name), { runUrl }),
      maxCharacters: MAX_SUMMARY,
    }),
    annotations: (review?.unposted ?? []).flatMap((placed) => annotationOf(placed, secrets)),
  };
}

/** Open findings come first, so that a later event can update their number. */
function unreviewedTitle(
  outcome: RunOutcome,
  review: PostedReview['review'],
  secrets: readonly string[],
): string {
  const message = errorOf(outcome)?.message ?? '';
  const isOpen = review !== undefined && (review.open.length > 0 || review.isBlocking);
  const title = isOpen ? `${openFindingsTitle(review)}; ${message}` : capitalized(message);
  // The reason of a refusal can quote what the model wrote.
  return cleanLine(sanitize(title, 'title', secrets), MAX_TITLE);
}

/** The removed side of a diff has no lines that could carry one. */
function annotationOf(
  { finding, placement }: PlacedFinding,
  secrets: readonly string[],
): readonly CheckAnnotation[] {
  if (placement.kind !== 'line' || placement.side !== 'RIGHT') return [];
  const { path, line, startLine = line } = placement;
  const clean = (text: string) => sanitize(text, 'log', secrets);
  const message = clean(findingPlainText(finding)).slice(0, MAX_MESSAGE).toWellFormed();
  const title = cleanLine(clean(finding.title), MAX_TITLE);
  return [{ path, startLine, endLine: line, message, ...(title === '' ? {} : { title }) }];
}

/** A check must not stay in progress where a run has come to nothing. */
async function endUnanswered(
  { outcome, reviewEnd }: PublishRequest,
  { progress }: ActionPublisherOptions,
): Promise<void> {
  if (outcome.kind === 'refused')
    await progress?.end('The model refused to answer.', 'failed', reviewEnd);
  if (outcome.kind !== 'failed') return;
  const { error } = outcome;
  await progress?.end(
    error.message,
    error instanceof CancelledError ? 'cancelled' : 'failed',
    reviewEnd,
  );
}
