import { AxeError } from '../core/errors.js';
import type { LoopDependencies } from '../core/loop/loop-dependencies.js';

/**
 * The loop's world of conversations besides the run's own: their turns are not told, a warning of all of them is one, and a
 * summary of theirs is no memory of the agent.
 */
export function quietly({ keepSummary: _, reporter, ...loop }: LoopDependencies): LoopDependencies {
  const warned = new Set<string>();
  return {
    ...loop,
    reporter: {
      event: () => undefined,
      warn(warning) {
        if (!warned.has(warning.message)) reporter.warn(warning);
        warned.add(warning.message);
      },
    },
  };
}

/** Why a conversation could not be held: one that is lost must not cost what the others have found. */
export function conversationTrouble(thrown: unknown): string {
  if (thrown instanceof AxeError) return thrown.message;
  return `an error of ours: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
}
