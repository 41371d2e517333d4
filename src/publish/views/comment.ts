import { formatCoverage } from '../../findings/change/scope.js';
import {
  cameToNothing,
  errorOf,
  isCutShort,
  isUnreviewed,
  type RunOutcome,
} from '../../lib/outcome.js';
import type { PublishRequest } from '../../run/dependencies.js';

/** A comment's last line: its author, and a link to the run. */
export function footer(by: string, { runUrl }: { readonly runUrl: string }): string {
  const run = runUrl === '' ? '' : ` · [this run](${runUrl})`;
  return `<sub>${by}${run}</sub>`;
}

/**
 * The text of a comment: the answer of a completed run, or the words of a run that was cut short,
 * often in the middle of a code block; empty for nothing. The part that was not read comes first,
 * so that an answer that is cut does not lose it.
 */
export function answerText(
  { plan, outcome, read: { coverage } }: PublishRequest,
  clean: (markdown: string) => string,
): string {
  const answer = answerOf(outcome, clean);
  // The end of such a run, which comes first, already says that nothing was reviewed.
  if (isUnreviewed(outcome)) return answer;
  if (coverage === undefined || coverage.kind === 'whole' || answer.trim() === '') return answer;
  return `*${clean(formatCoverage(coverage, plan.scope))}*\n\n${answer}`;
}

/**
 * The author of an answer, and that the whole change was read if it was. An answer to a comment on
 * a pull request names the commit that was read: another one can have been pushed since the comment
 * was written.
 */
export function signature({ plan, change, read: { coverage } }: PublishRequest): string {
  const { agent, trigger, scope } = plan;
  const by = writtenBy(agent.name);
  if (trigger.kind === 'comment' && change !== undefined)
    return `About commit \`${change.head.slice(0, 7)}\`. ${by}`;
  if (trigger.kind !== 'pull_request' || coverage?.kind !== 'whole') return by;
  return `${formatCoverage(coverage, scope)} ${by}`;
}

function answerOf(outcome: RunOutcome, clean: (markdown: string) => string): string {
  if (outcome.kind === 'completed') return outcome.answer;
  if (outcome.kind !== 'incomplete' && outcome.kind !== 'exhausted') return '';
  if (outcome.answer === '') return '';
  const end = `*${formatEnd(outcome)}*`;
  const text = clean(outcome.answer);
  return isUnreviewed(outcome) ? `${end}\n\n${text}` : `${text}\n\n${end}`;
}

/** The author of a text, in markdown. */
export function writtenBy(agent: string): string {
  return `Written by the agent \`${agent}\` with axe-action`;
}

/**
 * A sentence that says why a run ended before its work was done, or with a reply that went over a
 * limit; undefined for a run that is complete or came to nothing.
 */
export function formatEnd(outcome: RunOutcome): string | undefined {
  const error = errorOf(outcome);
  if (error === undefined || cameToNothing(outcome)) return undefined;
  if (isUnreviewed(outcome)) return `Not reviewed: ${error.message}.`;
  const ended = isCutShort(outcome) ? 'Cut short' : 'The last reply went over a limit';
  const isLate = outcome.kind === 'exhausted' && outcome.limit === 'time';
  return `${ended}: ${isLate ? 'the time limit of the run was reached' : error.message}.`;
}

/** The author of the reply to a command; without an agent for one that all agents share. */
export function replySignature(agent: string | undefined): string {
  const subject = agent === undefined ? '' : `About the agent \`${agent}\` · `;
  return `${subject}Answered by axe-action; no model was asked`;
}

/** The title of the issue with an agent's report. */
export function reportTitle(agent: string): string {
  return `Report by ${agent}`;
}
