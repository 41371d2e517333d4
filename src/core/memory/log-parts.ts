import { countEntries, parseEntries } from './run-log.js';
import { parseLog, textId } from './units.js';

/**
 * A part of a run log that gc keeps or removes as a whole: a timestamped entry with everything up to the next one, or,
 * above the first of those, one heading that a person wrote with the text under it.
 */
export interface LogPart {
  readonly text: string;
  /** As {@link Unit} has it; several parts with the same text have the same id. */
  readonly id: string;
  /** How `last_n` and `max_entries` count it: its lines that start with `## ` (D6). */
  readonly entries: number;
  /** Undefined where the heading is not a time. */
  readonly timeMs: number | undefined;
}

/** A run log taken apart; joined again, the parts are the text. */
export interface PartedLog {
  /** Text before the first heading. */
  readonly head: string;
  readonly parts: readonly LogPart[];
}

/** Takes a run log apart so that its parts together count as many entries as the log. */
export function partLog(text: string): PartedLog {
  const { preamble, units } = parseLog(text);
  const headings = parseEntries(preamble);
  const written = headings.map((entry): LogPart => {
    return { text: entry.text, id: entry.id ?? textId(entry.text), entries: 1, timeMs: undefined };
  });
  const timed = units.map((unit): LogPart => {
    return { text: unit.text, id: unit.id, entries: countEntries(unit.text), timeMs: unit.timeMs };
  });
  return { head: preamble.slice(0, headings[0]?.start ?? preamble.length), parts: [...written, ...timed] };
}
