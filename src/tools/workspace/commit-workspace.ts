import { ToolError } from '../../lib/errors.js';
import type { FileStat } from '../../lib/files.js';
import { createQueue } from '../../lib/queue.js';
import { compareBytes } from '../../lib/text/bytes.js';
import { shown } from '../../lib/text/cut.js';
import { grouped } from '../../lib/text/number.js';
import { createMemoryFilter, IS_MEMORY } from '../../memory/log-path.js';
import { isSecretPath, parsePath } from '../files/path-rules.js';
import type { Changes } from './changes.js';
import type { Workspace } from './workspace.js';

/** A commit whose files are read when they are first asked for. Both throw a ToolError. */
export interface CommitFiles {
  /** Everything but folders, by path. */
  list(): Promise<ReadonlyMap<string, CommitFile>>;
  /** The bytes of a file; of one that holds no text undefined. */
  read(file: CommitFile): Promise<Uint8Array | undefined>;
}

/** A file, link or submodule of a commit. */
export interface CommitFile {
  readonly kind: 'file' | 'link' | 'other';
  /** It can be run: a mode that a commit through the API does not keep. */
  readonly isExecutable: boolean;
  readonly sha: string;
  readonly bytes: number;
}

/** A name of the commit: a folder, or something in one. */
type Entry = Map<string, Entry> | CommitFile;
/** What is at a path now: bytes are what an edit has put there. */
type Node = Entry | Uint8Array;

/** Largest file that is read through the API, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The files of a commit as a workspace, without a checkout: nothing is written anywhere, edits are kept in `changes`. `folder`
 * is the working directory in the repository. Links lead nowhere here.
 */
export function createCommitWorkspace(
  files: CommitFiles,
  { folder, changes, memoryRoots }: { folder: string; changes: Changes; memoryRoots: readonly string[] },
): Workspace {
  const inTurn = createQueue();
  const isMemory = createMemoryFilter(memoryRoots);
  let tree: Promise<Map<string, Entry>> | undefined;

  /** The path from the root of the repository. */
  function pathOf(path: string): string {
    const { segments, refusal } = parsePath(path);
    if (refusal !== undefined) throw new ToolError(`${shown(path)}: ${refusal}`);
    const full = [...folder.split('/'), ...segments].filter((part) => part !== '').join('/');
    if (isSecretPath(full.split('/')))
      throw new ToolError(`${shown(path)} is out of bounds: credentials may be kept there`);
    if (isMemory(full)) throw new ToolError(`${shown(path)} ${IS_MEMORY}`);
    return full;
  }

  async function entryOf(path: string): Promise<Entry | undefined> {
    tree ??= files.list().then(treeOf);
    let at: Entry | undefined = await tree.catch((thrown: unknown) => {
      tree = undefined;
      throw thrown;
    });
    for (const name of path.split('/').filter((part) => part !== ''))
      at = at instanceof Map ? at.get(name) : undefined;
    return at;
  }

  /** What is at a path. A folder all of whose files were deleted is still there. */
  async function find(path: string): Promise<Node | undefined> {
    const edit = changes.edited(path);
    if (edit?.after !== undefined) return edit.after;
    const entry = edit === undefined ? await entryOf(path) : undefined;
    return entry ?? ([...editsBelow(path)].length > 0 ? new Map() : undefined);
  }

  function editsBelow(path: string): readonly (readonly [rest: string, after: Uint8Array | undefined])[] {
    const start = path === '' ? '' : `${path}/`;
    return [...changes.edits].flatMap(([file, { after }]) =>
      file.startsWith(start) ? [[file.slice(start.length), after] as const] : [],
    );
  }

  async function folderAt(path: string): Promise<string> {
    const full = pathOf(path);
    const node = await find(full);
    if (node === undefined) throw new ToolError(`${shown(path)}: no such file or directory`);
    if (!(node instanceof Map)) throw new ToolError(`${shown(path)} is not a directory`);
    return full;
  }

  /** Undefined for a file that holds no text. */
  async function bytesOf(node: Node, path: string): Promise<Uint8Array | undefined> {
    if (node instanceof Uint8Array) return node;
    if (node instanceof Map) throw new ToolError(`${shown(path)} is a directory, not a file`);
    if (node.kind !== 'file') throw new ToolError(`${shown(path)} is not a regular file`);
    if (node.bytes > MAX_BYTES) {
      const size = `${grouped(node.bytes)} bytes, and the limit without a checkout is ${grouped(MAX_BYTES)}`;
      throw new ToolError(`${shown(path)} has ${size}`);
    }
    return await files.read(node);
  }

  /** Every name of a folder that can be used, in byte order. */
  async function namesIn(at: string): Promise<readonly (readonly [name: string, node: Node])[]> {
    const entry = await entryOf(at);
    const names = new Map<string, Node>(entry instanceof Map ? entry : []);
    for (const [rest, after] of editsBelow(at)) {
      const [name = '', ...below] = rest.split('/');
      if (below.length === 0) {
        if (after === undefined) names.delete(name);
        else names.set(name, after);
      } else if (after !== undefined && !(names.get(name) instanceof Map)) names.set(name, new Map());
    }
    const isUsable = (path: string) => !isSecretPath(path.split('/')) && !isMemory(path);
    return [...names].filter(([name]) => isUsable(joined(at, name))).sort(([a], [b]) => compareBytes(a, b));
  }

  async function change(path: string, make: (old: Uint8Array | undefined) => Uint8Array | undefined) {
    const full = pathOf(path);
    const node = await find(full);
    changes.requireAllowed(full, node !== undefined && 'isExecutable' in node && node.isExecutable);
    const parts = full.split('/').slice(0, -1);
    for (let length = parts.length; length > 0; length -= 1) {
      const above = parts.slice(0, length).join('/');
      const parent = await find(above);
      if (parent !== undefined && !(parent instanceof Map))
        throw new ToolError(`${shown(above)} is not a directory`);
    }
    const before = node === undefined ? undefined : await bytesOf(node, path);
    if (node !== undefined && before === undefined)
      throw new ToolError(`${shown(path)} was not changed: only text is changed`);
    changes.note(full, { before, after: make(before) });
  }

  return {
    async stat(path) {
      const node = await find(pathOf(path));
      return node && { kind: kindOf(node), bytes: sizeOf(node) };
    },
    async open(path) {
      const node = await find(pathOf(path));
      if (node === undefined) throw new ToolError(`${shown(path)}: no such file or directory`);
      // Zeros are binary to whoever reads them.
      const bytes = (await bytesOf(node, path)) ?? new Uint8Array(sizeOf(node));
      return {
        bytes: bytes.length,
        read: async (position, length) => bytes.subarray(position, position + length),
        close: async () => undefined,
      };
    },
    async list(path, maxEntries) {
      const all = await namesIn(await folderAt(path));
      const entries = all.slice(0, maxEntries).map(([name, node]) => ({ name, kind: kindOf(node) }));
      return { entries, leftOut: all.length - entries.length };
    },
    async *walk(path, mayEnter) {
      yield* walkFolder(await folderAt(path), mayEnter);
    },
    update: (path, make) => inTurn(() => change(path, make)),
    remove: (path) =>
      inTurn(() =>
        change(path, (old) => {
          if (old === undefined) throw new ToolError(`${shown(path)}: no such file`);
          return undefined;
        }),
      ),
  };

  async function* walkFolder(at: string, mayEnter: (path: string) => boolean): ReturnType<Workspace['walk']> {
    for (const [name, node] of await namesIn(at)) {
      const full = joined(at, name);
      const path = folder === '' ? full : full.slice(folder.length + 1);
      const kind = kindOf(node);
      if (kind === 'file') yield { path, kind };
      if (kind !== 'directory') continue;
      yield { path, kind };
      if (mayEnter(path)) yield* walkFolder(full, mayEnter);
    }
  }
}

function treeOf(list: ReadonlyMap<string, CommitFile>): Map<string, Entry> {
  const root = new Map<string, Entry>();
  for (const [path, file] of list) {
    const names = path.split('/');
    let at = root;
    for (const name of names.slice(0, -1)) {
      const below = at.get(name);
      const next = below instanceof Map ? below : new Map<string, Entry>();
      at.set(name, next);
      at = next;
    }
    at.set(names.at(-1) ?? '', file);
  }
  return root;
}

function joined(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

function kindOf(node: Node): FileStat['kind'] {
  if (node instanceof Map) return 'directory';
  return node instanceof Uint8Array ? 'file' : node.kind;
}

function sizeOf(node: Node): number {
  if (node instanceof Map) return 0;
  return node instanceof Uint8Array ? node.length : node.bytes;
}
