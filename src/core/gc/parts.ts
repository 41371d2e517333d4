import { GC } from '../defaults.js';
import type { OpenFile } from '../files.js';
import type { BudgetLimits, Price } from '../loop/budget.js';
import { promptText } from '../memory/check-loaded.js';
import { readEntry } from '../memory/commands/entry.js';
import { partsOf, piecesOf } from '../memory/log-pieces.js';
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

/** The beginning of a log as a model is given it, in pieces of whole lines. Throws what reading throws. */
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

/**
 * A log in parts of whole entries, each of at most so many tokens by estimate. Of an entry that is longer alone,
 * beginning and end are kept.
 */
export async function* splitLog(pieces: AsyncIterable<string>, roomTokens: number): AsyncGenerator<string> {
  const packer = new Packer(roomTokens);
  for await (const { head, parts } of partsOf(pieces)) {
    for (const piece of [head, ...parts.map((part) => part.text)]) {
      if (piece.trim() === '') continue;
      const full = packer.add(cutToTokens(piece, roomTokens));
      if (full !== undefined) yield full.join('');
    }
  }
  for (const last of packer.end()) yield last.join('');
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
  const packer = new Packer(roomTokens);
  return [
    ...pieces.flatMap((piece) => {
      const full = packer.add(piece);
      return full === undefined ? [] : [full];
    }),
    ...packer.end(),
  ];
}

/** Fills one list after the other with pieces. */
class Packer {
  readonly #room: number;
  #open: string[] = [];
  #left = 0;

  constructor(roomTokens: number) {
    this.#room = roomTokens;
  }

  /** The list before, once a piece does not fit into it. */
  add(piece: string): readonly string[] | undefined {
    const tokens = estimateText(piece) + 1;
    const isFull = this.#open.length === 0 || tokens > this.#left;
    if (!isFull) {
      this.#open.push(piece);
      this.#left -= tokens;
      return undefined;
    }
    const full = this.#open;
    this.#open = [piece];
    this.#left = this.#room - tokens;
    return full.length === 0 ? undefined : full;
  }

  /** The last list. */
  end(): readonly (readonly string[])[] {
    return this.#open.length === 0 ? [] : [this.#open];
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
