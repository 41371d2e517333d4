import { MAX_CONTEXT_BYTES, MAX_CONTEXT_FILES } from '../lib/defaults.js';
import type { Warning } from '../lib/warning.js';

/** Only the beginning of a file is looked at (axe-behaviour §7). */
export const BINARY_CHECK_BYTES = 512;

/** Paths a warning names; the rest is counted. */
const MAX_NAMED = 5;

/** Whether a file is binary: it has a NUL among its first 512 bytes (axe-behaviour §7). */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, BINARY_CHECK_BYTES).includes(0);
}

/** How much of a prompt context files may take: asked file by file, in the order of their paths. */
export interface ContextBudget {
  /** Whether a file of this size still fits; if so, it counts. Once the files are too many, none fits. */
  take(path: string, bytes: number): boolean;
  /** Whether no further file can fit, however small. */
  isSpent(): boolean;
  /** What was left out, as at most one warning. */
  warnings(): readonly Warning[];
}

/** A budget of MAX_CONTEXT_FILES files and MAX_CONTEXT_BYTES bytes. */
export function createContextBudget(): ContextBudget {
  const leftOut: string[] = [];
  let files = 0;
  let bytesTaken = 0;
  return {
    take(path, bytes) {
      const fits = files < MAX_CONTEXT_FILES && bytesTaken + bytes <= MAX_CONTEXT_BYTES;
      if (fits) {
        files += 1;
        bytesTaken += bytes;
      } else leftOut.push(path);
      return fits;
    },
    isSpent: () => files >= MAX_CONTEXT_FILES,
    warnings: () => (leftOut.length === 0 ? [] : [leftOutWarning(leftOut)]),
  };
}

function leftOutWarning(paths: readonly string[]): Warning {
  const named = paths.slice(0, MAX_NAMED).map((path) => JSON.stringify(path));
  const more = paths.length - named.length;
  const list = more === 0 ? named.join(', ') : `${named.join(', ')} and ${more} more`;
  const limit = `a prompt holds at most ${MAX_CONTEXT_FILES} context files and ${MAX_CONTEXT_BYTES / 1024} KiB of them`;
  return {
    code: 'context-file-skipped',
    message: `${paths.length} context ${paths.length === 1 ? 'file was' : 'files were'} left out, since ${limit}: ${list}. Narrow the patterns in \`files\`.`,
  };
}

export interface ContextFile {
  /** `/`-separated, relative to the workdir. */
  readonly path: string;
  readonly content: string;
}
