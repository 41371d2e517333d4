import { compareBytes } from '../core/text/bytes.js';
import { noteKind } from './notes/place.js';
import { joinOnLines } from './run-log.js';
import { parseLog } from './units.js';

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
  const seen = new Set(ours.units.map(({ id }) => id));
  const missing = theirs.units.filter(({ id }) => !seen.has(id) && seen.add(id));
  missing.sort((left, right) => left.timeMs - right.timeMs);
  const parts = [ours.preamble, ...missingPreamble(ours.preamble, theirs.preamble)];
  let placed = 0;
  for (const unit of ours.units) {
    for (
      let next = missing[placed];
      next !== undefined && next.timeMs < unit.timeMs;
      next = missing[placed]
    ) {
      parts.push(next.text);
      placed += 1;
    }
    parts.push(unit.text);
  }
  return joinOnLines([...parts, ...missing.slice(placed).map(({ text }) => text)]);
}

/** The run log without the entries of these ids; every other byte stays. */
export function withoutEntries(text: string, ids: ReadonlySet<string>): string {
  const { preamble, units } = parseLog(text);
  if (!units.some(({ id }) => ids.has(id))) return text;
  return preamble + units.flatMap((unit) => (ids.has(unit.id) ? [] : [unit.text])).join('');
}

function missingPreamble(ours: string, theirs: string): readonly string[] {
  return ours.includes(theirs.trim()) ? [] : [theirs];
}

/**
 * The order in which files of a memory are taken where a limit cuts, on every store: run logs, states, facts and open
 * tasks first, then days from the newest on, then notes; after all that the untrusted lane in the same order, so that
 * what strangers say pushes nothing out, and last what was kept next to files.
 */
export function compareFiles(a: string, b: string): number {
  const [one, other] = [rankOf(a), rankOf(b)];
  if (one !== other) return one - other;
  return noteKind(a) === 'daily'
    ? compareBytes(nameOf(b), nameOf(a)) || compareBytes(a, b)
    : compareBytes(a, b);
}

const DAY = 1;
const NOTE = 2;
const LANE = 3;
const BACKUP = 6;

function rankOf(path: string): number {
  if (path.endsWith('.bak')) return BACKUP;
  const kind = noteKind(path);
  const own = kind === 'daily' ? DAY : kind === 'note' ? NOTE : 0;
  return /(?:^|\/)untrusted\//.test(path) ? LANE + own : own;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
