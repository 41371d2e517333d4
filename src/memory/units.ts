import { textId } from '../lib/text/text-id.js';
import { countEntries, type Entry, joinOnLines, parseEntries } from './run-log.js';

/**
 * A timestamped entry with everything up to the next one: what is under a heading that is not a
 * timestamp (`## Findings` in a result that axe stored) belongs to the entry above it, moves with
 * it and goes with it. Only a part that names an id although the entry above has one already is an
 * entry of its own: somebody changed its heading.
 */
export interface TimestampedEntry {
  readonly text: string;
  /** As the heading says, or else as that of the entry above. */
  readonly timeMs: number;
  /** What it is known by: the id of its provenance line, or else {@link textId} of its text. */
  readonly id: string;
}

/** A run log taken apart; joined again, the parts are the text. */
interface Log {
  /** What is before the first timestamp. */
  readonly preamble: string;
  readonly units: readonly TimestampedEntry[];
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)\s*$/;

/** Takes a run log apart into its timestamped entries. */
export function parseLog(text: string): Log {
  const open: {
    readonly start: number;
    readonly timeMs: number;
    readonly texts: string[];
    id?: string;
  }[] = [];
  for (const entry of parseEntries(text)) {
    const { start, heading, text, id } = entry;
    const above = open.at(-1);
    if (isTimestamped(entry))
      open.push({ start, timeMs: Date.parse(heading.trimEnd()), texts: [text], id });
    else if (above === undefined) continue;
    else if (id !== undefined && above.id !== undefined && above.id !== id)
      open.push({ start, timeMs: above.timeMs, texts: [text], id });
    else {
      above.id ??= id;
      above.texts.push(text);
    }
  }
  const units = open.map(({ timeMs, texts, id }) => {
    const text = texts.join('');
    return { text, timeMs, id: id ?? textId(text) };
  });
  return { preamble: text.slice(0, open[0]?.start ?? text.length), units };
}

/** The log with an entry in its place by time, unless it is there; every other byte stays. */
export function withEntry(log: string, entry: string): string {
  const { preamble, units } = parseLog(log);
  const [added] = parseLog(entry).units;
  if (units.some(({ id }) => id === added?.id) || log.includes(entry.trim())) return log;
  const later = units.findIndex(({ timeMs }) => added === undefined || added.timeMs < timeMs);
  const at = later < 0 ? units.length : later;
  const texts = units.map(({ text }) => text);
  return joinOnLines([preamble, ...texts.slice(0, at), entry, ...texts.slice(at)]);
}

/** The log without the entries of these ids; every other byte stays. */
export function withoutEntries(log: string, ids: ReadonlySet<string>): string {
  const { preamble, units } = parseLog(log);
  if (!units.some(({ id }) => ids.has(id))) return log;
  return preamble + units.flatMap((unit) => (ids.has(unit.id) ? [] : [unit.text])).join('');
}

/** Whether the entry begins with a time, as those do that a program wrote. */
export function isTimestamped(entry: Entry): boolean {
  return TIMESTAMP.test(entry.heading) && !Number.isNaN(Date.parse(entry.heading.trimEnd()));
}

/**
 * A part of a run log that gc keeps or removes as a whole: a timestamped entry with everything up
 * to the next one, or, above the first of those, one heading that a person wrote with the text
 * under it. The text before the first heading is a part without entries, and always stays.
 */
export interface LogPart {
  readonly text: string;
  /**
   * As a unit has it; several parts with the same text have the same id. Empty for the text before
   * the first heading.
   */
  readonly id: string;
  /** How `last_n` and `max_entries` count it: its lines that start with `## ` (D6). */
  readonly entries: number;
  /** Undefined where the heading is not a time. */
  readonly timeMs: number | undefined;
}

/**
 * Of the entries with these ids so many stay, the newest: several entries may have the same text.
 * Others stay anyway.
 */
export type KeptCounts = ReadonlyMap<string, number>;

/**
 * A run log without these entries, and what was taken out, in the order of the file. Every other
 * byte stays, text before the first entry too, which axe drops (axe-behaviour §19).
 */
export function trimLog(
  text: string,
  keeps: KeptCounts,
): { readonly kept: string; readonly removed: string } {
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
