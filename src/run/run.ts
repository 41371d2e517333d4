import { admit } from './admit.js';
import { runCommentCommand } from './commands/run-command.js';
import { converse } from './converse.js';
import type { Dependencies } from './dependencies.js';
import { makePlan, restore } from './plan.js';
import { publish, refuseUnread, tellSkipped } from './publish.js';
import type { RunReport, RunRequest } from './records.js';
import { save } from './save.js';

/**
 * The six steps: admit → plan → restore → converse → publish → save. Publishing comes before saving, so that the entry
 * can name what was posted. Throws an AxeError for what stops a run before it reaches the model; what happens later
 * is in the report.
 */
export async function runPipeline(given: RunRequest, deps: Dependencies): Promise<RunReport> {
  const answered = await runCommentCommand(given, deps);
  if (answered !== undefined && answered.kind !== 'fix') return answered;
  const request = answered?.request ?? given;

  const admitted = await admit(request, deps);
  if (admitted.kind === 'skipped') return await tellSkipped(admitted, request, deps);

  const draft = await makePlan(request, admitted, deps);
  if (draft.kind === 'skipped') return await tellSkipped({ ...draft, at: admitted }, request, deps);

  const restored = await restore(request, draft, deps);
  const { plan, memory, taint, model } = restored;
  if (model === undefined) return { kind: 'planned', plan, memory };
  const refused = await refuseUnread(restored, deps);
  if (refused !== undefined) return refused;

  deps.progress?.start(plan, restored.change?.head);
  const conversed = await converse(request, { ...restored, model }, deps);
  const published = await publish(conversed, deps);
  const remembered = await save(conversed, published, deps);
  return { ...conversed, kind: 'ran', taints: taint.sources, published, remembered };
}
