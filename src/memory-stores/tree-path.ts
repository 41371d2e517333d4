/** Whether a `/`-separated path stays inside the memory tree, on any operating system. */
export function isTreePath(path: string): boolean {
  return path
    .split('/')
    .every((part) => part !== '' && part !== '.' && part !== '..' && !/[\\\0:]/.test(part));
}

/** What is told of a path that does not. */
export function outsideTree(path: string): { readonly message: string; readonly remedy: string } {
  return {
    message: `\`${path}\` is no path inside the memory`,
    remedy: 'Set `memory.path` to a relative path without `..`.',
  };
}
