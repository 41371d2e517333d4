import { textId } from '../lib/text/text-id.js';
import { countEntries, type Entry, joinOnLines, parseEntries } from './run-log.js';

/**
 * A timestamped entry with everything up to the next one. A part whose heading is not a timestamp
 * (`## Findings` in a result that axe stored) belongs to the entry above it, and moves and goes
 * with it. Only a part with another id than the entry above is an entry of its own: somebody
 * changed its heading.
 */
export interface TimestampedEntry {
  readonly text: string;
  /** From its own heading, or else from the entry above. */
  readonly timeMs: number;
  /** The id of its provenance line, or else {@link textId} of its text. */
  readonly id: string;
}

/** A run log taken apart; joined again, the parts are the text. */
interface Log {
  /** The text before the first timestamp. */
  readonly preamble: string;
  readonly units: readonly TimestampedEntry[];
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)\s*$/;

export function parseLog(log: string): Log {
  const groups: {
    readonly start: number;
    readonly timeMs: number;
    readonly texts: string[];
    id?: string;
  }[] = [];

  for (const entry of parseEntries(log)) {
    const { start, heading, text, id } = entry;
    const above = groups.at(-1);
    if (isTimestamped(entry))
      groups.push({ start, timeMs: Date.parse(heading.trimEnd()), texts: [text], id });
    else if (above === undefined) continue;
    else if (id !== undefined && above.id !== undefined && above.id !== id)
      groups.push({ start, timeMs: above.timeMs, texts: [text], id });
    else {
      above.id ??= id;
      above.texts.push(text);
    }
  }

  const units = groups.map(({ timeMs, texts, id }) => {
    const text = texts.join('');
    return { text, timeMs, id: id ?? textId(text) };
  });
  return { preamble: log.slice(0, groups[0]?.start ?? log.length), units };
}

/** Inserts an entry into a log by its time, unless it is there; every other byte stays. */
export function withEntry(log: string, entry: string): string {
  const { preamble, units } = parseLog(log);
  const [added] = parseLog(entry).units;
  if (units.some(({ id }) => id === added?.id) || log.includes(entry.trim())) return log;

  const laterIndex = units.findIndex(({ timeMs }) => added === undefined || added.timeMs < timeMs);
  const index = laterIndex < 0 ? units.length : laterIndex;
  const texts = units.map(({ text }) => text);
  return joinOnLines([preamble, ...texts.slice(0, index), entry, ...texts.slice(index)]);
}

/** The log without the entries of these ids; every other byte stays. */
export function withoutEntries(log: string, ids: ReadonlySet<string>): string {
  const { preamble, units } = parseLog(log);
  if (!units.some(({ id }) => ids.has(id))) return log;
  return preamble + units.flatMap((unit) => (ids.has(unit.id) ? [] : [unit.text])).join('');
}

/** Programs write a time as the heading of an entry; people can write anything. @internal */
export function isTimestamped(entry: Entry): boolean {
  return TIMESTAMP.test(entry.heading) && !Number.isNaN(Date.parse(entry.heading.trimEnd()));
}

/**
 * A part of a run log that gc keeps or removes as a whole. It is a timestamped entry with
 * everything up to the next one, or, above the first of those, one heading that a person wrote with
 * the text under it. The text before the first heading is a part without entries, and always stays.
 */
export interface LogPart {
  readonly text: string;
  /**
   * The id as in {@link TimestampedEntry}; several parts with the same text have the same id. Empty
   * for the text before the first heading.
   */
  readonly id: string;
  /** The number of its lines that start with `## `: `last_n` and `max_entries` count these. */
  readonly entries: number;
  /** Undefined if the heading is not a time. */
  readonly timeMs: number | undefined;
}

/**
 * Number of entries to keep for each id, the newest ones: several entries can have the same text.
 * Entries with other ids stay.
 */
export type KeptCounts = ReadonlyMap<string, number>;

/**
 * Splits a run log into the text to keep and the entries to remove, in the order of the file. Every
 * other byte stays, also the text before the first entry, which axe drops.
 */
export function trimLog(
  text: string,
  keeps: KeptCounts,
): { readonly kept: string; readonly removed: string } {
  const parts = partLog(text);
  const copiesLeft = new Map<string, number>();
  for (const { id } of parts) if (keeps.has(id)) copiesLeft.set(id, (copiesLeft.get(id) ?? 0) + 1);

  const keptTexts: string[] = [];
  const removedTexts: string[] = [];
  for (const part of parts) {
    const copies = copiesLeft.get(part.id) ?? 0;
    copiesLeft.set(part.id, copies - 1);
    const isRemoved = copies > (keeps.get(part.id) ?? 0);
    (isRemoved ? removedTexts : keptTexts).push(part.text);
  }
  return { kept: keptTexts.join(''), removed: removedTexts.join('') };
}

/** Splits a run log into parts; joined again, the parts are the text. */
export function partLog(log: string): readonly LogPart[] {
  const { preamble, units } = parseLog(log);
  const above = parseEntries(preamble);
  const head = preamble.slice(0, above[0]?.start ?? preamble.length);
  return [
    { text: head, id: '', entries: 0, timeMs: undefined },
    ...above.map(({ text, id = textId(text) }) => ({ text, id, entries: 1, timeMs: undefined })),
    ...units.map(({ text, id, timeMs }) => ({ text, id, entries: countEntries(text), timeMs })),
  ];
}
