import type { Warning } from '../lib/errors.js';
import { formatKnown } from '../review/said.js';
import { FENCE_NOTICE } from '../safety/fence.js';
import type { Dependencies } from './dependencies.js';
import { memoryWarnings } from './memory.js';
import type { Draft, Plan, Restored, RunRequest } from './records.js';
import { needsFindings } from './scope.js';

/**
 * The third step: waits for memory, reports what is wrong with it, and finishes the plan with what its findings taught. A
 * dry run shows the plan without lessons where memory is kept in another repository. Rejects only for an aborted signal.
 */
export async function restore(request: RunRequest, draft: Draft, deps: Dependencies): Promise<Restored> {
  const { plan, taint, change, model } = draft;
  const memory = await draft.memory;
  const learned = await draft.learned;
  // A review that has to know its findings ends with this very refusal, which is told once.
  const isTold = ({ message }: Warning) =>
    needsFindings(plan) && learned.trouble?.startsWith(message) === true;
  for (const warning of plan.warnings) if (!isTold(warning)) deps.reporter.warn(warning);
  if (memory !== undefined)
    for (const warning of memoryWarnings(plan, memory, deps)) deps.reporter.warn(warning);
  const { ledger } = learned;
  const isHidden = request.dryRun && request.isMemoryHidden;
  // Without write access nobody's words may reach the model through ours: places and kinds alone are shown.
  const isUntrusted = taint.lane(plan.trust.lane) !== 'trusted';
  const isKnown = ledger !== undefined && change !== undefined && !isHidden;
  const lessons = isKnown ? formatKnown(ledger, isUntrusted) : undefined;
  return { plan: withLessons(plan, lessons), memory, learned, taint, change, model };
}

/** The lessons are at the end of each user message. Every pass shows a diff, so it explains its fences already. */
function withLessons(plan: Plan, lessons: string | undefined): Plan {
  if (lessons === undefined) return plan;
  const { task, passes } = plan;
  const { message } = task;
  const parts = message.includes(FENCE_NOTICE) ? [message, lessons] : [message, FENCE_NOTICE, lessons];
  return {
    ...plan,
    task: { ...task, message: parts.join('\n\n') },
    passes: passes?.map((pass) => ({ ...pass, message: `${pass.message}\n\n${lessons}` })),
  };
}
