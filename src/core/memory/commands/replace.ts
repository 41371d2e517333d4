import type { Change } from '../change.js';
import { mergeRunLogs, withoutEntries } from '../merge.js';
import { type Fact, parseState, statePath, withFacts } from '../state.js';
import { parseLog } from '../units.js';
import type { ComposedEntry } from './compose.js';
import type { MemoryEntry } from './entry.js';

/** An entry that takes the place of another. */
interface Replacement {
  readonly path: string;
  readonly oldId: string;
  readonly entry: ComposedEntry;
}

/** Puts the new entry where the old one is; where there is none, to its place by time. */
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
