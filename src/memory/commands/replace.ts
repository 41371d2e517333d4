import type { Change } from '../change.js';
import { withEntry, withoutEntries } from '../units.js';
import type { ComposedEntry } from './compose.js';
import type { MemoryEntry } from './entry.js';

/** An entry that takes the place of another. */
interface Replacement {
  readonly path: string;
  readonly oldId: string;
  readonly entry: ComposedEntry;
}

/** Takes the old entry out and puts the new one to its place by time. */
export function placeEntry({ path, oldId, entry }: Replacement): Change {
  const gone = new Set([oldId]);
  return { kind: 'rewrite', path, rewrite: (text) => withEntry(withoutEntries(text, gone), entry.text) };
}

/** What a person can change of an entry. */
export interface Fields {
  readonly task: string;
  readonly result: string;
}

/** The fields of an entry; of one without them, all it says is the result. */
export function fieldsOf({ task, result, body }: MemoryEntry): Fields {
  if (task === undefined && result === undefined) return { task: '', result: body.trim() };
  return { task: task ?? '', result: result ?? '' };
}

/** Takes the entry of an id out of a log; every other byte stays. */
export function forgetEntry(path: string, id: string): Change {
  const ids = new Set([id]);
  return { kind: 'rewrite', path, rewrite: (text) => withoutEntries(text, ids) };
}
