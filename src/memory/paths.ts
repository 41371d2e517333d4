import { compareBytes } from '../lib/text/bytes.js';
import { isNotesPath, noteKind } from './notes/place.js';
import { isStatePath } from './state.js';

/** The agent's name in memory: without `builtin/`, without folders and `.toml`. */
export function memoryName(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1).replace(/\.toml$/, '');
}

/** Place of a run log in the memory tree where nothing else is said. */
export function defaultLogPath(name: string): string {
  return `${memoryName(name)}.md`;
}

/**
 * Why a run log cannot have this place in the memory tree of a workflow: half a sentence, or undefined if it can. Its
 * place is a relative path to a markdown file, out of the lanes and off the notes, which nothing else may open.
 */
export function unusableLogPath(path: string): string | undefined {
  if (/^(?:[/~\\]|[A-Za-z]:)/.test(path) || path.split('/').includes('..'))
    return 'it is outside of the memory store';
  if (!path.endsWith('.md')) return 'it does not end in `.md`';
  if (isNotesPath(path)) return 'notes are kept there';
  if (/^(?:untrusted|offline)\/|\.state\.md$/i.test(path)) return 'the name is reserved';
  const isPlain = /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_][A-Za-z0-9._-]*)*$/.test(path);
  return isPlain
    ? undefined
    : 'names in it must start with a letter, a digit or `_` and contain only those, `.` and `-`';
}

/** Where untrusted runs keep what trusted ones do not load: the whole entry, as it is (D19). */
export function untrustedPath(path: string): string {
  return `untrusted/${path}`;
}

/** Says whether a path of the repository, relative to its root, is memory. */
type MemoryFilter = (path: string) => boolean;

/**
 * The filter of the folders in which memory is kept next to code. Both lanes lie there, so no reader but memory's own
 * gives the model a file of them: the untrusted lane would reach trusted runs (D47). Letters are compared in any case,
 * as file systems do that do not tell them apart.
 */
export function createMemoryFilter(roots: readonly string[]): MemoryFilter {
  const folders = roots.map(foldPath).filter((root) => root !== '');
  return (path) => {
    const folded = foldPath(path);
    return folders.some((root) => folded === root || folded.startsWith(`${root}/`));
  };
}

/** What the model is told of a path that is memory. */
export const IS_MEMORY = 'is out of bounds: memory is kept there, which only the memory tools can read';

function foldPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
    .normalize('NFC')
    .toLowerCase();
}

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
