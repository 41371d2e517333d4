import { type GitMode, type GitStore, writeBlob, writeTree } from './github-git-objects.js';
import type { FileContent, FileTree } from './github-state.js';

/** What lies at a path of a tree; `commit` is a submodule. */
export interface GitObject {
  readonly kind: 'blob' | 'tree' | 'commit';
  readonly path: string;
  readonly mode: GitMode;
  readonly sha: string;
  /** Content of a blob (the target, of a link); empty for the others. */
  readonly bytes: Buffer;
}

/** What a path is to hold; null is nothing. */
export interface TreeChange {
  readonly path: string;
  readonly entry: { readonly mode: GitMode; readonly sha: string } | null;
}

const NOTHING = Buffer.alloc(0);

/** A tree and everything in it, in git's order; the tree itself comes first with the path ''. */
export function listTree(store: GitStore, sha: string): readonly GitObject[] {
  return objectsOf(store, { sha, path: '' });
}

/** What lies at a path; links are not followed. */
export function objectAt(store: GitStore, sha: string, path: string): GitObject | undefined {
  return listTree(store, sha).find((object) => object.path === path);
}

/** Writes files as a tree and returns its name. */
export function writeFiles(store: GitStore, files: FileTree): string {
  return changeTree(
    store,
    undefined,
    Object.entries(files).map(([path, content]) => ({ path, entry: writeContent(store, content) })),
  );
}

/** Writes a tree with changes to another one, or to none, and returns its name. */
export function changeTree(
  store: GitStore,
  base: string | undefined,
  changes: readonly TreeChange[],
): string {
  const leaves = new Map<string, { mode: GitMode; sha: string }>();
  const add = (path: string, entry: { mode: GitMode; sha: string }) => {
    if (entry.mode !== '040000') return void leaves.set(path, { mode: entry.mode, sha: entry.sha });
    for (const inner of listTree(store, entry.sha)) {
      if (inner.kind !== 'tree') add(path === '' ? inner.path : `${path}/${inner.path}`, inner);
    }
  };
  if (base !== undefined) add('', { mode: '040000', sha: base });
  for (const { path, entry } of changes) {
    for (const other of [...leaves.keys()]) {
      if (other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`))
        leaves.delete(other);
    }
    if (entry !== null) add(path, entry);
  }
  return writeLeaves(store, leaves);
}

function objectsOf(store: GitStore, { sha, path }: { sha: string; path: string }): GitObject[] {
  const inside = (store.trees.get(sha) ?? []).flatMap((entry): GitObject[] => {
    const at = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.mode === '040000') return objectsOf(store, { sha: entry.sha, path: at });
    const { mode } = entry;
    if (mode === '160000') return [{ kind: 'commit', path: at, mode, sha: entry.sha, bytes: NOTHING }];
    const bytes = store.blobs.get(entry.sha) ?? NOTHING;
    return [{ kind: 'blob', path: at, mode, sha: entry.sha, bytes }];
  });
  return [{ kind: 'tree', path, mode: '040000', sha, bytes: NOTHING }, ...inside];
}

function writeContent(store: GitStore, content: FileContent): { mode: GitMode; sha: string } {
  if (typeof content === 'string' || content instanceof Uint8Array || ArrayBuffer.isView(content)) {
    return { mode: '100644', sha: writeBlob(store, Buffer.from(content as Uint8Array)) };
  }
  if ('link' in content) return { mode: '120000', sha: writeBlob(store, Buffer.from(content.link)) };
  if ('submodule' in content) return { mode: '160000', sha: content.submodule };
  return { mode: '100755', sha: writeBlob(store, Buffer.from(content.executable)) };
}

function writeLeaves(store: GitStore, leaves: ReadonlyMap<string, { mode: GitMode; sha: string }>): string {
  const folders = new Map<string, Map<string, { mode: GitMode; sha: string }>>();
  const entries: { name: string; mode: GitMode; sha: string }[] = [];
  for (const [path, leaf] of leaves) {
    const slash = path.indexOf('/');
    if (slash === -1) {
      entries.push({ name: path, ...leaf });
      continue;
    }
    const folder = folders.get(path.slice(0, slash)) ?? new Map();
    folders.set(path.slice(0, slash), folder.set(path.slice(slash + 1), leaf));
  }
  for (const [name, inside] of folders) {
    entries.push({ name, mode: '040000', sha: writeLeaves(store, inside) });
  }
  return writeTree(store, entries);
}
