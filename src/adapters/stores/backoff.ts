import type { Clock } from '../../core/clock.js';
import type { FailedSave, SaveFailure } from '../../core/memory/store.js';
import { timeLeftMs } from '../../core/time-limit.js';
import type { CommitResult, Unreadable } from './backend.js';

/** What a patience is made of. */
interface BackoffOptions {
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'random'>;
  /** How long to go on, in milliseconds from now; the signal may leave less. */
  readonly budgetMs: number;
  readonly signal: AbortSignal;
  /** Writes a line for whoever waits meanwhile. */
  readonly log?: (line: string) => void;
}

/** Why an attempt did not get through. */
type RetryableFailure = Unreadable | Exclude<CommitResult, { readonly kind: 'committed' }>;

/** How long a save goes on trying. */
export interface Backoff {
  /** Notes that an attempt to save begins. */
  attempt(): void;
  /** The attempts so far. */
  attempts(): number;
  /** Waits until another attempt is worth it; says why there is none where none is. Rejects when aborted. */
  after(failure: RetryableFailure): Promise<FailedSave | undefined>;
  /** The failure of a save whose time ran out while somebody was asked. */
  spent(): FailedSave;
}

/** Up to so many milliseconds before the second attempt, twice as many before each further one, and never more than the most. */
const FIRST_DELAY_MS = 100;
const MOST_DELAY_MS = 5_000;
const MAX_DOUBLINGS = 16;
const NOTICED_MS = 3_000;

/** Nobody else is in the way of a save whose answer was lost, so only time helps. */
const FIRST_LOST_DELAY_MS = 1_000;
const LOST_GROWTH = 3;
const MAX_LOST_DELAY_MS = 20_000;

/**
 * Conflicts are tried again after the time that the backend says, else with full jitter, anything up to a time that doubles
 * with each of them; lost answers after 1 s, 3 s, 9 s and so on up to 20 s; other trouble only where the other side asks to
 * come again, and never earlier than it asks. Nothing after the budget.
 */
export function createBackoff({ clock, budgetMs, signal, log }: BackoffOptions): Backoff {
  const startMs = clock.now().getTime();
  const deadlineMs = startMs + Math.min(budgetMs, timeLeftMs(signal) ?? budgetMs);
  let attempts = 0;
  let rounds = 0;
  let lost = 0;
  return {
    attempt() {
      attempts += 1;
    },
    attempts: () => attempts,
    async after(failure) {
      rounds += 1;
      const delayMs =
        failure.kind === 'conflict' && failure.waitMs !== undefined
          ? failure.waitMs
          : Math.max(ownDelayMs(failure), requestedDelayMs(failure) ?? 0);
      const isInTime = clock.now().getTime() + delayMs <= deadlineMs;
      if (!mayPass(failure) || !isInTime) return failedSave(failure, effort());
      // Conflicts are nobody's trouble; a service that asks for time is worth a line.
      if (delayMs >= NOTICED_MS && failure.kind === 'failed')
        log?.(
          `Memory: waiting ${Math.ceil(delayMs / 1000)} s before the next attempt to save: ${failure.message}`,
        );
      await clock.sleep(delayMs, signal);
      return undefined;
    },
    spent: () => failed('timeout', `there was no answer in time; gave up after ${effort()}`, STATUS_REMEDY),
  };

  function ownDelayMs({ kind }: RetryableFailure): number {
    if (kind === 'unknown') {
      const delayMs = Math.min(MAX_LOST_DELAY_MS, FIRST_LOST_DELAY_MS * LOST_GROWTH ** lost);
      lost += 1;
      return delayMs;
    }
    const ceilingMs = Math.min(MOST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(rounds - 1, MAX_DOUBLINGS));
    return Math.max(1, Math.round(clock.random() * ceilingMs));
  }

  function effort(): string {
    const seconds = Math.round((clock.now().getTime() - startMs) / 1000);
    return `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} in ${seconds} s`;
  }
}

const STATUS_REMEDY = 'The service is slow or in trouble (https://www.githubstatus.com); run it again later.';

/** A failed save, with the remedy where there is one. */
export function failed(reason: SaveFailure, message: string, remedy?: string): FailedSave {
  return { kind: 'failed', reason, message, ...(remedy === undefined ? {} : { remedy }) };
}

function mayPass(failure: RetryableFailure): boolean {
  return failure.kind === 'conflict' || failure.kind === 'unknown' || requestedDelayMs(failure) !== undefined;
}

function requestedDelayMs(failure: RetryableFailure): number | undefined {
  return failure.kind === 'unknown' ? undefined : failure.retryAfterMs;
}

function failedSave(failure: RetryableFailure, effort: string): FailedSave {
  switch (failure.kind) {
    case 'conflict':
      return failed(
        'conflict',
        `other runs kept changing the same memory; gave up after ${effort}`,
        'Set `concurrency:` on the job, or give its runs memories of their own with `memory-path`.',
      );
    case 'unknown':
      return failed(
        'unavailable',
        `no answer showed whether it was saved, in ${effort}: ${failure.message}`,
        STATUS_REMEDY,
      );
    case 'failed':
    case 'unreadable':
      return failed(failure.reason, failure.message, failure.remedy);
  }
}
