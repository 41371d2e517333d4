import { runCommentCommand } from '../commands/comment/run-command.js';
import type { Dependencies } from '../core/dependencies.js';
import { admit } from './admit.js';
import { converse } from './converse.js';
import { makePlan } from './plan.js';
import { publish } from './publish.js';
import type { Admitted, RunReport, RunRequest } from './request.js';
import { restore } from './restore.js';
import { save } from './save.js';

/**
 * The six steps: admit → plan → restore → converse → publish → save. Publishing comes before saving, so that the entry
 * can name what was posted. Throws an AxeError for what stops a run before it reaches the model; what happens later
 * is in the report.
 */
export async function runPipeline(request: RunRequest, deps: Dependencies): Promise<RunReport> {
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
  const remembered = await save(conversed, published, deps);
  const { outcome, read, spend, usage } = conversed;
  return {
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
  };
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
