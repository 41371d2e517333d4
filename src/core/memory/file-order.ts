import { compareBytes } from '../text/byte-order.js';
import { noteKind } from './notes/place.js';

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
