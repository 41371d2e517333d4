import { countEntries, type Entry, EntrySplitter } from './run-log.js';
import { textId, type Unit, UnitBuilder } from './units.js';

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
  const reader = new PartReader();
  const [first, last] = [reader.push(text), reader.end()];
  return { head: first.head + last.head, parts: [...first.parts, ...last.parts] };
}

/** {@link partLog} for a log that comes in pieces. */
export class PartReader {
  readonly #splitter = new EntrySplitter();
  readonly #builder = new UnitBuilder();
  #isHeadGiven = false;

  /** Parts that are over with this piece. The text before the first heading is given once. */
  push(piece: string): PartedLog {
    const entries = this.#splitter.push(piece);
    return { head: entries.length > 0 ? this.#takeHead() : '', parts: this.#take(entries) };
  }

  /** What is left once there are no more pieces. */
  end(): PartedLog {
    const parts = this.#take(this.#splitter.end());
    return { head: this.#takeHead(), parts: [...parts, ...this.#builder.end().map(timedPart)] };
  }

  #takeHead(): string {
    const head = this.#isHeadGiven ? '' : this.#splitter.head;
    this.#isHeadGiven = true;
    return head;
  }

  #take(entries: readonly Entry[]): readonly LogPart[] {
    return entries.flatMap((entry) => {
      const unit = this.#builder.add(entry);
      if (unit !== undefined) return [timedPart(unit)];
      return this.#builder.isBegun ? [] : [writtenPart(entry)];
    });
  }
}

function writtenPart({ text, id }: Entry): LogPart {
  return { text, id: id ?? textId(text), entries: 1, timeMs: undefined };
}

function timedPart({ text, id, timeMs }: Unit): LogPart {
  return { text, id, entries: countEntries(text), timeMs };
}
