import type { Change } from '../change.js';
import { mergeRunLogs, withoutEntries } from '../merge.js';
import { type Fact, parseState, statePath, withFacts } from '../state.js';
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
  return { kind: 'rewrite', path, rewrite: (text) => mergeRunLogs(withoutEntries(text, gone), entry.text) };
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

/** What a fact's key may hold (see `state.ts`); an id of a hand-made provenance line may hold anything. */
const KEY = /^[A-Za-z0-9._:/@+%#-]+$/;

/** Whether an id can be noted as forgotten. */
function isNotable(id: string): boolean {
  return KEY.test(id);
}

/** Takes the entry of an id out of a log; every other byte stays. */
export function forgetEntry(path: string, id: string): Change {
  const ids = new Set([id]);
  return { kind: 'rewrite', path, rewrite: (text) => withoutEntries(text, ids) };
}

/** Notes next to a log that an id is forgotten, so that it never comes back; the first time it was noted stays. */
export function noteForgotten(path: string, id: string, at: Date): readonly Change[] {
  if (!isNotable(id)) return [];
  const fact: Fact = { kind: 'forgotten', key: id, rest: `at=${at.toISOString().replace(/\.\d+Z$/, 'Z')}` };
  const rewrite = (text: string) => (isRecorded(text, id) ? text : withFacts(text, [fact]));
  return [{ kind: 'rewrite', path: statePath(path), rewrite }];
}

function isRecorded(state: string, id: string): boolean {
  return parseState(state).some(({ kind, key }) => kind === 'forgotten' && key === id);
}
