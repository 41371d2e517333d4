import type { Change } from '../change.js';
import { withoutEntries } from '../merge.js';
import { type Fact, parseState, statePath, withFacts } from '../state.js';

/** What a fact's key may hold (see `state.ts`); an id of a hand-made provenance line may hold anything. */
const KEY = /^[A-Za-z0-9._:/@+%#-]+$/;

/** Whether an id can be noted as forgotten. */
export function isNotable(id: string): boolean {
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
