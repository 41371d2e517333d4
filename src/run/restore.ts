import { describeHidden } from '../findings/decide/hidden-findings.js';
import { formatKnownFindings, strangersInTitles } from '../findings/post/finding-texts.js';
import type { Warning } from '../lib/errors.js';
import { FENCE_NOTICE } from '../safety/fence.js';
import type { Dependencies } from './dependencies.js';
import { needsFindings } from './earlier-reviews.js';
import { placesToReport } from './hidden-places.js';
import { chooseMemory, memoryWarnings, readPrivateMemory } from './memory.js';
import type { DraftPlan } from './plan.js';
import type { Memory, OpenRun, Plan, RunRequest, StoredMemory } from './records.js';

/**
 * The third step: waits for memory, reports its warnings, and adds the known findings to the plan.
 * A dry run leaves them out if memory is in another repository, since the plan is printed. Rejects
 * only for an aborted signal.
 */
export async function restore(
  request: RunRequest,
  draft: DraftPlan,
  deps: Dependencies,
): Promise<OpenRun> {
  const { plan, change, reads } = draft;
  const stored = await reads.memory;
  const learned = await reads.earlier;
  // A review that needs its findings is refused with this same message, so it is not repeated.
  const { trouble = '' } = learned;
  const isInRefusal = ({ code, message, remedy }: Warning) => {
    const hasSameRemedy = code === 'context-unread' && remedy !== undefined;
    const isSame = trouble.startsWith(message) || (hasSameRemedy && trouble.includes(remedy));
    return needsFindings(plan) && trouble !== '' && isSame;
  };
  for (const warning of plan.warnings) if (!isInRefusal(warning)) deps.reporter.warn(warning);

  const { ledger } = learned;
  const isHidden = request.dryRun && request.isMemoryHidden;
  const isShown = !isHidden && request.toShow === undefined;
  const isKnown = ledger !== undefined && change !== undefined && isShown;
  for (const text of isKnown ? strangersInTitles(ledger.findings) : []) plan.reading.add(text);
  const lessons = isKnown ? formatKnownFindings(ledger) : undefined;
  const memory = await restoreMemory(plan, stored, deps);
  for (const warning of memoryWarnings(plan, memory, deps)) deps.reporter.warn(warning);

  const hidden = placesToReport(request, draft, deps);
  const planned = withLessons(withLessons(plan, describeHidden(hidden)), lessons);
  return { plan: planned, memory, learned, change, hidden };
}

/** By now it is known whose words the run begins with, and so whether a private memory is for it. */
async function restoreMemory(
  plan: Plan,
  stored: StoredMemory | undefined,
  deps: Dependencies,
): Promise<Memory | undefined> {
  const { memory } = plan;
  if (memory === undefined) return undefined;
  const whole = memory.isPrivate
    ? await readPrivateMemory({ ...plan, memory }, deps, { state: stored })
    : stored;
  return whole && chooseMemory(whole, memory, plan.subject);
}

/** Adds the lessons to each user message. A pass shows a diff, so it has the notice on fences. */
export function withLessons(plan: Plan, lessons: string | undefined): Plan {
  if (lessons === undefined) return plan;
  const { task, passes } = plan;
  const { message } = task;
  const parts = message.includes(FENCE_NOTICE)
    ? [message, lessons]
    : [message, FENCE_NOTICE, lessons];
  return {
    ...plan,
    task: { ...task, message: parts.join('\n\n') },
    passes: passes?.map((pass) => ({ ...pass, message: `${pass.message}\n\n${lessons}` })),
  };
}
