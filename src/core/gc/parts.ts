import { GC } from '../defaults.js';
import type { BudgetLimits, Price } from '../loop/budget.js';
import { partLog } from '../memory/log-parts.js';
import { estimateText } from '../text/estimate-text.js';

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

/** The beginning of a log. */
export interface OldestEntries {
  readonly text: string;
  /** Parts of the log, see {@link partLog}, that it holds. */
  readonly parts: number;
}

/**
 * The beginning of the log, in whole entries that make at most so many tokens by estimate. Undefined where there is no
 * room for one, or so little that a long log would be read in crumbs.
 */
export function oldestEntries(text: string, tokens: number | undefined): OldestEntries | undefined {
  const { head, parts } = partLog(text);
  const isWhole = tokens === undefined || parts.length === 0 || estimateText(text) <= tokens;
  if (isWhole) return { text, parts: parts.length };
  if (tokens < GC.leastRoomTokens) return undefined;
  let left = tokens - estimateText(head);
  const more = parts.findIndex((part) => {
    left -= estimateText(part.text) + 1;
    return left < 0;
  });
  const oldest = more < 0 ? parts : parts.slice(0, more);
  if (oldest.length === 0) return undefined;
  return { text: head + oldest.map((part) => part.text).join(''), parts: oldest.length };
}

/**
 * The log in parts of whole entries, each of at most so many tokens by estimate; a log that fits is one part, as it is.
 * Of an entry that is longer alone, beginning and end are kept.
 */
export function splitLog(text: string, roomTokens: number): readonly string[] {
  if (estimateText(text) <= roomTokens) return [text];
  const { head, parts } = partLog(text);
  const pieces = [head, ...parts.map((part) => part.text)].filter((piece) => piece.trim() !== '');
  return pack(
    pieces.map((piece) => cutToTokens(piece, roomTokens)),
    roomTokens,
  ).map((part) => part.join(''));
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
  const packed: string[][] = [];
  let left = 0;
  for (const piece of pieces) {
    const tokens = estimateText(piece) + 1;
    const open = packed.at(-1);
    if (open === undefined || tokens > left) {
      packed.push([piece]);
      left = roomTokens - tokens;
    } else {
      open.push(piece);
      left -= tokens;
    }
  }
  return packed;
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
