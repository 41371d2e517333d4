import type { RunOutcome } from '../core/outcome.js';
import type { Plan } from '../core/plan.js';
import type { Publications } from '../core/review/buffer.js';
import { type Buffered, NOTHING_BUFFERED } from '../core/review/buffered.js';
import type { ReviewedDiff } from './change.js';
import type { ConversationParts, Delegation } from './delegation.js';
import { cutWarning, judge } from './judge.js';
import { type Passed, reviewInPasses } from './passes.js';
import { summarise } from './summarise.js';
import { verifyFindings } from './verify.js';
import { verifySettlements } from './verify-settled.js';

/** What a run talks about. */
export interface Subject {
  readonly plan: Plan;
  readonly change: ReviewedDiff | undefined;
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

/**
 * Holds what a run has to say: one conversation, or the passes of a review; then the second look at its findings, and for
 * several passes the one summary.
 */
export async function holdConversations(subject: Subject, delegation: Delegation): Promise<Held> {
  const { plan, change, parts } = subject;
  const passed = await pass(subject, delegation);
  const judged = judge(passed.outcome, passed.buffered, delegation.request);
  if (passed.outcome.kind === 'incomplete' && judged.kind === 'completed')
    parts.loop.reporter.warn(cutWarning(passed.outcome.error));
  const raised = { plan, change, outcome: judged, buffered: passed.buffered, loop: parts.loop };
  const settled = await verifySettlements(raised, delegation);
  const verified = await verifyFindings({ ...raised, ...settled }, delegation);
  const { unread } = passed;
  if (plan.passes === undefined) return { ...verified, unread };
  return { ...(await summarise({ ...passed, ...verified, plan, change, parts }, delegation)), unread };
}

async function pass({ plan, parts, openPass }: Subject, delegation: Delegation): Promise<Passed> {
  const { publications } = delegation;
  const scope = publications?.scopeOfReview;
  const { passes } = plan;
  if (passes !== undefined && scope !== undefined) {
    const { maxFindings } = scope.rules;
    return await reviewInPasses({ plan, passes, parts, open: openPass, maxFindings }, delegation);
  }
  const outcome = await delegation.converse(plan, parts, delegation, { depth: 0, callerEffects: undefined });
  return { outcome, buffered: publications?.buffered ?? NOTHING_BUFFERED, unread: [], summaries: [] };
}
