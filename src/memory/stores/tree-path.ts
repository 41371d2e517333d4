import { compareBytes } from '../../lib/text/bytes.js';
import { noteKind } from '../notes/place.js';
import { isStatePath } from '../state.js';

/** Whether a `/`-separated path stays inside the memory tree, on any operating system. */
export function isTreePath(path: string): boolean {
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0:]/.test(part));
}

/** The same for what is read: a folder with a `/` at its end, or a file. */
export function isTreePlace(place: string): boolean {
  return isTreePath(place.replace(/\/$/, ''));
}

/** Whether a file is among the places: one of them, or an `.md` file directly in one that is a folder, but no state. */
export function isUnder(path: string, places: readonly string[]): boolean {
  if (places.includes(path)) return true;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  return folder !== '' && path.endsWith('.md') && !isStatePath(path) && places.includes(folder);
}

/** What is told of a path that does not. */
export function outsideTree(path: string): { readonly message: string; readonly remedy: string } {
  return {
    message: `\`${path}\` is not a path inside the memory`,
    remedy: 'Set `memory.path` to a relative path without `..`.',
  };
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
