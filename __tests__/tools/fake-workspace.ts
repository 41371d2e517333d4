import { ToolError } from '../../src/lib/errors.js';
import type { WalkEntry, Workspace } from '../../src/tools/workspace/workspace.js';

/** A workspace in memory; `text` reads a file back. */
export interface FakeWorkspace extends Workspace {
  text(path: string): string | undefined;
  /** Files that are open now. */
  openFiles(): number;
}

/** Files by path; folders are those the paths imply. */
export function createFakeWorkspace(content: Readonly<Record<string, string | Uint8Array>>): FakeWorkspace {
  const files = new Map(
    Object.entries(content).map(([path, value]) => [
      path,
      typeof value === 'string' ? new TextEncoder().encode(value) : value,
    ]),
  );
  let opened = 0;

  const clean = (path: string) =>
    path
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/');
  const below = (folder: string) => {
    const prefix = folder === '' ? '' : `${folder}/`;
    return [...files.keys()]
      .filter((path) => path.startsWith(prefix))
      .map((path) => path.slice(prefix.length));
  };
  const names = (folder: string) =>
    [...new Set(below(folder).map((path) => path.split('/')[0] ?? ''))].sort();
  const isFolder = (path: string) => path === '' || below(path).length > 0;

  async function* walk(folder: string, mayEnter: (path: string) => boolean): AsyncGenerator<WalkEntry> {
    for (const name of names(folder)) {
      const path = folder === '' ? name : `${folder}/${name}`;
      if (files.has(path)) yield { path, kind: 'file' };
      else {
        yield { path, kind: 'directory' };
        if (mayEnter(path)) yield* walk(path, mayEnter);
      }
    }
  }

  return {
    text: (path) => (files.has(path) ? new TextDecoder().decode(files.get(path)) : undefined),
    openFiles: () => opened,
    async stat(path) {
      const bytes = files.get(clean(path));
      if (bytes !== undefined) return { kind: 'file', bytes: bytes.length };
      return isFolder(clean(path)) ? { kind: 'directory', bytes: 0 } : undefined;
    },
    async open(path) {
      const bytes = files.get(clean(path));
      if (bytes === undefined) throw new ToolError(`"${path}": no such file or directory`);
      opened += 1;
      return {
        bytes: bytes.length,
        read: async (position, length) => bytes.slice(position, position + length),
        close: async () => {
          opened -= 1;
        },
      };
    },
    async list(path, maxEntries) {
      const all = names(clean(path));
      const entries = all.slice(0, maxEntries).map((name) => {
        const full = clean(`${path}/${name}`);
        return { name, kind: files.has(full) ? ('file' as const) : ('directory' as const) };
      });
      return { entries, leftOut: all.length - entries.length };
    },
    walk: (path, mayEnter) => walk(clean(path), mayEnter),
    async update(path, change) {
      files.set(clean(path), change(files.get(clean(path))));
    },
  };
}

/** The answer of a tool to a call that nobody aborts. */
export const quiet: AbortSignal = new AbortController().signal;
