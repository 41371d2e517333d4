import { isNotesPath } from './notes/place.js';

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
