import { reviewEndOf } from '../findings/post/conversations.js';
import { admit } from './admit.js';
import { converse } from './converse.js';
import type { Dependencies } from './dependencies.js';
import { withMaskedInputs } from './masked-inputs.js';
import { makePlan } from './plan.js';
import { publish, refuseWithoutFindings, reportSkipped } from './publish.js';
import type { RunReport, RunRequest } from './records.js';
import { restore } from './restore.js';
import { save } from './save.js';

/**
 * The six steps: admit → plan → restore → converse → publish → save. Publishing saves the record of
 * findings before it posts them; the entry is saved afterwards, so that it can name the posted
 * review. Throws an AxeError for an error before the model is asked, and a SecretLeakError if a model
 * wrote a secret; later errors are in the report.
 */
export async function runPipeline(
  originalRequest: RunRequest,
  originalDeps: Dependencies,
): Promise<RunReport> {
  const commandResult = await runCommand(originalRequest, originalDeps);
  if (commandResult !== undefined && commandResult.kind !== 'start') return commandResult;
  const unmasked = commandResult?.request ?? originalRequest;
  const { request, deps } = withMaskedInputs(unmasked, originalDeps);

  const admitted = await admit(request, deps);
  if (admitted.kind === 'skipped') return await reportSkipped(admitted, request, deps);

  const draft = await makePlan(request, admitted, deps);
  if (draft.kind === 'skipped') return await reportSkipped({ ...draft, admitted }, request, deps);

  const openRun = await restore(request, draft, deps);
  const { plan, change, memory, learned } = openRun;
  const { model } = draft.reads;
  if (model === undefined) return { kind: 'planned', plan, memory };
  const refused = await refuseWithoutFindings(openRun, deps);
  if (refused !== undefined) return refused;

  const { ledger } = learned;
  const { blockOn } = deps.publishRules;
  const review = ledger && { ledger, agent: plan.agent.name, blockOn };
  deps.progress?.start(plan, change?.head, review && reviewEndOf(review));

  const conversed = await converse(request, openRun, await model, deps);
  const closing = afterAsking(deps);
  const end = await publish(conversed, closing);
  const remembered = await save(conversed, end, closing);
  return { ...conversed, kind: 'ran', published: end.published, remembered };
}

/** The dependencies of the steps after the asking, which go on when that was ended. */
function afterAsking(deps: Dependencies): Dependencies {
  return { ...deps, deadline: { ...deps.deadline, signal: deps.deadline.closing } };
}

/** The result of the command that a comment gives; undefined if there is none. */
async function runCommand(request: RunRequest, deps: Dependencies) {
  if (request.trigger.kind !== 'comment') return undefined;
  const { runCommentCommand } = await import('./commands/run-command.js');
  return await runCommentCommand(request, deps);
}
