import type { FailedSave, SaveFailure } from '../axe/memory/store.js';
import type { Clock } from '../axe/ports.js';
import type { CommitResult, Unreadable } from './backend.js';

/** What a patience is made of. */
export interface PatienceOptions {
  readonly clock: Clock;
  /** How long to go on, in milliseconds from now. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
}

/** Why an attempt did not get through. */
export type Setback = Unreadable | Exclude<CommitResult, { readonly kind: 'committed' }>;

/** How long a save goes on trying. */
export interface Patience {
  /** Waits until another attempt is worth it; says why there is none where none is. Rejects when aborted. */
  after(setback: Setback): Promise<FailedSave | undefined>;
}

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 5_000;
const MAX_DOUBLINGS = 16;

/**
 * Conflicts and lost answers are tried again with full jitter, anything up to 50 ms · 2^n and at most 5 s; other
 * trouble only where the other side asks to come again, and never earlier than it asks. Nothing after the budget.
 */
export function createPatience({ clock, budgetMs, signal }: PatienceOptions): Patience {
  const deadlineMs = clock.now().getTime() + budgetMs;
  let rounds = 0;
  return {
    async after(setback) {
      rounds += 1;
      const delayMs = Math.max(jitterMs(), askedMs(setback) ?? 0);
      const isInTime = clock.now().getTime() + delayMs <= deadlineMs;
      if (!mayPass(setback) || !isInTime) return failedSave(setback, { rounds, budgetMs });
      await clock.sleep(delayMs, signal);
      return undefined;
    },
  };

  function jitterMs(): number {
    const ceilingMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(rounds, MAX_DOUBLINGS));
    return Math.max(1, Math.round(clock.random() * ceilingMs));
  }
}

/** A failed save, with the remedy where there is one. */
export function failed(reason: SaveFailure, message: string, remedy?: string): FailedSave {
  return { kind: 'failed', reason, message, ...(remedy === undefined ? {} : { remedy }) };
}

function mayPass(setback: Setback): boolean {
  return setback.kind === 'conflict' || setback.kind === 'unknown' || askedMs(setback) !== undefined;
}

function askedMs(setback: Setback): number | undefined {
  return setback.kind === 'unknown' ? undefined : setback.retryAfterMs;
}

function failedSave(
  setback: Setback,
  { rounds, budgetMs }: { readonly rounds: number; readonly budgetMs: number },
): FailedSave {
  const spent = `${rounds} ${rounds === 1 ? 'attempt' : 'attempts'} in ${Math.round(budgetMs / 1000)} s`;
  switch (setback.kind) {
    case 'conflict':
      return failed(
        'conflict',
        `other runs kept changing the same memory; gave up after ${spent}`,
        'Set `concurrency:` on the job, or give its runs memories of their own with `memory-scope`.',
      );
    case 'unknown':
      return failed('unavailable', `no answer said whether it was saved, in ${spent}: ${setback.message}`);
    case 'failed':
    case 'unreadable':
      return failed(setback.reason, setback.message, setback.remedy);
  }
}
