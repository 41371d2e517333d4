import { admit } from './admit.js';
import { runCommentCommand } from './commands/run-command.js';
import { converse } from './converse.js';
import type { Dependencies } from './dependencies.js';
import { makePlan } from './plan.js';
import { publish, refuseUnread, tellSkipped } from './publish.js';
import type { RunReport, RunRequest } from './records.js';
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
  const answered = await runCommentCommand(request, deps);
  if (answered !== undefined) return answered;

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
  const { outcome, read, spend, usage, artifacts } = conversed;
  const taints = taint.sources;
  const parts = { plan, memory, outcome, read, taints, published, spend, usage, artifacts };
  const ran = { kind: 'ran', ...parts } as const;
  const remembered = await save(conversed, published, deps, (soFar) =>
    onSaving?.({ ...ran, remembered: soFar }),
  );
  return { ...ran, remembered };
}
