import { separator } from './change.js';
import { type Entry, parseEntries } from './run-log.js';

/**
 * A timestamped entry with everything up to the next timestamp: what stands under a heading that is no timestamp
 * (`## Findings` in a result that axe stored) belongs to the entry above it and moves with it.
 */
interface Unit {
  readonly text: string;
  /** The id, or else the text itself. */
  readonly key: string;
  readonly timeMs: number;
}

interface Log {
  readonly preamble: string;
  readonly units: readonly Unit[];
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/;

/**
 * The union of two run logs by entry id, entries without one by their text. The bytes of `base` stay as they are
 * and in order; what only `other` has goes before the first later entry of `base`, or to the end. Nothing of
 * either side is missing from the result, and merging the same log twice changes nothing.
 */
export function mergeRunLogs(base: string, other: string): string {
  if (other === '' || base === other) return base;
  if (base === '') return other;
  const ours = parseLog(base);
  const theirs = parseLog(other);
  const seen = new Set(ours.units.map((unit) => unit.key));
  const missing = theirs.units.filter((unit) => !seen.has(unit.key) && seen.add(unit.key));
  missing.sort((left, right) => left.timeMs - right.timeMs);
  const parts = [ours.preamble, ...missingPreamble(ours.preamble, theirs.preamble)];
  for (const unit of ours.units) {
    while (missing[0] !== undefined && missing[0].timeMs < unit.timeMs)
      parts.push(missing.shift()?.text ?? '');
    parts.push(unit.text);
  }
  return joinLines([...parts, ...missing.map((unit) => unit.text)]);
}

/** Whether a text holds entries of a run log; notes do not, and are not merged by entry. */
export function isRunLog(text: string): boolean {
  return parseEntries(text).some(isTimestamped);
}

function parseLog(text: string): Log {
  const starts = parseEntries(text).filter(isTimestamped);
  const first = starts[0]?.start ?? text.length;
  const units = starts.map((entry, index) => {
    const unit = text.slice(entry.start, starts[index + 1]?.start ?? text.length);
    const id = parseEntries(unit).findLast((part) => part.id !== undefined)?.id;
    const key = id === undefined ? `text:${unit.replaceAll('\r\n', '\n').trimEnd()}` : `id:${id}`;
    return { text: unit, key, timeMs: Date.parse(entry.heading) };
  });
  return { preamble: text.slice(0, first), units };
}

function isTimestamped(entry: Entry): boolean {
  return TIMESTAMP.test(entry.heading) && !Number.isNaN(Date.parse(entry.heading));
}

function missingPreamble(ours: string, theirs: string): readonly string[] {
  return ours.includes(theirs.trim()) ? [] : [theirs];
}

/** The parts one after the other, each on a line of its own. */
function joinLines(parts: readonly string[]): string {
  let text = '';
  for (const part of parts) if (part !== '') text += separator(text) + part;
  return text;
}
