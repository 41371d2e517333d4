import { answerMemoryCommand } from '../commands/memory/answer-command.js';
import { commandInComment } from '../commands/memory/parse-comment.js';
import { pauseCommand, runPauseCommand } from '../commands/pause.js';
import type { Dependencies } from '../core/dependencies.js';
import { admit } from './admit.js';
import { converse } from './converse.js';
import { makePlan } from './plan.js';
import { publish } from './publish.js';
import type { RunReport, RunRequest } from './request.js';
import { restore } from './restore.js';
import { save } from './save.js';

/**
 * The six steps: admit → plan → restore → converse → publish → save. Publishing comes before saving, so that the entry
 * can name what was posted. Throws an AxeError for what stops a run before it reaches the model; what happens later
 * is in the report.
 */
export async function runPipeline(request: RunRequest, deps: Dependencies): Promise<RunReport> {
  const words = commandInComment(request.trigger);
  if (words !== undefined) return await answerMemoryCommand({ ...request, words, askedIn: 'comment' }, deps);
  const pause = pauseCommand(request.trigger);
  if (pause !== undefined) return await runPauseCommand(pause, request, deps);

  const admitted = await admit(request, deps);
  if (admitted.kind === 'skipped') return admitted;
  const draft = await makePlan(request, admitted, deps);
  const restored = await restore(request, draft, deps);
  const { plan, memory, learned, taint, model } = restored;
  if (model === undefined) return { kind: 'planned', plan, memory };
  const conversed = await converse(request, { ...restored, model }, deps);
  const published = await publish(conversed, deps);
  const remembered = await save(conversed, published, deps);
  const { outcome, spend } = conversed;
  return { kind: 'ran', plan, memory, outcome, taints: taint.sources, published, remembered, spend, learned };
}
