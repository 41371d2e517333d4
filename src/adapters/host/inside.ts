import { isAbsolute, relative, sep } from 'node:path';

/** Whether a path is a folder or lies below it; both are absolute and without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** A path as people and annotations want it: relative to the current folder if it lies below it. */
export function shownPath(cwd: string, path: string): string {
  return path !== cwd && isInside(cwd, path) ? relative(cwd, path) : path;
}
