import type { Change } from '../change.js';
import { mergeRunLogs, withoutEntries } from '../merge.js';
import { parseLog } from '../units.js';
import type { ComposedEntry } from './compose.js';

/** An entry that takes the place of another. */
export interface Replacement {
  readonly path: string;
  readonly oldId: string;
  readonly entry: ComposedEntry;
}

/** Puts the new entry where the old one is; where there is no old one, nothing changes. */
export function replaceEntry({ path, oldId, entry }: Replacement): Change {
  const rewrite = (text: string) => withReplacement(text, oldId, entry);
  return { kind: 'rewrite', path, rewrite };
}

/** The same, but where there is no old one, the new entry goes to its place by time. */
export function placeEntry({ path, oldId, entry }: Replacement): Change {
  const rewrite = (text: string) => mergeRunLogs(withReplacement(text, oldId, entry), entry.text);
  return { kind: 'rewrite', path, rewrite };
}

/**
 * The log with the entry in the first place of the old id; further ones of that id are the same entry, and go. Every
 * other byte stays, and so do the old one's line ends and the blank lines after it.
 */
function withReplacement(log: string, oldId: string, { id, text }: ComposedEntry): string {
  const { preamble, units } = parseLog(log);
  if (id === oldId || !units.some((unit) => unit.id === oldId)) return log;
  if (units.some((unit) => unit.id === id)) return withoutEntries(log, new Set([oldId]));
  const first = units.findIndex((unit) => unit.id === oldId);
  const parts = units.flatMap((unit, index) => {
    if (unit.id !== oldId) return [unit.text];
    return index === first ? [fitted(text, unit.text)] : [];
  });
  return preamble + parts.join('');
}

function fitted(text: string, old: string): string {
  const isWindows = old.includes('\r\n') && !/(?<!\r)\n/.test(old);
  const end = /\s*$/.exec(old)?.[0] ?? '';
  const body = isWindows ? text.trimEnd().replaceAll('\n', '\r\n') : text.trimEnd();
  if (end.includes('\n')) return body + end;
  return body + (isWindows ? '\r\n\r\n' : '\n\n');
}
