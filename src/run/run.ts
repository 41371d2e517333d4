import { admit } from './admit.js';
import { runCommentCommand } from './commands/run-command.js';
import { converse } from './converse.js';
import type { Dependencies } from './dependencies.js';
import { pullOf } from './learn.js';
import { makePlan } from './plan.js';
import { publish, withActs } from './publish.js';
import type { Remembered, Restored, RunReport, RunRequest } from './records.js';
import { restore } from './restore.js';
import { save } from './save.js';
import { needsFindings } from './scope.js';
import { tellSkipped } from './tell-skipped.js';

/**
 * The six steps: admit → plan → restore → converse → publish → save. Publishing comes before saving, so that the entry
 * can name what was posted. Throws an AxeError for what stops a run before it reaches the model; what happens later
 * is in the report. `onSaving` is given the report of a run that is killed while it saves.
 */
export async function runPipeline(
  request: RunRequest,
  deps: Dependencies,
  onSaving?: (report: RunReport) => void,
): Promise<RunReport> {
  if (request.trigger.kind === 'comment') {
    const answered = await runCommentCommand(request, deps);
    if (answered !== undefined) return answered;
  }

  const admitted = await admit(request, deps);
  if (admitted.kind === 'skipped') return await tellSkipped(admitted, request, deps);
  const draft = await makePlan(request, admitted, deps);
  if (draft.kind === 'skipped') return await tellSkipped({ ...draft, at: admitted }, request, deps);
  const restored = await restore(request, draft, deps);
  const { plan, memory, taint, model } = restored;
  if (model === undefined) return { kind: 'planned', plan, memory };
  const unread = await refuseUnread(restored, deps);
  if (unread !== undefined) return unread;
  deps.progress?.start(plan, restored.change?.head);
  const conversed = await converse(request, { ...restored, model }, deps);
  const published = await publish(conversed, deps);
  const { outcome, read, spend, usage } = conversed;
  const reportOf = (remembered: Remembered | undefined): RunReport => ({
    kind: 'ran',
    plan,
    memory,
    outcome,
    read,
    taints: taint.sources,
    published,
    remembered,
    spend,
    usage,
  });
  const remembered = await save(conversed, published, deps, (soFar) => onSaving?.(reportOf(soFar)));
  return reportOf(remembered);
}

/**
 * A review that does not know what is open would say it twice, and settle nothing: no model is asked, and nothing posted but
 * the check. Undefined where findings are known, or where the run is no review.
 */
async function refuseUnread(
  { plan, change, learned: { ledger, trouble } }: Restored,
  deps: Dependencies,
): Promise<RunReport | undefined> {
  const { trigger, agent } = plan;
  const pull = pullOf(trigger);
  if (trouble === undefined || ledger === undefined || !needsFindings(plan)) return undefined;
  if (pull === undefined || trigger.kind === 'local') return undefined;
  const message = `What is open on #${pull} could not be read, so nothing was reviewed: ${trouble.replace(/\.$/, '')}`;
  const { reviewResult } = await deps.publisher.tellFindings({
    ...withActs(ledger, pull),
    trigger,
    agent: agent.name,
    head: change?.head ?? ledger.seen?.head ?? '',
    answered: new Set(),
    skipped: { message, since: undefined },
  });
  const decision = {
    kind: 'skip',
    reason: 'findings-unread',
    message,
    remedy: 'Start the run again.',
  } as const;
  return { kind: 'skipped', decision, isIncomplete: true, reviewResult };
}
