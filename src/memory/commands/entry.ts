import { untrustedPath } from '../log-path.js';
import { type Provenance, parseProvenance } from '../provenance.js';
import { stripProvenance } from '../run-log.js';
import { parseLog, type Unit } from '../units.js';

/** The two logs of an agent (D19). */
export type LogLane = 'trusted' | 'untrusted';

export interface MemoryEntry {
  readonly id: string;
  readonly lane: LogLane;
  /** Line of its heading in the log, from 1. */
  readonly line: number;
  readonly heading: string;
  readonly timeMs: number;
  /** Undefined for an entry that has no such line. */
  readonly task: string | undefined;
  /** Everything from `**Result:** ` to the end, without provenance; undefined for an entry that has no such line. */
  readonly result: string | undefined;
  /** What is under the heading, without provenance. */
  readonly body: string;
  /** The last provenance line that can be read. */
  readonly provenance: Provenance | undefined;
}

const TASK = '**Task:**';
const RESULT = '**Result:**';

/** Where a lane of an agent stands, of the trusted lane's place. */
export function lanePath(path: string, lane: LogLane): string {
  return lane === 'trusted' ? path : untrustedPath(path);
}

export function readEntries(text: string, lane: LogLane): readonly MemoryEntry[] {
  const { preamble, units } = parseLog(text);
  let line = 1 + countLineBreaks(preamble);
  return units.map((unit) => {
    const entry = readEntry(unit, line, lane);
    line += countLineBreaks(unit.text);
    return entry;
  });
}

/** Line breaks in a text. */
function countLineBreaks(text: string): number {
  let breaks = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) breaks += 1;
  return breaks;
}

/** The two fields of an entry's text without its heading; a field is undefined where its line is missing. */
function readFields(body: string): {
  readonly task: string | undefined;
  readonly result: string | undefined;
} {
  const lines = body.split('\n');
  const resultAt = lines.findIndex((line) => line.startsWith(RESULT));
  const head = resultAt < 0 ? lines : lines.slice(0, resultAt);
  const task = head.find((line) => line.startsWith(TASK));
  return {
    task: task === undefined ? undefined : task.slice(TASK.length).trim(),
    result: resultAt < 0 ? undefined : afterMark(lines.slice(resultAt)),
  };
}

function readEntry(unit: Unit, line: number, lane: LogLane): MemoryEntry {
  const lines = unit.text.replaceAll('\r\n', '\n').split('\n');
  const body = stripProvenance(lines.slice(1).join('\n')).trimEnd();
  const { task, result } = readFields(body);
  return {
    id: unit.id,
    lane,
    line,
    heading: (lines[0] ?? '').slice('## '.length),
    timeMs: unit.timeMs,
    task,
    result,
    body,
    provenance: lines.flatMap((one) => parseProvenance(one) ?? []).at(-1),
  };
}

function afterMark(lines: readonly string[]): string {
  return lines.join('\n').slice(RESULT.length).replace(/^ /, '').trimEnd();
}

/** Tells the entries that hold all the words in task or result, whatever their case. */
export function matcherOf(words: readonly string[]): (entry: MemoryEntry) => boolean {
  const folded = words.map(fold);
  return ({ task = '', result = '', body }) => {
    const text = fold(task === '' && result === '' ? body : `${task}\n${result}`);
    return folded.every((word) => text.includes(word));
  };
}

/** A text as searches compare it. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

/** What an id, or the beginning of one, stands for. */
type EntrySearch =
  /** One entry; more than one where the same id is in both lanes, or twice in a log. */
  | { readonly kind: 'found'; readonly id: string; readonly entries: readonly MemoryEntry[] }
  | { readonly kind: 'missing' }
  /** Several ids begin so; one entry of each. */
  | { readonly kind: 'ambiguous'; readonly candidates: readonly MemoryEntry[] };

/** Fewest characters that may stand for an id they begin. */
export const MIN_PREFIX = 6;

/** Finds entries by their id or by the first characters of it, if they are no other's too. */
export function findEntry(entries: readonly MemoryEntry[], requested: string): EntrySearch {
  const exact = entries.filter(({ id }) => id === requested);
  if (exact.length > 0) return { kind: 'found', id: requested, entries: exact };
  if (requested.length < MIN_PREFIX) return { kind: 'missing' };
  const byId = new Map<string, MemoryEntry[]>();
  for (const entry of entries) {
    if (!entry.id.startsWith(requested)) continue;
    const same = byId.get(entry.id);
    if (same === undefined) byId.set(entry.id, [entry]);
    else same.push(entry);
  }
  const [first, ...others] = byId;
  if (first === undefined) return { kind: 'missing' };
  if (others.length === 0) return { kind: 'found', id: first[0], entries: first[1] };
  return { kind: 'ambiguous', candidates: [...byId.values()].flatMap(([entry]) => entry ?? []) };
}
