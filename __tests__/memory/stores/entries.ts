import type { MemoryChange } from '../../../src/memory/change.js';
import { formatEntry, formatProvenance } from '../../../src/memory/run-log.js';
import type { MemoryStore, RestoreResult } from '../../../src/memory/store.js';
import { withoutEntries } from '../../../src/memory/units.js';

/** The text of an entry with an id; `minute` is that of its time. */
export function entryText(id: string, result = 'done', minute = 5): string {
  return formatEntry({
    timestamp: new Date(Date.UTC(2026, 1, 3, 4, minute, 6)),
    task: `task of ${id}`,
    result,
    provenance: formatProvenance({ id }),
  });
}

/** The change that appends it. */
export function append(
  id: string,
  { path = 'bot.md', result = 'done' } = {},
): Extract<MemoryChange, { kind: 'append' }> {
  return { kind: 'append', path, id, text: entryText(id, result) };
}

/** The text of an entry as axe writes it. */
export function plainEntry(task: string, result = 'done'): string {
  return formatEntry({ timestamp: new Date('2026-02-03T04:05:06Z'), task, result });
}

/** Ids in a text, in its order. */
export function idsIn(text: string): readonly string[] {
  return [...text.matchAll(/ id=([^ ]+) /g)].map((match) => match[1] ?? '');
}

/** The changes by which somebody forgets entries. */
export function forget(ids: readonly string[], path = 'bot.md'): readonly MemoryChange[] {
  return [
    { kind: 'rewrite', path, rewrite: (text) => withoutEntries(text, new Set(ids)), removes: ids },
  ];
}

/** Nobody stops the run. */
export const never = new AbortController().signal;

/** The run log as a run reads it. */
export async function read(store: MemoryStore, path = 'bot.md'): Promise<RestoreResult> {
  return await store.read({ path, lastN: 0 }, never);
}

/** The text of a result that has one. */
export function textOf(result: RestoreResult): string {
  return result.kind === 'restored' ? result.text : `(${result.kind})`;
}

/** Ids of the entries that a run reads. */
export async function idsRead(store: MemoryStore): Promise<readonly string[]> {
  return idsIn(textOf(await read(store)));
}
