import { runCommentCommand } from '../commands/comment/run-command.js';
import type { Dependencies } from '../core/dependencies.js';
import { admit } from './admit.js';
import { converse } from './converse.js';
import { makePlan } from './plan.js';
import { publish } from './publish.js';
import type { Admitted, Remembered, RunReport, RunRequest } from './request.js';
import { restore } from './restore.js';
import { save } from './save.js';

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
  if (admitted.kind === 'skipped') return admitted;
  const draft = await makePlan(request, admitted, deps);
  if (draft.kind === 'skipped') {
    if (!request.dryRun) await reportSkip(draft, admitted, deps);
    return draft;
  }
  const restored = await restore(request, draft, deps);
  const { plan, memory, learned, taint, model } = restored;
  if (model === undefined) return { kind: 'planned', plan, memory };
  deps.progress?.start(plan, restored.change?.head);
  const conversed = await converse(request, { ...restored, model }, deps);
  const published = await publish(conversed, deps);
  const { outcome, read, spend, usage } = conversed;
  const reportOf = (remembered: Remembered): RunReport => ({
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
    learned,
  });
  const remembered = await save(conversed, published, deps, (soFar) => onSaving?.(reportOf(soFar)));
  return reportOf(remembered);
}

async function reportSkip(
  { decision: { message }, unchangedSince }: Extract<RunReport, { kind: 'skipped' }>,
  { basis, facts }: Admitted,
  { progress }: Dependencies,
): Promise<void> {
  const { trigger } = facts.event;
  const since = unchangedSince === undefined ? {} : { since: unchangedSince };
  await progress?.skip({ trigger, agent: basis.agent.name, message, ...since });
}
