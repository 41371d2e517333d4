import { dirname, join } from 'node:path/posix';
import { createQueue } from '../../lib/clock.js';
import { ToolError } from '../../lib/errors.js';
import { compareBytes } from '../../lib/text/bytes.js';
import { formatInteger, quoteLine } from '../../lib/text/format.js';
import { createMemoryFilter, IS_MEMORY, isSecretPath, parsePath } from '../../safety/path-rules.js';
import type { Changes } from './changes.js';
import type { FolderEntry, Workspace } from './workspace.js';

/** A commit whose files are read at their first use. All methods throw a ToolError. */
export interface CommitFiles {
  /** Everything but folders, by path. */
  list(): Promise<ReadonlyMap<string, CommitFile>>;
  /** Undefined for a binary file. */
  read(file: CommitFile): Promise<Uint8Array | undefined>;
  /** Fetches as many contents at once as it can. */
  readAhead(): Promise<void>;
}

/** A file, link or submodule of a commit. */
export interface CommitFile {
  readonly kind: 'file' | 'link' | 'other';
  /** A commit through the API does not keep this mode. */
  readonly isExecutable: boolean;
  readonly sha: string;
  readonly bytes: number;
}

/** The entry at a path; an edited file is its bytes. */
type Node = Folder | CommitFile | Uint8Array;
type Folder = Map<string, Node>;

/** Largest file that is read through the API, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * The files of a commit as a workspace, without a checkout: nothing is written to disk, and edits
 * are kept in `changes`. `folder` is the working directory in the repository. Links are not
 * followed.
 */
export function createCommitWorkspace(
  files: CommitFiles,
  {
    folder,
    changes,
    memoryRoots,
  }: { folder: string; changes: Changes; memoryRoots: readonly string[] },
): Workspace {
  const inTurn = createQueue();
  const isMemory = createMemoryFilter(memoryRoots);
  let tree: Folder | undefined;
  let revision = -1;

  /** The path from the root of the repository. */
  function pathOf(path: string): string {
    const { segments, refusal } = parsePath(path);
    if (refusal !== undefined) throw new ToolError(`${quoteLine(path)}: ${refusal}`);
    const full = [...folder.split('/'), ...segments].filter((part) => part !== '').join('/');
    if (isSecretPath(full.split('/')))
      throw new ToolError(`${quoteLine(path)} is out of bounds: credentials may be kept there`);
    if (isMemory(full)) throw new ToolError(`${quoteLine(path)} ${IS_MEMORY}`);
    return full;
  }

  /** Finds a path from the root of the repository, with the edits so far. */
  async function find(path: string): Promise<Node | undefined> {
    const listed = await files.list();
    if (tree === undefined || revision !== changes.revision) {
      tree = treeOf([...listed, ...changes.touched()]);
      revision = changes.revision;
    }

    let node: Node | undefined = tree;
    for (const name of path.split('/').filter((part) => part !== ''))
      node = node instanceof Map ? node.get(name) : undefined;
    return node;
  }

  async function existing(path: string): Promise<readonly [full: string, node: Node]> {
    const full = pathOf(path);
    const node = await find(full);
    if (node === undefined) throw new ToolError(`${quoteLine(path)}: no such file or directory`);
    return [full, node];
  }

  /** Undefined for a binary file. */
  async function bytesOf(node: Node, path: string): Promise<Uint8Array | undefined> {
    if (node instanceof Uint8Array) return node;
    if (node instanceof Map) throw new ToolError(`${quoteLine(path)} is a directory, not a file`);
    if (node.kind !== 'file') throw new ToolError(`${quoteLine(path)} is not a regular file`);
    if (node.bytes > MAX_BYTES) {
      const size = `${formatInteger(node.bytes)} bytes, and the limit without a checkout is ${formatInteger(MAX_BYTES)}`;
      throw new ToolError(`${quoteLine(path)} has ${size}`);
    }
    return await files.read(node);
  }

  return {
    async list(path) {
      const [full, node] = await existing(path);
      if (!(node instanceof Map)) throw new ToolError(`${quoteLine(path)} is not a directory`);

      const isVisible = (name: string) => {
        const entryPath = join(full, name);
        return !isSecretPath(entryPath.split('/')) && !isMemory(entryPath);
      };
      const entries = [...node]
        .filter(([name]) => isVisible(name))
        .sort(([a], [b]) => compareBytes(a, b));
      return entries.map(([name, entry]) => ({ name, kind: kindOf(entry) }));
    },
    async read(path, maxBytes) {
      const [, node] = await existing(path);
      // For a binary file the caller gets zeros, which it takes for binary.
      const bytes = (await bytesOf(node, path)) ?? new Uint8Array('bytes' in node ? node.bytes : 0);
      return { bytes: bytes.subarray(0, maxBytes), size: bytes.length };
    },
    readAhead: () => files.readAhead(),
    change: (path, make) =>
      inTurn(async () => {
        const full = pathOf(path);
        const node = await find(full);
        changes.requireAllowed(
          full,
          node !== undefined && 'isExecutable' in node && node.isExecutable,
        );

        for (let above = dirname(full); above !== '.'; above = dirname(above)) {
          const parent = await find(above);
          if (parent !== undefined && !(parent instanceof Map))
            throw new ToolError(`${quoteLine(above)} is not a directory`);
        }

        const before = node === undefined ? undefined : await bytesOf(node, path);
        if (node !== undefined && before === undefined)
          throw new ToolError(`${quoteLine(path)} was not changed: only text is changed`);
        changes.note(full, { before, after: make(before) });
      }),
  };
}

/** Builds the folders of files. A deleted file is undefined, and its folder stays. */
function treeOf(
  files: readonly (readonly [path: string, file: CommitFile | Uint8Array | undefined])[],
): Folder {
  const root: Folder = new Map();
  for (const [path, file] of files) {
    const names = path.split('/');
    let folder = root;
    for (const name of names.slice(0, -1)) {
      const below = folder.get(name);
      const next: Folder = below instanceof Map ? below : new Map();
      folder.set(name, next);
      folder = next;
    }

    const fileName = names.at(-1) ?? '';
    if (file === undefined) folder.delete(fileName);
    else folder.set(fileName, file);
  }
  return root;
}

function kindOf(node: Node): FolderEntry['kind'] {
  if (node instanceof Map) return 'directory';
  return node instanceof Uint8Array ? 'file' : node.kind;
}
