import { conclude, converseOnce, type Held, type Subject } from './conversation.js';
import type { Delegation } from './delegation.js';
import { reviewInPasses } from './passes.js';
import { verifyFindings } from './verify.js';
import { verifySettlements } from './verify-settled.js';

/** Holds the conversation of a run, or of a large review several, and has what a review found looked at a second time. */
export async function holdConversations(subject: Subject, delegation: Delegation): Promise<Held> {
  const { passes } = subject.plan;
  const review = delegation.publications?.scopeOfReview;
  const said =
    passes === undefined || review === undefined
      ? await converseOnce(subject, delegation)
      : await reviewInPasses(subject, passes, review.rules.maxFindings, delegation);
  const held = { ...said, outcome: conclude(said, subject.parts, delegation) };
  if (review === undefined) return held;
  return await verifyFindings(subject, await verifySettlements(subject, held, delegation), delegation);
}
