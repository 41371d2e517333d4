import { admit } from '../../src/run/admit.js';
import type { Dependencies } from '../../src/run/dependencies.js';
import { makePlan } from '../../src/run/plan.js';
import type { RunRequest } from '../../src/run/records.js';
import { restore } from '../../src/run/restore.js';

/**
 * Takes the steps of a run up to its finished plan, or to the reason why there is nothing to do.
 */
export async function prepare(request: RunRequest, deps: Dependencies) {
  const admitted = await admit(request, deps);
  if (admitted.kind === 'skipped') return admitted;
  const draft = await makePlan(request, admitted, deps);
  if (draft.kind === 'skipped') return draft;
  return { kind: 'prepared' as const, ...(await restore(request, draft, deps)) };
}
