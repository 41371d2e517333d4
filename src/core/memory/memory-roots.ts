/** Says whether a path of the repository, relative to its root, is memory. */
export type MemoryFilter = (path: string) => boolean;

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
export const IS_MEMORY = 'is out of bounds: memory is kept there, which only the memory tools read';

function foldPath(path: string): string {
  return path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/')
    .normalize('NFC')
    .toLowerCase();
}
