import { conclude, converseOnce, type Held, type Subject } from './conversation.js';
import type { Delegation } from './delegation.js';
import { type Passed, reviewInPasses } from './passes.js';
import { verifyFindings } from './verify.js';
import { verifySettlements } from './verify-settled.js';

/** Holds a review: its one conversation or its passes, a second look at the findings. */
export async function holdReview(subject: Subject, delegation: Delegation): Promise<Held> {
  const { plan, change, parts } = subject;
  const passed = await pass(subject, delegation);
  const { unread } = passed;
  const outcome = conclude(passed, parts, delegation);
  const raised = { plan, change, outcome, buffered: passed.buffered, loop: parts.loop };
  const settled = await verifySettlements(raised, delegation);
  const verified = await verifyFindings({ ...raised, ...settled }, delegation);
  return { ...verified, unread };
}

async function pass(subject: Subject, delegation: Delegation): Promise<Passed> {
  const { plan, parts, openPass: open } = subject;
  const { passes } = plan;
  const maxFindings = delegation.publications?.scopeOfReview?.rules.maxFindings;
  if (passes === undefined || maxFindings === undefined) {
    return { ...(await converseOnce(subject, delegation)), unread: [] };
  }
  return await reviewInPasses({ plan, passes, parts, open, maxFindings }, delegation);
}
