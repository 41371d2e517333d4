import { holdsReview } from '../findings/buffered-publications.js';
import { isQuestion } from '../findings/change/scope.js';
import type { PublicationBuffer } from '../findings/publication-buffer.js';
import { AxeError } from '../lib/errors.js';
import type { ToolCallRecord } from '../lib/outcome.js';
import { cleanLine } from '../lib/text/format.js';
import type { RequiredCalls } from '../loop/word-judge.js';
import { REVIEW_REMINDER } from '../prompt/notices.js';
import type { Tool } from '../tools/tool.js';
import type { Plan } from './records.js';

/** The tools whose accepted calls make up a review; the others that publish say nothing of it. */
export const REVIEWING_TOOLS: readonly string[] = [
  'add_review_comment',
  'settle_finding',
  'submit_review',
];

/**
 * Requires an accepted call of an agent that is offered the tools of a review: a model that only
 * writes words has reviewed nothing, even if the words sound like a review. Undefined for an agent
 * without these tools, and for a question about a pull request, which is answered in words.
 */
export function requiredReview(
  { trigger }: Plan,
  publications: PublicationBuffer | undefined,
  tools: readonly Tool[],
): RequiredCalls | undefined {
  const isReviewer = tools.some(({ name }) => REVIEWING_TOOLS.includes(name));
  if (publications === undefined || !isReviewer || isQuestion(trigger)) return undefined;
  return { isMade: () => holdsReview(publications.buffered), reminder: REVIEW_REMINDER, missing };
}

const MAX_REASON = 160;

function missing(calls: readonly ToolCallRecord[]): AxeError {
  const attempts = calls.filter(({ tool }) => REVIEWING_TOOLS.includes(tool));
  const findings = attempts.filter(({ tool }) => tool === 'add_review_comment').length;
  const output = attempts.at(-1)?.output ?? '';
  const reason = cleanLine(output.replace(/^(?:Error: |Not accepted: )+/, ''), MAX_REASON);
  return new AxeError(`${whyUnreviewed(attempts.length, findings)}${reason && `: ${reason}`}`, {
    remedy: 'Nothing was reviewed. Run it again, or choose another model.',
  });
}

function whyUnreviewed(attempts: number, findings: number): string {
  if (attempts === 0) return 'the model called no review tool';
  if (findings === 0) return 'no call of a review tool was accepted';
  return findings === 1
    ? 'its only finding was not accepted'
    : `none of its ${findings} findings was accepted`;
}
