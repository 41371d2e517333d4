import { NOTES_LIMITS } from '../../defaults.js';
import type { NoteAnswer, NoteWish } from './notes-port.js';

/** What a run may write to its notes in all, counted as it writes. */
export interface Allowance {
  /** Why these bytes may not be written to the file any more; undefined where they may. */
  refusal(path: string, bytes: number): Extract<NoteAnswer, { readonly kind: 'failed' }> | undefined;
  /** Counts a write that was made. */
  spend(bytes: number): void;
}

/** Nothing is spent yet; one write of the most bytes that an agent is allowed always fits. */
export function createAllowance(maxWriteBytes: number): Allowance {
  const { runWrites } = NOTES_LIMITS;
  const runBytes = Math.max(NOTES_LIMITS.runBytes, maxWriteBytes);
  let [bytesSpent, writes] = [0, 0];
  return {
    refusal(path, bytes) {
      const left = runBytes - bytesSpent;
      if (bytes > left)
        return refused(
          `${path} would get ${bytes} bytes, and of the ${runBytes} that a run may write to notes ${left} are left`,
        );
      if (writes < runWrites) return undefined;
      return refused(`${path} is left as it is, since a run may write to notes ${runWrites} times`);
    },
    spend(bytes) {
      bytesSpent += bytes;
      writes += 1;
    },
  };
}

function refused(why: string): Extract<NoteAnswer, { readonly kind: 'failed' }> {
  return { kind: 'failed', reason: 'error', message: `${why}. Write less; the next run may write again.` };
}

/** Whether a wish counts: nothing is written by a deletion, and the summary of a conversation is the run's own. */
export function isCounted(wish: NoteWish): boolean {
  switch (wish.kind) {
    case 'append':
      return typeof wish.form === 'string';
    case 'overwrite':
    case 'replace':
      return true;
    case 'delete':
      return false;
  }
}
