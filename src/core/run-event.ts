import type { LoopEvent } from './loop/events.js';
import type { RestoreResult } from './memory/store.js';
import type { Plan } from './plan.js';

/** What a run reports while it goes on; listeners make log lines of it. */
export type RunEvent =
  | LoopEvent
  /** The plan is complete and the model is ready; `restored` is undefined for an agent without memory. */
  | {
      readonly kind: 'run-started';
      readonly plan: Plan;
      readonly restored: RestoreResult | undefined;
      /** How many notes were found and where; absent for an agent without notes. */
      readonly notes?: { readonly files: number; readonly location: string };
    };
