import { countEntries, type Entry, EntrySplitter } from './run-log.js';
import { textId, type Unit, UnitBuilder } from './units.js';

/** Which entries go. */
export interface Trimmings {
  /** Each id once. */
  readonly ids: readonly string[];
  /** Of these ids so many entries stay, the newest: several entries may have the same text. Of all others none does. */
  readonly leaves?: ReadonlyMap<string, number>;
}

/** A run log taken in two. */
interface Trimmed {
  readonly kept: string;
  /** What was taken out, in the order of the file; empty for nothing. */
  readonly removed: string;
}

/**
 * A run log without these entries. Every other byte stays, text before the first entry too, which axe drops
 * (axe-behaviour §19).
 */
export function trimLog(text: string, trimmings: Trimmings): Trimmed {
  const { head, parts } = partLog(text);
  const trimmer = new Trimmer(trimmings);
  for (const part of parts) trimmer.count(part);
  if (!trimmer.removesAny) return { kept: text, removed: '' };
  const [kept, removed]: [string[], string[]] = [[head], []];
  const removes = trimmer.pass();
  for (const part of parts) (removes(part) ? removed : kept).push(part.text);
  return { kept: kept.join(''), removed: removed.join('') };
}

/** Which parts of a log go: it has to see all of them before it can say of the first whether a newer one is the same. */
export class Trimmer {
  readonly #ids: ReadonlySet<string>;
  readonly #leaves: ReadonlyMap<string, number>;
  /** Of ids of which some stay: parts that are still to come. */
  readonly #coming = new Map<string, number>();
  #removed = 0;

  constructor({ ids, leaves = new Map() }: Trimmings) {
    this.#ids = new Set(ids);
    this.#leaves = leaves;
  }

  /** Whether anything goes of the parts that were counted. */
  get removesAny(): boolean {
    return this.#removed > 0;
  }

  /** To be told of each part first. */
  count({ id }: LogPart): void {
    if (!this.#ids.has(id)) return;
    const leaves = this.#leaves.get(id) ?? 0;
    const coming = leaves === 0 ? 1 : (this.#coming.get(id) ?? 0) + 1;
    if (leaves > 0) this.#coming.set(id, coming);
    if (coming > leaves) this.#removed += 1;
  }

  /** Says whether the next part goes; to be asked of each part once, in the order of the file. */
  pass(): (part: LogPart) => boolean {
    const coming = new Map(this.#coming);
    return ({ id }) => {
      if (!this.#ids.has(id)) return false;
      const leaves = this.#leaves.get(id) ?? 0;
      if (leaves === 0) return true;
      const left = coming.get(id) ?? 0;
      coming.set(id, left - 1);
      return left > leaves;
    };
  }
}

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
interface PartedLog {
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
