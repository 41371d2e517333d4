import type { Change } from '../../src/axe/memory/change.js';
import { formatProvenance } from '../../src/axe/memory/provenance.js';
import { formatEntry } from '../../src/axe/memory/run-log.js';

const unknown = {
  run: undefined,
  job: undefined,
  event: undefined,
  sha: undefined,
  actor: undefined,
  trust: undefined,
  model: undefined,
};

/** The text of an entry with an id. */
export function entryText(id: string, result = 'done'): string {
  const timestamp = new Date('2026-02-03T04:05:06Z');
  return formatEntry({
    timestamp,
    task: `task of ${id}`,
    result,
    provenance: formatProvenance({ id, ...unknown }),
  });
}

/** The change that appends it. */
export function append(
  id: string,
  { path = 'bot.md', result = 'done' } = {},
): Extract<Change, { kind: 'append' }> {
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
