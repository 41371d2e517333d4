import type { OpenFile } from '../../files.js';
import { countBytes } from '../../text/bytes.js';
import { SpanReader, unitsOf } from '../log-pieces.js';
import { parseEntries } from '../run-log.js';
import { type PlacedUnit, textId, type Unit } from '../units.js';
import { type LogLane, type MemoryEntry, readEntry } from './entry.js';

/** Entries for which there is room at the beginning. */
const FIRST_ROOM = 1024;
/** Entries that are given at once. */
const GROUP = 16;

/** Looks where the entries of a log are, of all or of those that are wanted. */
export async function indexEntries(
  file: OpenFile,
  wants: (placed: PlacedUnit) => boolean = () => true,
): Promise<EntryIndex> {
  const index = new EntryIndex();
  for await (const units of unitsOf(file)) for (const placed of units) index.add(placed, wants(placed));
  return index;
}

/**
 * Where the entries of a log are in its file, 24 bytes an entry, so that a log of any size can be shown with the newest
 * first, which is not the order it is read in.
 */
class EntryIndex {
  #all = 0;
  #bytes = 0;
  #length = 0;
  #times = new Float64Array(FIRST_ROOM);
  /** From the first entry on; one stands below the other, so it begins where all their bytes would end the file. */
  #starts = new Float64Array(FIRST_ROOM);
  #sizes = new Uint32Array(FIRST_ROOM);
  #lines = new Uint32Array(FIRST_ROOM);

  /** Entries of the log. */
  get all(): number {
    return this.#all;
  }

  /** Those of them that are wanted. */
  get length(): number {
    return this.#length;
  }

  /** Notes the next entry of the log. */
  add({ unit, line }: PlacedUnit, isWanted: boolean): void {
    const [start, bytes] = [this.#bytes, countBytes(unit.text)];
    this.#all += 1;
    this.#bytes += bytes;
    if (!isWanted) return;
    const at = this.#length;
    if (at === this.#times.length) this.#grow();
    this.#times[at] = unit.timeMs;
    this.#starts[at] = start;
    this.#sizes[at] = bytes;
    this.#lines[at] = line;
    this.#length = at + 1;
  }

  /** The newest (0: all), read from the file that was looked at: by their times, of one time the one that is below. */
  async *newest(file: OpenFile, lane: LogLane, last: number): AsyncGenerator<readonly MemoryEntry[]> {
    const order = this.#newestFirst();
    const end = last === 0 ? order.length : Math.min(last, order.length);
    const spans = new SpanReader(file);
    const first = file.bytes - this.#bytes;
    for (let from = 0; from < end; from += GROUP) {
      const group: MemoryEntry[] = [];
      for (const at of order.subarray(from, Math.min(from + GROUP, end))) {
        const start = first + (this.#starts[at] ?? 0);
        const text = await spans.read({ start, end: start + (this.#sizes[at] ?? 0) });
        const unit = asUnit(text, this.#times[at] ?? 0);
        group.push(readEntry({ unit, line: this.#lines[at] ?? 0 }, lane));
      }
      yield group;
    }
  }

  #newestFirst(): Uint32Array {
    const times = this.#times;
    const order = Uint32Array.from({ length: this.#length }, (_, index) => this.#length - 1 - index);
    const isSorted = order.every((at, index) => index === 0 || (times[at] ?? 0) <= (times[at + 1] ?? 0));
    if (isSorted) return order;
    return order.sort((one, other) => (times[other] ?? 0) - (times[one] ?? 0) || other - one);
  }

  #grow(): void {
    const room = this.#times.length * 2;
    this.#times = enlarged(this.#times, new Float64Array(room));
    this.#starts = enlarged(this.#starts, new Float64Array(room));
    this.#sizes = enlarged(this.#sizes, new Uint32Array(room));
    this.#lines = enlarged(this.#lines, new Uint32Array(room));
  }
}

function enlarged<T extends Float64Array | Uint32Array>(from: T, to: T): T {
  to.set(from);
  return to;
}

/** A unit by its text alone, which may begin with a heading that is no time. */
function asUnit(text: string, timeMs: number): Unit {
  const id = parseEntries(text).find((entry) => entry.id !== undefined)?.id;
  return { start: 0, text, timeMs, id: id ?? textId(text), hasProvenance: id !== undefined };
}
