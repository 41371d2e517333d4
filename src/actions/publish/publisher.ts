import type { GitHubClient } from '../../adapters/github/client/client.js';
import { signalAfter } from '../../adapters/host/deadline.js';
import { PUBLISH_TIMEOUT_MS } from '../../core/defaults.js';
import type { Published, Publisher, PublishRequest, Reporter } from '../../core/dependencies.js';
import { subjectNumber, subjectTrigger, type Trigger } from '../../core/event/trigger.js';
import type { RunOutcome } from '../../core/outcome.js';
import type { Plan } from '../../core/plan.js';
import { NOTHING_BUFFERED } from '../../core/review/buffered.js';
import { withSuggestion } from '../../core/review/comment-text.js';
import type { PlacedFinding } from '../../core/review/place.js';
import { stickyBody } from '../../core/review/publication.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import type { Inputs } from '../inputs/inputs.js';
import type { PublishInputs } from '../inputs/publish-inputs.js';
import type { ReviewInputs } from '../inputs/review-inputs.js';
import type { ThisRun } from '../runner/this-run.js';
import { loadToolkit } from '../runner/toolkit.js';
import { NO_TOKEN } from './no-token.js';
import { isOnLine, type PostResult, postComment } from './post-comment.js';
import type { PublishedPart } from './requested.js';
import { formatEnd, formatUnseen, reviewRemarks } from './review-remarks.js';

/** What the action's publisher works with. */
export interface ActionPublisherOptions extends ThisRun {
  readonly client: GitHubClient | undefined;
  readonly comment: Inputs['comment'];
  readonly review: ReviewInputs;
  readonly inputs: PublishInputs;
  readonly reporter: Reporter;
  readonly secrets: readonly string[];
}

const UNPUBLISHED = 'the answer is in the job summary, but no comment was written';

const NOTHING: Published = { line: undefined, url: undefined };

/** Posts the answer as a comment where one is wanted (D26). Summary and outputs are written when the run is over. */
export function createActionPublisher(options: ActionPublisherOptions): Publisher {
  return {
    async publish(plan, outcome, wanted) {
      const end = { plan, outcome, wanted };
      const published = await publishParts(end, options);
      const parts = { ...published, ...(await showFindings(end, published, options)) };
      // A mention is answered where it was made, whatever else was posted.
      const isSaid = parts.isReview && plan.trigger.kind !== 'comment' && options.comment !== 'always';
      const target = isSaid ? undefined : commentTarget(plan.trigger, options.comment);
      const clean = cleanFor(wanted, options);
      const text = answerText(plan, outcome, clean);
      if (text.trim() === '') return join(parts, NOTHING);
      const { name } = plan.agent;
      const footer = writtenBy(name);
      if (target === undefined) return join(parts, await report({ plan, text, clean }, options));
      const key = commentKey(name, target);
      return join(parts, await post(plan.trigger, { target, agent: key, text, footer, clean }, options));
    },
    async reply({ trigger, agent, text, among }) {
      const target = commentTarget(trigger, options.comment);
      if (target === undefined) return NOTHING;
      const footer = `About the agent \`${agent}\` · axe-action, no model was asked`;
      // A reply in a thread is never brought up to date.
      const isShared = among === 'unless-answered' || (among === 'for-all' && !isOnLine(trigger));
      const key = commentKey(isShared ? FOR_ALL : agent, target);
      const isOnce = among === 'unless-answered';
      // It quotes memory, which holds words of people without write access too.
      const clean = cleanFor({ isUntrusted: true }, options);
      return await post(trigger, { target, agent: key, text, footer, isOnce, clean }, options);
    },
  };
}

/** Outbound cleaning for comments of a run (D24). */
function cleanFor(
  { isUntrusted }: Pick<PublishRequest, 'isUntrusted'>,
  { secrets }: Pick<ActionPublisherOptions, 'secrets'>,
): Clean {
  return (markdown) => sanitize(markdown, isUntrusted ? 'untrusted-comment' : 'comment', secrets);
}

type Clean = (markdown: string) => string;

function titleCleaner({ secrets }: Pick<ActionPublisherOptions, 'secrets'>): Clean {
  return (title) => sanitize(title, 'title', secrets);
}

interface End {
  readonly plan: Plan;
  readonly outcome: RunOutcome;
  readonly wanted: PublishRequest;
}

/** What the tools of the run collected; the code for that is loaded only where there is something. */
async function publishParts(
  { plan, outcome, wanted }: End,
  options: ActionPublisherOptions,
): Promise<PublishedPart> {
  if (wanted.buffered === NOTHING_BUFFERED) return { isReview: false };
  const { client, review, reporter, secrets } = options;
  const { publishRequested } = await import('./publish-requested.js');
  const clean = cleanFor(wanted, options);
  const run = {
    trigger: plan.trigger,
    agent: plan.agent.name,
    wanted,
    scope: plan.scope,
    unseen: plan.task.unseen ?? [],
    remarks: reviewRemarks(plan, outcome).map(clean),
    ...(outcome.kind === 'exhausted' && outcome.isAnswered === true ? { isAnswered: true as const } : {}),
    end: outcome.kind,
    mayComment: options.comment !== 'never',
  };
  return await publishRequested(run, {
    client,
    when: review.when,
    maxComments: review.rules.maxComments,
    reporter,
    secrets,
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
): Promise<Pick<Published, 'checkUrl'>> {
  const { client, reporter, secrets, inputs, comment, runUrl } = options;
  if (inputs.checkRun) {
    const { checkOf, postCheck } = await import('./post-check.js');
    const by = footer(writtenBy(end.plan.agent.name), runUrl);
    const check = checkOf(end, { review, line, footer: by, run: options.run });
    const clean = cleanFor(end.wanted, options);
    const cleanMessage = (text: string) => sanitize(text, 'log', secrets);
    const posted = check && (await postCheck(check, { client, reporter, clean, cleanMessage }));
    if (posted !== undefined) return posted.url === '' ? {} : { checkUrl: posted.url };
  }
  if (review !== undefined && review.unposted.length > 0 && comment !== 'never') {
    await annotateFindings(review.unposted, secrets);
  }
  return {};
}

/** What a run answers, as it is to be cleaned. */
interface Answer {
  readonly plan: Plan;
  readonly text: string;
  readonly clean: Clean;
}

/** What a run answers that is about no issue and no pull request. */
async function report(
  { plan: { trigger, agent }, text, clean }: Answer,
  options: ActionPublisherOptions,
): Promise<Published> {
  const { client, reporter, inputs, workflow, runUrl } = options;
  if (inputs.reportTo === '' || trigger.kind === 'local' || subjectNumber(trigger) !== undefined) {
    return NOTHING;
  }
  const { postReport } = await import('./post-report.js');
  const { repository } = trigger;
  const by = footer(writtenBy(agent.name), runUrl);
  return await postReport(
    { repository, agent: agent.name, workflow, title: inputs.reportTitle, text, footer: by },
    { client, reporter, clean, cleanTitle: titleCleaner(options) },
  );
}

function writtenBy(agent: string): string {
  return `Written by the agent \`${agent}\` with axe-action`;
}

/** One line for both (D9), and the address of the review where there is one. */
function join(parts: PublishedPart, comment: Published): Published {
  const { isReview: _, review: __, ...published } = parts;
  const lines = [parts.line, comment.line].filter((line) => line !== undefined);
  const line = lines.length === 0 ? undefined : lines.join(' ');
  return { ...published, line, url: parts.url ?? comment.url };
}

/** Where a comment goes. */
interface Target {
  readonly number: number;
  /** The comment that is answered; undefined for a sticky comment. */
  readonly replyTo: number | undefined;
}

/** `auto`: a sticky comment on pull requests, a reply to a comment, nothing on issues. */
function commentTarget(trigger: Trigger, comment: Inputs['comment']): Target | undefined {
  const subject = subjectTrigger(trigger);
  if (comment === 'never' || subject === undefined) return undefined;
  const { number } = subject;
  switch (subject.kind) {
    case 'pull_request':
      return { number, replyTo: undefined };
    case 'comment':
      return { number, replyTo: subject.commentId };
    case 'issue':
      return comment === 'always' ? { number, replyTo: undefined } : undefined;
  }
}

/** Stands for all agents of a repository; none has this name. */
const FOR_ALL = 'memory';

/** Each agent has one sticky comment, and one reply to each comment. */
function commentKey(agent: string, { replyTo }: Target): string {
  return replyTo === undefined ? agent : `${agent}/reply-${replyTo}`;
}

interface Comment {
  readonly target: Target;
  readonly agent: string;
  readonly text: string;
  /** Who wrote it, in markdown. */
  readonly footer: string;
  readonly clean: Clean;
  /** It is left out where it, or another one of the same key, is there. */
  readonly isOnce?: boolean;
}

async function post(
  trigger: Trigger,
  comment: Comment,
  { client, reporter, runUrl }: ActionPublisherOptions,
): Promise<Published> {
  if (trigger.kind === 'local') return NOTHING;
  const { agent, target } = comment;
  if (client === undefined) {
    reporter.warn({
      code: 'publish-failed',
      message: `${UNPUBLISHED}: ${NO_TOKEN}`,
    });
    return NOTHING;
  }
  const body = stickyBody({
    agent,
    text: comment.clean(comment.text),
    footer: footer(comment.footer, runUrl),
  });
  const sticky = { repository: trigger.repository, number: target.number, agent, body };
  const signal = signalAfter(PUBLISH_TIMEOUT_MS);
  const { isOnce = false } = comment;
  const result = await postComment(client, { trigger, comment: sticky, isOnce }, signal).catch(
    (thrown: unknown) => unanswered(thrown, signal),
  );
  if (result.kind === 'failed') {
    reporter.warn({
      code: 'publish-failed',
      message: `${UNPUBLISHED}: ${result.message}. ${result.remedy}`,
    });
    return NOTHING;
  }
  return { line: result.line, url: result.url };
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

/**
 * The text of a comment: what a completed run answered, or what a run had said when it was cut short, often in the middle
 * of a code block; empty for nothing. What was not shown stands first, so that an answer that is cut does not lose it.
 */
function answerText(
  { task }: Pick<Plan, 'task'>,
  outcome: RunOutcome,
  clean: (markdown: string) => string,
): string {
  const answer = answerOf(outcome, clean);
  const remark = formatUnseen(task);
  return remark === undefined || answer.trim() === '' ? answer : `*${clean(remark)}*\n\n${answer}`;
}

function answerOf(outcome: RunOutcome, clean: (markdown: string) => string): string {
  switch (outcome.kind) {
    case 'completed':
      return outcome.answer;
    case 'incomplete':
    case 'exhausted':
      return outcome.answer === '' ? '' : `${clean(outcome.answer)}\n\n*${formatEnd(outcome)}*`;
    case 'failed':
    case 'refused':
      return '';
  }
}

/** The runner shows ten annotations of a kind for a step. */
const MAX_ANNOTATIONS = 9;

/**
 * Shows findings on their lines where they could not be posted. Notices, so that they take no room from the warnings of
 * the run itself (D35); the removed side of a diff has no lines that could carry one.
 */
export async function annotateFindings(
  findings: readonly PlacedFinding[],
  secrets: readonly string[],
): Promise<void> {
  const core = await loadToolkit();
  const onLines = findings.flatMap(({ finding, placement }) =>
    placement.kind === 'line' && placement.side === 'RIGHT' ? [{ finding, placement }] : [],
  );
  for (const { finding, placement } of onLines.slice(0, MAX_ANNOTATIONS)) {
    const { path, line, startLine = line } = placement;
    const place = { file: path, startLine, endLine: line };
    core.notice(sanitize(withSuggestion(finding), 'log', secrets), { title: finding.rule, ...place });
  }
}
