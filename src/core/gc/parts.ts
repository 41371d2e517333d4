import { GC } from '../defaults.js';
import type { OpenFile } from '../files.js';
import type { BudgetLimits, Price } from '../loop/budget.js';
import { readEntry } from '../memory/commands/entry.js';
import { partsOf, piecesOf } from '../memory/log-pieces.js';
import { promptText } from '../memory/prompt-text.js';
import { type PlacedUnit, UnitReader } from '../memory/units.js';
import { estimateText, TextEstimate } from '../text/truncate.js';
import { LogCounter, type LogStats } from './stats.js';

const LEFT_OUT = '\n[… left out here: the entry is longer than the model can read …]\n';

/**
 * How much of a log may be read within the limits: half of what they allow, since instructions, reports and joining them
 * take their share. Undefined without a limit, and where one on costs meets a model whose price is not known.
 */
export function affordableTokens(
  { maxTokens, maxCostUsd }: BudgetLimits,
  price: Price | undefined,
): number | undefined {
  const forTokens = maxTokens > 0 ? [maxTokens] : [];
  const forCost =
    maxCostUsd > 0 && price !== undefined && price.input > 0 ? [(maxCostUsd / price.input) * 1e6] : [];
  const most = Math.min(...forTokens, ...forCost);
  return Number.isFinite(most) ? Math.floor(most / 2) : undefined;
}

/** What is known of a log once it was read. */
export interface CountedLog {
  /** As `last_n` counts them. */
  readonly entries: number;
  /** Parts of the log, see {@link PartReader}. */
  readonly parts: number;
  /** By estimate. */
  readonly tokens: number;
  readonly stats: LogStats;
}

/** Reads a log once and counts it. Throws what reading throws. */
export async function countLog(file: OpenFile): Promise<CountedLog> {
  const [counter, estimate] = [new LogCounter(), new TextEstimate()];
  let [entries, parts] = [0, 0];
  const reader = new UnitReader((_entry, _line, isBelowUnit) => {
    entries += 1;
    if (!isBelowUnit) parts += 1;
  });
  let units = 0;
  const take = (placed: readonly PlacedUnit[]) => {
    units += placed.length;
    for (const one of placed) counter.add(readEntry(one, 'trusted'));
  };
  for await (const piece of piecesOf(file)) {
    estimate.add(piece);
    take(reader.push(piece));
  }
  take(reader.end());
  // The first timestamped entry is counted above as what people wrote, and as a unit.
  return {
    entries,
    parts: units === 0 ? parts : parts - 1 + units,
    tokens: estimate.tokens,
    stats: counter.stats(),
  };
}

/** The beginning of a log. */
export interface OldestEntries {
  /** Parts of the log that it holds. */
  readonly parts: number;
  /** Entries in it, as `last_n` counts them. */
  readonly entries: number;
}

/**
 * The beginning of the log, in whole entries that make at most so many tokens by estimate. Undefined where there is no
 * room for one, or so little that a long log would be read in crumbs. Throws what reading throws.
 */
export async function oldestEntries(
  file: OpenFile,
  { parts: all, entries: inAll, tokens: needed }: CountedLog,
  tokens: number | undefined,
): Promise<OldestEntries | undefined> {
  if (tokens === undefined || all === 0 || needed <= tokens) return { parts: all, entries: inAll };
  if (tokens < GC.leastRoomTokens) return undefined;
  let [left, fitting, entries] = [tokens, 0, 0];
  for await (const { head, parts } of partsOf(piecesOf(file))) {
    left -= estimateText(head);
    for (const part of parts) {
      left -= estimateText(part.text) + 1;
      if (left < 0) return fitting === 0 ? undefined : { parts: fitting, entries };
      fitting += 1;
      entries += part.entries;
    }
  }
  return fitting === 0 ? undefined : { parts: fitting, entries };
}

/**
 * The beginning of a log as a model is given it: the text above the entries, then one entry after the other. Throws what
 * reading throws.
 */
export async function* promptPieces(
  file: OpenFile,
  { parts: wanted }: OldestEntries,
): AsyncGenerator<string> {
  let left = wanted;
  for await (const { head, parts } of partsOf(piecesOf(file))) {
    if (head !== '') yield promptText(head);
    for (const part of parts) {
      if (left === 0) return;
      left -= 1;
      yield promptText(part.text);
    }
  }
}

/** How many tokens the pieces of a text have together, by estimate. */
export async function estimatePieces(pieces: AsyncIterable<string>): Promise<number> {
  const estimate = new TextEstimate();
  for await (const piece of pieces) estimate.add(piece);
  return estimate.tokens;
}

/** In how many questions a log is given to a model. */
interface PlannedParts {
  /** It fits into one question as it is. */
  readonly isWhole: boolean;
  readonly parts: number;
}

/** Reads a log once and says what {@link splitLog} makes of it; keeps nothing of its text. */
export async function planParts(pieces: AsyncIterable<string>, roomTokens: number): Promise<PlannedParts> {
  const [all, filler] = [new TextEstimate(), new Filler(roomTokens)];
  let parts = 0;
  for await (const piece of pieces) {
    all.add(piece);
    if (piece.trim() !== '' && filler.begins(cutToTokens(piece, roomTokens))) parts += 1;
  }
  return all.tokens <= roomTokens ? { isWhole: true, parts: 1 } : { isWhole: false, parts };
}

/**
 * A log, given as well-formed pieces that stay whole, in parts of at most so many tokens by estimate. Of a piece that is
 * longer alone, beginning and end are kept.
 */
export async function* splitLog(pieces: AsyncIterable<string>, roomTokens: number): AsyncGenerator<string> {
  const [filler, part] = [new Filler(roomTokens), new TextCollector()];
  for await (const piece of pieces) {
    if (piece.trim() === '') continue;
    const cut = cutToTokens(piece, roomTokens);
    if (filler.begins(cut) && !part.isEmpty) yield part.take();
    part.add(cut);
  }
  if (!part.isEmpty) yield part.take();
}

/**
 * Puts a text together outside of V8's heap. Pieces that wait there for the others would be copied by every collection,
 * and the heap would grow with them.
 */
class TextCollector {
  #bytes = new Uint8Array(64 * 1024);
  #length = 0;

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  add(piece: string): void {
    // A UTF-16 unit takes at most three bytes.
    const most = this.#length + piece.length * 3;
    if (most > this.#bytes.length) {
      const grown = new Uint8Array(most * 2);
      grown.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = grown;
    }
    this.#length += new TextEncoder().encodeInto(piece, this.#bytes.subarray(this.#length)).written;
  }

  /** The text, which is then begun anew. */
  take(): string {
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return text;
  }
}

/**
 * Reports in groups that one question can join: at least two in each, cut where they are longer than their share, so that
 * every round leaves fewer of them.
 */
export function groupReports(reports: readonly string[], roomTokens: number): readonly (readonly string[])[] {
  const share = Math.max(1, Math.floor(roomTokens / 2));
  const groups = pack(
    reports.map((report) => cutToTokens(report, share)),
    roomTokens,
  );
  const [last, beforeLast] = [groups.at(-1), groups.at(-2)];
  if (last?.length !== 1 || beforeLast === undefined || beforeLast.length < 3) return groups;
  return [...groups.slice(0, -2), beforeLast.slice(0, -1), [...beforeLast.slice(-1), ...last]];
}

/** Pieces one after the other into as few lists as they fit in. */
function pack(pieces: readonly string[], roomTokens: number): readonly (readonly string[])[] {
  const filler = new Filler(roomTokens);
  const lists: string[][] = [];
  for (const piece of pieces) {
    const open = filler.begins(piece) ? undefined : lists.at(-1);
    if (open === undefined) lists.push([piece]);
    else open.push(piece);
  }
  return lists;
}

/** Fills one list after the other with pieces. */
class Filler {
  readonly #room: number;
  #left = 0;

  constructor(roomTokens: number) {
    this.#room = roomTokens;
  }

  /** Whether the next piece begins a list, the first one too, since it does not fit into the one before. */
  begins(piece: string): boolean {
    const tokens = estimateText(piece) + 1;
    const begins = tokens > this.#left;
    this.#left = (begins ? this.#room : this.#left) - tokens;
    return begins;
  }
}

/** A text with its middle left out where it has more tokens than that; no character is split. */
function cutToTokens(text: string, tokens: number): string {
  if (estimateText(text) < tokens) return text;
  const points = Array.from(text);
  // How many characters make a token hangs on the script, and one text may hold several.
  for (let room = tokens * 4; room > 2; room = Math.floor(room * 0.8)) {
    const cut = withoutMiddle(points, room);
    if (estimateText(cut) < tokens) return cut;
  }
  return LEFT_OUT;
}

function withoutMiddle(points: readonly string[], room: number): string {
  if (points.length <= room) return points.join('');
  const head = points.slice(0, Math.ceil(room / 2)).join('');
  const tail = points.slice(points.length - Math.floor(room / 2)).join('');
  return `${head}${LEFT_OUT}${tail}`;
}
