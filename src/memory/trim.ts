import { countEntries, parseEntries } from './run-log.js';
import { parseLog, textId } from './units.js';

/**
 * A part of a run log that gc keeps or removes as a whole: a timestamped entry with everything up to the next one, or,
 * above the first of those, one heading that a person wrote with the text under it. The text before the first heading is a
 * part without entries, and always stays.
 */
export interface LogPart {
  readonly text: string;
  /** As a unit has it; several parts with the same text have the same id. Empty for the text before the first heading. */
  readonly id: string;
  /** How `last_n` and `max_entries` count it: its lines that start with `## ` (D6). */
  readonly entries: number;
  /** Undefined where the heading is not a time. */
  readonly timeMs: number | undefined;
}

/** Of the entries with these ids so many stay, the newest: several entries may have the same text. Others stay anyway. */
export type Trimmings = ReadonlyMap<string, number>;

/**
 * A run log without these entries, and what was taken out, in the order of the file. Every other byte stays, text before
 * the first entry too, which axe drops (axe-behaviour §19).
 */
export function trimLog(text: string, keeps: Trimmings): { readonly kept: string; readonly removed: string } {
  const parts = partLog(text);
  const coming = new Map<string, number>();
  for (const { id } of parts) if (keeps.has(id)) coming.set(id, (coming.get(id) ?? 0) + 1);
  const [kept, removed]: [string[], string[]] = [[], []];
  for (const part of parts) {
    const left = coming.get(part.id) ?? 0;
    coming.set(part.id, left - 1);
    (left > (keeps.get(part.id) ?? 0) ? removed : kept).push(part.text);
  }
  return { kept: kept.join(''), removed: removed.join('') };
}

/** Takes a run log apart; joined again, the parts are the text. */
export function partLog(text: string): readonly LogPart[] {
  const { preamble, units } = parseLog(text);
  const above = parseEntries(preamble);
  const head = preamble.slice(0, above[0]?.start ?? preamble.length);
  return [
    { text: head, id: '', entries: 0, timeMs: undefined },
    ...above.map(({ text, id = textId(text) }) => ({ text, id, entries: 1, timeMs: undefined })),
    ...units.map(({ text, id, timeMs }) => ({ text, id, entries: countEntries(text), timeMs })),
  ];
}
