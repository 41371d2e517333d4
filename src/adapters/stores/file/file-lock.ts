import { hostname } from 'node:os';
import type { Clock } from '../../../core/clock.js';
import type { Files } from '../../../core/files.js';
import { readWhole } from '../../../core/text/read-whole.js';

/** A lock that is held. */
export interface Lock {
  /** Whether it is still ours: another process may have taken it for stale. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** What taking a lock needs. */
export interface LockOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Time by which it has to be taken, in milliseconds since 1970. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

const STALE_AFTER_MS = 60_000;
const MAX_WAIT_MS = 500;

/**
 * Takes the lock of a file: a file beside it, `<file>.lock`, created exclusively, that says who holds it since
 * when. One older than 60 s was left by a process that died. Undefined if it could not be taken in time.
 */
export async function takeLock(
  path: string,
  { files, clock, deadlineMs, signal }: LockOptions,
): Promise<Lock | undefined> {
  const lockPath = `${path}.lock`;
  for (;;) {
    const content = `${process.pid} ${hostname()} ${clock.now().toISOString()} ${clock.newId()}\n`;
    if (await files.createExclusive(lockPath, content)) {
      return {
        isHeld: async () => (await readLock(files, lockPath)) === content,
        release: async () => {
          if ((await readLock(files, lockPath)) === content) await files.remove(lockPath);
        },
      };
    }
    const held = await readLock(files, lockPath);
    const isStale = held !== undefined && isOld(held, clock.now().getTime());
    if (isStale && (await readLock(files, lockPath)) === held) await files.remove(lockPath);
    else await clock.sleep(Math.max(1, clock.random() * MAX_WAIT_MS), signal);
    if (signal.aborted || clock.now().getTime() > deadlineMs) return undefined;
  }
}

async function readLock(files: Files, path: string): Promise<string | undefined> {
  return await readWhole(files, path, { followLinks: false });
}

/** A lock from the future, by more than any clock skew, is as dead as an old one; so is one that is not ours. */
function isOld(content: string, nowMs: number): boolean {
  const sinceMs = Date.parse(content.trim().split(' ').at(-2) ?? '');
  return Number.isNaN(sinceMs) || Math.abs(nowMs - sinceMs) >= STALE_AFTER_MS;
}
