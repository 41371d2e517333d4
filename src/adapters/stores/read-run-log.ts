import type { OpenFile } from '../../core/files.js';
import type { Place, ReadRequest, RestoreResult } from '../../core/memory/store.js';
import { countEntriesIn, readTail } from '../../core/memory/tail.js';
import type { Warning } from '../../core/warning.js';

/** Where a run log was found and what was noticed on the way. */
export interface LoadedLog extends Place {
  /** What stands beside the log (D36). */
  readonly state?: string;
  readonly warnings: readonly Warning[];
}

const CONFLICT_MARKER = /^(?:<{7}|>{7}) /m;

/** What a store answers about the run log in an open file. Throws what reading throws. */
export async function readRunLog(
  file: OpenFile,
  { paths, count, ...wanted }: ReadRequest,
  found: LoadedLog,
): Promise<RestoreResult> {
  if (file.bytes === 0) return { ...found, kind: 'empty' };
  const { text, loaded, truncated } = await readTail(file, wanted);
  return {
    ...found,
    kind: 'restored',
    text,
    loaded,
    total: count ? await countEntriesIn(file) : undefined,
    truncated: truncated ? { fileBytes: file.bytes } : undefined,
    warnings: [...found.warnings, ...conflictWarnings(text, paths[0] ?? '')],
  };
}

/** A merge that was never finished; entries of both sides are read all the same. */
function conflictWarnings(text: string, path: string): readonly Warning[] {
  if (!CONFLICT_MARKER.test(text)) return [];
  const message = `\`${path}\` holds git conflict markers. The entries of both sides were read; take the marker lines out.`;
  return [{ code: 'memory-store-notice', message }];
}
