import { AxeError } from '../lib/errors.js';
import type { RunOutcome } from '../lib/outcome.js';
import type { Warning } from '../lib/warning.js';
import type { Publications } from '../review/buffer.js';
import { type Buffered, NOTHING_BUFFERED } from '../review/buffered.js';
import type { ReviewedChange } from './change.js';
import type { ConversationParts, Delegation } from './delegation.js';
import type { RunRequest } from './request.js';
import type { Plan } from './run-plan.js';

/** What a run talks about. */
export interface Subject {
  readonly plan: Plan;
  readonly change: ReviewedChange | undefined;
  readonly parts: ConversationParts;
  /** A buffer of its own for a pass of a review. */
  openPass(name: string): Publications | undefined;
}

/** What a run came to. */
export interface Held {
  readonly outcome: RunOutcome;
  readonly buffered: Buffered;
  /** Paths of files that a review in parts has not read. */
  readonly unread: readonly string[];
}

/** The one conversation of a run, before it is known what its end counts as. */
export async function converseOnce({ plan, parts }: Subject, delegation: Delegation): Promise<Held> {
  const outcome = await delegation.converse(plan, parts, delegation, { depth: 0, callerEffects: undefined });
  return { outcome, buffered: delegation.publications?.buffered ?? NOTHING_BUFFERED, unread: [] };
}

/** What the run's own conversation counts as; warns where its answer is not whole and the run succeeds all the same. */
export function conclude(
  { outcome, buffered }: Held,
  { loop: { reporter } }: ConversationParts,
  { request }: Delegation,
): RunOutcome {
  const judged = judge(outcome, buffered, request);
  if (outcome.kind === 'incomplete' && judged.kind === 'completed') reporter.warn(cutWarning(outcome.error));
  return judged;
}

/**
 * What the end of a conversation counts as. On the command line a cut answer and an empty one are successes, as in axe,
 * but not one that was cut before its first word.
 * In a workflow nobody sees an empty answer, so it is a failure there, unless the run said what it had to say in a
 * review (D27).
 */
export function judge(
  outcome: RunOutcome,
  { findings, review }: Buffered,
  { inWorkflow }: RunRequest,
): RunOutcome {
  if (!inWorkflow) {
    const isPart = outcome.kind === 'incomplete' && outcome.answer.trim() !== '';
    return isPart ? { ...outcome, kind: 'completed' } : outcome;
  }
  const isSaid = findings.length > 0 || review !== undefined;
  if (isSaid || outcome.kind !== 'completed' || outcome.answer.trim() !== '') return outcome;
  const error = new AxeError('the model gave an empty answer', {
    exitCode: 1,
    remedy: "Run it again; if it stays empty, look at the agent's `system_prompt` and `params.max_tokens`.",
  });
  return { kind: 'failed', error, stats: outcome.stats };
}

/** What is to be told of an answer that is not whole where it does not end the run; `of` begins the sentence. */
export function cutWarning({ message, remedy }: AxeError, of = ''): Warning {
  return { code: 'answer-truncated', message: `${of}${message}`, remedy };
}
