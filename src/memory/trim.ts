import type { OpenFile } from '../lib/files.js';
import { decodeBytes, encodeBytes } from '../lib/text/bytes.js';
import { countEntries, type Entry, EntrySplitter } from './run-log.js';
import { openBytes, readExactly, wholeAtEnd } from './tail.js';
import { textId, UnitBuilder } from './units.js';

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
  const trimmer = new Trimmer(keeps);
  for (const part of parts) trimmer.count(part);
  const removes = trimmer.pass();
  const [kept, removed]: [string[], string[]] = [[], []];
  for (const part of parts) (removes(part) ? removed : kept).push(part.text);
  return { kept: kept.join(''), removed: removed.join('') };
}

/** Which parts of a log go: it has to see all of them before it can say of the first whether a newer one is the same. */
export class Trimmer {
  readonly #keeps: Trimmings;
  readonly #counts = new Map<string, number>();

  constructor(keeps: Trimmings) {
    this.#keeps = keeps;
  }

  /** Whether anything goes of the parts that were counted. */
  get removesAny(): boolean {
    return [...this.#counts].some(([id, count]) => count > (this.#keeps.get(id) ?? 0));
  }

  /** Each part has to be counted first. */
  count({ id }: LogPart): void {
    if (this.#keeps.has(id)) this.#counts.set(id, (this.#counts.get(id) ?? 0) + 1);
  }

  /** Says whether the next part goes; to be asked of each part once, in the order of the file. */
  pass(): (part: LogPart) => boolean {
    const coming = new Map(this.#counts);
    return ({ id }) => {
      const left = coming.get(id) ?? 0;
      coming.set(id, left - 1);
      return left > (this.#keeps.get(id) ?? 0);
    };
  }
}

/** Takes a run log apart; joined again, the parts are the text. */
export function partLog(text: string): readonly LogPart[] {
  const reader = new PartReader();
  return [...reader.push(text), ...reader.end()];
}

/** {@link partLog} for a log that comes in pieces. */
export class PartReader {
  readonly #splitter = new EntrySplitter();
  readonly #builder = new UnitBuilder();
  #isHeadGiven = false;

  /** Parts that are over with this piece. */
  push(piece: string): readonly LogPart[] {
    const entries = this.#splitter.push(piece);
    return entries.length === 0 ? [] : this.#take(entries);
  }

  /** What is left once there are no more pieces. */
  end(): readonly LogPart[] {
    return [...this.#take(this.#splitter.end()), ...this.#builder.end().map(timedPart)];
  }

  #take(entries: readonly Entry[]): readonly LogPart[] {
    const parts = entries.flatMap((entry): readonly LogPart[] => {
      const unit = this.#builder.add(entry);
      if (unit !== undefined) return [timedPart(unit)];
      const { text, id = textId(text) } = entry;
      return this.#builder.isBegun ? [] : [{ text, id, entries: 1, timeMs: undefined }];
    });
    if (this.#isHeadGiven) return parts;
    this.#isHeadGiven = true;
    return [{ text: this.#splitter.head, id: '', entries: 0, timeMs: undefined }, ...parts];
  }
}

function timedPart({ text, id, timeMs }: Omit<LogPart, 'entries'>): LogPart {
  return { text, id, entries: countEntries(text), timeMs };
}

/** The parts of a log of any size, a few at a time. Throws what reading throws. */
export async function* partsOf(file: OpenFile): AsyncGenerator<readonly LogPart[]> {
  const reader = new PartReader();
  for await (const piece of piecesOf(file)) yield reader.push(piece);
  yield reader.end();
}

/** Bytes that are read at once: enough that reading costs little. */
const BLOCK_BYTES = 64 * 1024;

/** Bytes of a piece: what is alive when V8 collects makes its heap grow, and that is mostly the piece at hand. */
const PIECE_BYTES = 8 * 1024;

/** A text as a file, so that what is in memory and what is on disk are read in the same way. */
export function openText(text: string): OpenFile {
  return openBytes(encodeBytes(text));
}

/**
 * The text of a file in pieces, none of which splits a character; together they are what {@link decodeBytes} makes of
 * all its bytes. Throws what reading throws, and an Error if the file becomes shorter meanwhile.
 */
export async function* piecesOf(file: OpenFile, pieceBytes = PIECE_BYTES): AsyncGenerator<string> {
  const blockBytes = Math.max(BLOCK_BYTES, pieceBytes);
  let at = 0;
  while (at < file.bytes) {
    const length = Math.min(blockBytes, file.bytes - at);
    const block = await readExactly(file, at, length);
    const isLast = at + length === file.bytes;
    // Bytes that begin a character are never in the middle of one, so what is decoded before one is decoded alike.
    const bytes = isLast ? block : wholeAtEnd(block);
    at += bytes.length;
    for (let from = 0; from < bytes.length; ) {
      const part = bytes.subarray(from, from + pieceBytes);
      const piece = from + part.length < bytes.length ? wholeAtEnd(part) : part;
      from += piece.length;
      yield decodeBytes(piece);
    }
  }
}
