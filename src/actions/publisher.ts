import type { RunOutcome } from '../axe/loop/outcome.js';
import { outbound } from '../axe/outbound/outbound.js';
import type { Published, Publisher, Reporter } from '../axe/ports.js';
import { stickyBody } from '../axe/publication.js';
import type { Trigger } from '../axe/trigger.js';
import type { GitHubClient } from '../github/client.js';
import { publishSticky, type StickyResult } from '../github/sticky-comment.js';
import type { Inputs } from './inputs.js';

/** What the action's publisher works with. */
export interface ActionPublisherOptions {
  readonly client: GitHubClient | undefined;
  readonly comment: Inputs['comment'];
  readonly reporter: Reporter;
  readonly secrets: readonly string[];
  /** Address of the workflow run, for the line below a comment; empty outside of a workflow. */
  readonly runUrl: string;
}

/** How long a comment may take to post; its own limit, since the run's may be over already. */
const PUBLISH_TIMEOUT_MS = 60_000;

const UNPUBLISHED = 'the answer is in the job summary, but no comment was written';

const NOTHING: Published = { line: undefined, url: undefined };

/** Posts the answer as a comment where one is wanted (D26). Summary and outputs are written when the run is over. */
export function createActionPublisher(options: ActionPublisherOptions): Publisher {
  return {
    async publish(plan, outcome) {
      const target = commentTarget(plan.trigger, options.comment);
      const text = answerOf(outcome, (markdown) => outbound(markdown, 'comment', options.secrets));
      if (target === undefined || text.trim() === '') return NOTHING;
      const { name } = plan.agent;
      const footer = `Written by the agent \`${name}\` with axe-action`;
      return await post(plan.trigger, { target, agent: commentKey(name, target), text, footer }, options);
    },
    async reply({ trigger, agent, text }) {
      const target = commentTarget(trigger, options.comment);
      if (target === undefined) return NOTHING;
      const footer = `Memory of the agent \`${agent}\` · axe-action, no model was asked`;
      return await post(trigger, { target, agent: commentKey(agent, target), text, footer }, options);
    },
  };
}

/** Where a comment goes. */
interface Target {
  readonly number: number;
  /** The comment that is answered; undefined for a sticky comment. */
  readonly replyTo: number | undefined;
}

/** `auto`: a sticky comment on pull requests, a reply to a comment, nothing on issues. */
function commentTarget(trigger: Trigger, comment: Inputs['comment']): Target | undefined {
  if (comment === 'never') return undefined;
  switch (trigger.kind) {
    case 'pull_request':
      return { number: trigger.number, replyTo: undefined };
    case 'comment':
      return { number: trigger.number, replyTo: trigger.commentId };
    case 'issue':
      return comment === 'always' ? { number: trigger.number, replyTo: undefined } : undefined;
    case 'push':
    case 'schedule':
    case 'dispatch':
    case 'unknown':
    case 'local':
      return undefined;
  }
}

/** What a completed run answered, or what a run had said when it was cut short: often in the middle of a code block. */
function answerOf(outcome: RunOutcome, clean: (markdown: string) => string): string {
  switch (outcome.kind) {
    case 'completed':
      return outcome.answer;
    case 'exhausted':
      return outcome.answer === ''
        ? ''
        : `${clean(outcome.answer)}\n\n*Cut short: ${outcome.error.message}.*`;
    case 'failed':
    case 'refused':
      return '';
  }
}

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
}

async function post(
  trigger: Trigger,
  comment: Comment,
  { client, reporter, secrets, runUrl }: ActionPublisherOptions,
): Promise<Published> {
  if (trigger.kind === 'local') return NOTHING;
  const { agent, target } = comment;
  if (client === undefined) {
    reporter.warn({
      code: 'publish-failed',
      message: `${UNPUBLISHED}: there is no \`github-token\``,
    });
    return NOTHING;
  }
  const body = stickyBody({
    agent,
    text: outbound(comment.text, 'comment', secrets),
    footer: footer(comment.footer, runUrl),
  });
  const sticky = { repository: trigger.repository, number: target.number, agent, body };
  const signal = AbortSignal.timeout(PUBLISH_TIMEOUT_MS);
  const result = await publishSticky(client, sticky, signal).catch((thrown: unknown) =>
    unanswered(thrown, signal),
  );
  if (result.kind === 'failed') {
    reporter.warn({
      code: 'publish-failed',
      message: `${UNPUBLISHED}: ${result.message}. ${result.remedy}`,
    });
    return NOTHING;
  }
  const verb = result.created ? 'Posted a comment' : 'Updated the comment';
  return { line: `${verb} on #${target.number}.`, url: result.url };
}

/** Time ran out while GitHub was asked; anything else is a bug and is thrown on. */
function unanswered(thrown: unknown, signal: AbortSignal): Extract<StickyResult, { kind: 'failed' }> {
  if (!signal.aborted) throw thrown;
  const remedy = 'The answer is in the job summary.';
  return { kind: 'failed', message: `GitHub did not answer within ${PUBLISH_TIMEOUT_MS / 1000} s`, remedy };
}

function footer(by: string, runUrl: string): string {
  const run = runUrl === '' ? '' : ` · [this run](${runUrl})`;
  return `<sub>${by}${run}</sub>`;
}
