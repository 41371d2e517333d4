import { subjectNumber, type Trigger } from '../event/trigger.js';
import { signalAfter } from '../lib/deadline.js';
import { PUBLISH_TIMEOUT_MS } from '../lib/defaults.js';
import { isCancelled } from '../lib/errors.js';
import type { RunOutcome } from '../lib/outcome.js';
import { type Warning, warningText } from '../lib/warning.js';
import { NOTHING_BUFFERED } from '../review/buffered.js';
import { reviewCommand } from '../review/command.js';
import type { FindingMark } from '../review/marks.js';
import { answerMark, framedBody } from '../review/publication.js';
import type { Published, Publisher, PublishRequest, Reporter } from '../run/dependencies.js';
import type { Plan } from '../run/run-plan.js';
import type { MarkLane } from '../safety/mark.js';
import { sanitize } from '../safety/sanitize.js';
import { annotateFindings } from './annotate-findings.js';
import { answerText, reviewRemarks, signature, writtenBy } from './answer-text.js';
import type { CheckProgress } from './check-progress.js';
import { commentKey, commentTarget, FOR_ALL, type Target, targetOf } from './comment-target.js';
import { notePosted } from './note-posted.js';
import { checkOf, postCheck } from './post-check.js';
import { isFirstInJob, isOnLine, type PostResult, postComment } from './post-comment.js';
import { postReport } from './post-report.js';
import { publishRequested } from './publish-requested.js';
import { type ActionPublisherOptions, type Clean, cleanFor, titleCleaner } from './publisher-options.js';
import type { PublishedPart } from './requested.js';
import { reviewExtent, reviewFooter, reviewResultOf, signatureOf } from './review-frame.js';
import { tellFindings, tellOthers } from './tell-without-run.js';
import { NO_TOKEN } from './with-github.js';

const UNPUBLISHED = 'the answer is in the job summary, but no comment was written';

const NOTHING: Published = { line: undefined, url: undefined };

/** A run that has no answer for the comment that started it. */
interface FailureAnswer {
  readonly trigger: Trigger;
  readonly agent: string;
  /** What the sender is told, in one line. */
  readonly line: string;
}

/** The action's publisher, which also answers for a run that failed. */
interface ActionPublisher extends Publisher {
  answerFailure(failure: FailureAnswer): Promise<void>;
}

/** Posts the answer as a comment where one is wanted (D26). Summary and outputs are written when the run is over. */
export function createActionPublisher(given: ActionPublisherOptions): ActionPublisher {
  const { client, ids } = notePosted(given.client);
  const options = { ...given, client };
  return {
    async publish(plan, outcome, requested) {
      const published = await publishAll({ plan, outcome, requested }, options);
      return { ...published, posted: [...(published.posted ?? []), ...ids] };
    },
    tellFindings: (told) => tellFindings(told, options),
    async reply({ trigger, agent, text, among, marks }) {
      const target = commentTarget(trigger, options.comment);
      if (target === undefined) return NOTHING;
      const about = agent === undefined ? '' : `About the agent \`${agent}\` · `;
      const footer = `${about}axe-action, no model was asked`;
      // A reply in a thread is never brought up to date.
      const isShared = among === 'unless-answered' || (among === 'for-all' && !isOnLine(trigger));
      const key = commentKey(isShared ? FOR_ALL : (agent ?? FOR_ALL), target);
      const isOnce = among === 'unless-answered';
      // It quotes memory, which holds words of people without write access too.
      const clean = cleanFor({ lane: 'untrusted' }, options);
      const comment = { target, agent: key, lane: 'untrusted', text, footer, isOnce, clean, marks } as const;
      return await post(trigger, comment, options);
    },
    async answerFailure({ trigger, agent, line }) {
      const target = commentTarget(trigger, options.comment);
      if (target === undefined || trigger.kind !== 'comment') return;
      // An answer in a thread is never replaced, so that of a second attempt must have a key of its own.
      const key = isOnLine(trigger) ? `${commentKey(agent, target)}/failure` : commentKey(agent, target);
      const clean = cleanFor({ lane: 'untrusted' }, options);
      const by = writtenBy(agent);
      const comment = { target, agent: key, lane: 'untrusted', text: line, footer: by, clean } as const;
      // The answer of an earlier attempt stays; a later one takes the place of this line.
      await post(trigger, { ...comment, isOnce: true }, options);
    },
  };
}

/** Posts what the tools of a run collected, then its answer. */
async function publishAll(end: End, options: ActionPublisherOptions): Promise<Published> {
  const { plan, outcome, requested } = end;
  const own = await publishParts(end, options);
  const told = await tellOthers(end, options);
  const published = { ...own, marks: [...(own.marks ?? []), ...told] };
  const shown = await showFindings(end, published, options);
  const failure = published.failure ?? shown.failure;
  const result = reviewResultOf(end, published, options);
  const parts = { ...published, ...shown, ...result, ...(failure === undefined ? {} : { failure }) };
  const isSaid = options.comment !== 'always' && isAnswer(parts, plan.trigger);
  const target = isSaid ? undefined : targetOf(plan, options.comment);
  const clean = cleanFor(requested, options);
  const answered = { plan, outcome, read: requested.read };
  const text = answerText(answered, clean);
  if (text.trim() === '') return join(parts, NOTHING);
  const { name } = plan.agent;
  const footer = signature(answered);
  if (target === undefined) {
    const nowhere = { ...parts, ...withoutPull(plan, options) };
    return join(nowhere, await report({ plan, text, clean, lane: requested.lane }, options));
  }
  const key = commentKey(name, target);
  const isNew = options.isFirstAttempt && isJustWritten(plan.trigger);
  const { lane } = requested;
  const comment = { target, agent: key, lane, text, footer, clean, isNew };
  return join(parts, await post(plan.trigger, comment, options));
}

/**
 * Whether a review is all of the answer. A question is answered where it was asked, whatever else was posted; whoever asks
 * for a review has it once it is there.
 */
function isAnswer({ isReview, url }: PublishedPart, trigger: Trigger): boolean {
  if (trigger.kind !== 'comment') return isReview;
  return isReview && url !== undefined && reviewCommand(trigger) !== undefined;
}

/** Only a step of the same job can have answered it before, and each comment has an answer of its own. */
function isJustWritten(trigger: Trigger): boolean {
  return trigger.kind === 'comment' && trigger.action === 'created';
}

interface End {
  readonly plan: Plan;
  readonly outcome: RunOutcome;
  readonly requested: PublishRequest;
}

/** What the tools of the run collected, and what became of earlier findings. */
async function publishParts(
  { plan, outcome, requested }: End,
  options: ActionPublisherOptions,
): Promise<PublishedPart> {
  const { findings, buffered } = requested;
  if (buffered === NOTHING_BUFFERED && findings === undefined) return { isReview: false };
  const { client, review, reporter } = options;
  const clean = cleanFor(requested, options);
  const run = {
    trigger: plan.trigger,
    agent: plan.agent.name,
    requested,
    remarks: reviewRemarks(outcome, requested.buffered).map(clean),
    ...(outcome.kind === 'exhausted' && outcome.isAnswered === true ? { isAnswered: true as const } : {}),
    end: outcome.kind,
    now: options.now(),
    mayComment: options.comment !== 'never',
  };
  return await publishRequested(run, {
    client,
    maxComments: review.rules.maxComments,
    blockOn: review.rules.blockOn,
    extent: reviewExtent({ plan, outcome, requested }),
    footer: reviewFooter({ plan, outcome, requested }, { runUrl: options.runUrl, clean }),
    signature: signatureOf(plan.agent.name, options.runUrl),
    reporter,
    clean,
    cleanTitle: titleCleaner(options),
  });
}

/**
 * Shows what a review came to where no comment says it: as a check of the commit, where the workflow wants one, else by
 * the runner, on the lines. `comment: never` keeps the runner silent.
 */
async function showFindings(
  end: End,
  { review, line }: PublishedPart,
  options: ActionPublisherOptions,
): Promise<Pick<Published, 'checkUrl' | 'failure'>> {
  const { client, progress, reporter, secrets, inputs, comment, runUrl } = options;
  let failure: string | undefined;
  if (inputs.checkRun) {
    const by = footer(writtenBy(end.plan.agent.name), runUrl);
    const check = isQuestionAlone(end, review) ? undefined : checkOf(end, { review, line, footer: by });
    const clean = cleanFor(end.requested, options);
    const cleanMessage = (text: string) => sanitize(text, 'log', secrets);
    const started = await progress?.started();
    const posted = check && (await postCheck(check, { client, started, reporter, clean, cleanMessage }));
    if (posted !== undefined) {
      await progress?.finished();
      return { checkUrl: posted.url };
    }
    await endUnanswered(end.outcome, progress);
    failure = check === undefined ? undefined : 'the check was not written';
  }
  if (review !== undefined && review.unposted.length > 0 && comment !== 'never') {
    await annotateFindings(review.unposted, secrets);
  }
  return failure === undefined ? {} : { failure };
}

/** A question about a pull request changes its check only where findings changed. */
function isQuestionAlone({ plan, requested }: End, review: PublishedPart['review']): boolean {
  const { trigger } = plan;
  if (trigger.kind !== 'comment' || reviewCommand(trigger) !== undefined) return false;
  const { news } = requested.findings ?? {};
  return (
    review === undefined ||
    news === undefined ||
    news.fresh.length + news.ended.length + news.back.length === 0
  );
}

/** A check must not stay in progress where a run has come to nothing. */
async function endUnanswered(outcome: RunOutcome, progress: CheckProgress | undefined): Promise<void> {
  if (outcome.kind === 'refused') await progress?.end('The model refused to answer.', 'failed');
  if (outcome.kind !== 'failed') return;
  const { error } = outcome;
  await progress?.end(error.message, isCancelled(error) ? 'cancelled' : 'failed');
}

/** What a run answers that is about no issue and no pull request. */
async function report(
  {
    plan: { trigger, agent },
    text,
    clean,
    lane,
  }: { readonly plan: Plan; readonly text: string; readonly clean: Clean; readonly lane: MarkLane },
  options: ActionPublisherOptions,
): Promise<Published> {
  const { client, reporter, inputs, workflow, runUrl } = options;
  if (inputs.reportTo === '' || trigger.kind === 'local' || subjectNumber(trigger) !== undefined) {
    return NOTHING;
  }
  const { repository } = trigger;
  const by = footer(writtenBy(agent.name), runUrl);
  return await postReport(
    { repository, agent: agent.name, workflow, text, footer: by, lane },
    { client, reporter, clean, cleanTitle: titleCleaner(options) },
  );
}

/** Where another workflow's run has no pull request, people look for the answer in vain. */
function withoutPull(
  { trigger, reportsOn }: Plan,
  { comment, inputs }: ActionPublisherOptions,
): Pick<Published, 'details'> {
  if (trigger.kind !== 'workflow_run' || reportsOn !== undefined) return {};
  if (comment === 'never' || inputs.reportTo !== '') return {};
  const commit = trigger.headSha.slice(0, 7);
  return {
    details: `No open pull request has the commit ${commit} as its head, so the answer is only here.`,
  };
}

/** One line for both (D9), and the address of the review where there is one; a failure counts where nothing went well (D40). */
function join(parts: PublishedPart, comment: Published): Published {
  const { isReview: _, review: __, failure: ___, checkUrl, ...published } = parts;
  const lines = [parts.line, comment.line].filter((line) => line !== undefined);
  const line = lines.length === 0 ? undefined : lines.join(' ');
  const url = parts.url ?? comment.url;
  const isPublished = line !== undefined || url !== undefined || checkUrl !== undefined;
  const failure = isPublished ? undefined : (parts.failure ?? comment.failure);
  return {
    ...published,
    ...(checkUrl === undefined || checkUrl === '' ? {} : { checkUrl }),
    ...(failure === undefined ? {} : { failure }),
    line,
    url,
  };
}

interface Comment {
  readonly target: Target;
  readonly agent: string;
  readonly lane: MarkLane;
  readonly text: string;
  /** Who wrote it, in markdown. */
  readonly footer: string;
  readonly clean: Clean;
  /** It is left out where it, or another one of the same key, is there. */
  readonly isOnce?: boolean;
  /** {@link StickyComment.isNew} */
  readonly isNew?: boolean;
  /** What it says of findings. */
  readonly marks?: readonly FindingMark[];
}

async function post(
  trigger: Trigger,
  comment: Comment,
  { client, reporter, runUrl, temp }: ActionPublisherOptions,
): Promise<Published> {
  if (trigger.kind === 'local') return NOTHING;
  const { agent, target } = comment;
  if (client === undefined) {
    return unposted({ message: NO_TOKEN }, reporter);
  }
  const mark = { ...answerMark(agent, comment.lane), marks: comment.marks };
  const body = framedBody({
    mark,
    text: comment.clean(comment.text),
    footer: footer(comment.footer, runUrl),
  });
  const isFirst = target.replyTo !== undefined && (await isFirstInJob(agent, temp));
  const { isOnce = false } = comment;
  const isNew = comment.isNew === true && isFirst;
  const sticky = { repository: trigger.repository, number: target.number, mark, body, isNew };
  const signal = signalAfter(PUBLISH_TIMEOUT_MS);
  const result = await postComment(client, { trigger, comment: sticky, isOnce }, signal).catch(
    (thrown: unknown) => unanswered(thrown, signal),
  );
  if (result.kind === 'failed') {
    return unposted(result, reporter);
  }
  return { line: result.line, url: result.url };
}

function unposted({ message, remedy }: Pick<Warning, 'message' | 'remedy'>, reporter: Reporter): Published {
  const next = remedy === undefined ? {} : { remedy };
  const warning = { code: 'publish-failed', message: `${UNPUBLISHED}: ${message}`, ...next } as const;
  reporter.warn(warning);
  return { ...NOTHING, failure: warningText(warning) };
}

/** Time ran out while GitHub was asked; anything else is a bug and is thrown on. */
function unanswered(thrown: unknown, signal: AbortSignal): Extract<PostResult, { kind: 'failed' }> {
  if (!signal.aborted) throw thrown;
  const remedy = 'The answer is in the job summary.';
  return { kind: 'failed', message: `GitHub did not answer within ${PUBLISH_TIMEOUT_MS / 1000} s`, remedy };
}

function footer(by: string, runUrl: string): string {
  const run = runUrl === '' ? '' : ` · [this run](${runUrl})`;
  return `<sub>${by}${run}</sub>`;
}
