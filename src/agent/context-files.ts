import { MAX_CONTEXT_BYTES, MAX_CONTEXT_FILES } from '../lib/defaults.js';
import type { Warning } from '../lib/errors.js';

/** A warning names this many paths and counts the others. */
const MAX_NAMED = 5;

/**
 * Limits context files to MAX_CONTEXT_FILES and MAX_CONTEXT_BYTES. It must be called for one file
 * after the other, in the order of their paths.
 */
export function createContextBudget() {
  const leftOut: string[] = [];
  let files = 0;
  let bytesTaken = 0;
  return {
    /** True if a file of this size still fits; then it counts. */
    take(path: string, bytes: number): boolean {
      const fits = files < MAX_CONTEXT_FILES && bytesTaken + bytes <= MAX_CONTEXT_BYTES;
      if (fits) {
        files += 1;
        bytesTaken += bytes;
      } else leftOut.push(path);
      return fits;
    },
    /** No further file can fit, however small. */
    isSpent: () => files >= MAX_CONTEXT_FILES,
    /** At most one warning, for all files that were left out. */
    warnings(): readonly Warning[] {
      if (leftOut.length === 0) return [];

      const named = leftOut.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
      const more =
        leftOut.length > named.length ? ` and ${leftOut.length - named.length} more` : '';
      const limit = `a prompt holds at most ${MAX_CONTEXT_FILES} context files and ${MAX_CONTEXT_BYTES / 1024} KiB of them`;
      const message = `${leftOut.length} context ${leftOut.length === 1 ? 'file was' : 'files were'} left out, since ${limit}: ${named.join(', ')}${more}. Narrow the patterns in \`files\`.`;
      return [{ code: 'context-file-skipped', message }];
    },
  };
}

export type ContextBudget = ReturnType<typeof createContextBudget>;

export interface ContextFile {
  /** `/`-separated, relative to the workdir. */
  readonly path: string;
  readonly content: string;
}
