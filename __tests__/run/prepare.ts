import { admit } from '../../src/run/admit.js';
import type { Dependencies } from '../../src/run/dependencies.js';
import { makePlan, restore } from '../../src/run/plan.js';
import type { Restored, RunReport, RunRequest } from '../../src/run/records.js';

/** A run that is ready for its model, or the reason why there is nothing to do. */
export type Prepared =
  | (Restored & { readonly kind: 'prepared' })
  | Extract<RunReport, { readonly kind: 'skipped' }>;

/** Takes the steps of a run up to its finished plan. */
export async function prepare(request: RunRequest, deps: Dependencies): Promise<Prepared> {
  const admitted = await admit(request, deps);
  if (admitted.kind === 'skipped') return admitted;
  const draft = await makePlan(request, admitted, deps);
  if (draft.kind === 'skipped') return draft;
  return { kind: 'prepared', ...(await restore(request, draft, deps)) };
}
