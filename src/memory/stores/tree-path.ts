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
