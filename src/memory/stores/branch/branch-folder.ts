import { ConfigError } from '../../../core/errors.js';
import { encodeBytes } from '../../../core/text/bytes.js';
import type { Warning } from '../../../core/warning.js';
import type { BranchFile, BranchRead, BranchTrouble, MemoryBranch } from '../../branch.js';
import type { MemoryTree } from '../../change.js';
import type { Place } from '../../store.js';
import { compareFiles, isTreePath, isUnder } from '../tree-path.js';

/** A folder of a branch as it was read. */
interface FolderRead {
  readonly kind: 'read';
  readonly tree: MemoryTree;
  /** Newest commit; empty where there is no branch. */
  readonly head: string;
  readonly isPublic: boolean;
  /** What is there and is not a file of memory; it must not be overwritten. */
  readonly refused: readonly RefusedFile[];
  /** Ids of what was saved since the time that was asked for. */
  readonly saved?: ReadonlySet<string>;
}

/** Something in the place of a file of memory. */
export interface RefusedFile {
  /** Place in the tree. */
  readonly path: string;
  /** Half a sentence: `it is a symbolic link`. */
  readonly reason: string;
  /** It is a file of memory that did not fit. */
  readonly isTooMuch: boolean;
}

/** A folder of a branch by the paths of the tree. */
interface BranchFolder {
  read(paths: readonly string[], signal: AbortSignal, since?: Date): Promise<FolderRead | BranchTrouble>;
  /** The memory files of the whole folder, within limits; everything else is among the refused (D17). */
  readAll(signal: AbortSignal): Promise<FolderRead | BranchTrouble>;
  placeOf(version: string, path: string): Place;
  /** The files by their paths from the top of the repository. */
  fromTop(tree: MemoryTree): MemoryTree;
}

/** Most that is taken of a folder for people's commands; runs read only the files they need. */
const MAX_FILES = 1_000;
const MAX_BYTES = 8 * 1024 * 1024;
const MEMORY_FILE = /\.md(?:\.bak)?$|(?:^|\/)[^/.]+\.bak$/;
/** A committed memory may have them next to it. */
const GIT_FILE = /(?:^|\/)\.git(?:ignore|attributes)$/;
const MAX_NAMED = 5;

/** Throws a ConfigError for a folder that leads out of the branch. */
export function createBranchFolder(branch: MemoryBranch, folder: string): BranchFolder {
  const top = normalFolder(folder);
  const pathFromTop = (path: string): string => (top === '' ? path : `${top}/${path}`);
  return {
    async read(paths, signal, since) {
      const found = await branch.read(paths.map(pathFromTop), signal, since);
      if (found.kind === 'failed') return found;
      const choose = (files: ReadonlyMap<string, BranchFile>) =>
        below(files, pathFromTop('')).filter(
          ([path, file]) => isUnder(path, paths) || (file.kind === 'refused' && isInFolder(path, paths)),
        );
      return sortOut(found, choose);
    },
    async readAll(signal) {
      const found = await branch.readAll(top, signal);
      if (found.kind === 'failed') return found;
      return sortOut(found, (files) => onlyMemory(below(files, pathFromTop(''))));
    },
    placeOf(version, path) {
      const inside = path === '' ? top : pathFromTop(path);
      const location = inside === '' ? branch.name : `${branch.name}:${inside}`;
      if (path === '') return { location };
      const within =
        top === ''
          ? { root: branch.name, separator: ':' }
          : { root: `${branch.name}:${top}`, separator: '/' };
      return { location, within, ...(version === '' ? {} : { url: branch.urlOf(inside) }) };
    },
    fromTop: (tree) => new Map([...tree].map(([path, text]) => [pathFromTop(path), text])),
  };
}

/** What is reported of files that were left out. */
export function refusedWarning(refused: readonly RefusedFile[], name: string): Warning {
  const named = refused.slice(0, MAX_NAMED).map(({ path, reason }) => `${JSON.stringify(path)} (${reason})`);
  const more = refused.length > MAX_NAMED ? ` and ${refused.length - MAX_NAMED} more` : '';
  const message = `\`${name}\` contains other files than memory, which were left out: ${named.join(', ')}${more}. Memory consists of plain \`.md\` files.`;
  return { code: 'memory-store-notice', message };
}

function normalFolder(folder: string): string {
  const plain = folder.replace(/^(?:\.?\/)+|\/+$/g, '').replace(/^\.$/, '');
  if (plain === '' || isTreePath(plain)) return plain;
  throw new ConfigError(`\`${folder}\` is not a folder of a repository`, {
    remedy: 'Set `memory-path` to a relative path without `..`, for example `.axe/memory`.',
  });
}

type Found = readonly (readonly [string, BranchFile])[];

function sortOut(
  found: Exclude<BranchRead, BranchTrouble>,
  choose: (files: ReadonlyMap<string, BranchFile>) => Found,
): FolderRead {
  const { isPublic } = found;
  if (found.kind === 'missing') return { kind: 'read', tree: new Map(), head: '', isPublic, refused: [] };
  const tree = new Map<string, string>();
  const refused: RefusedFile[] = [];
  for (const [path, file] of choose(found.files)) {
    if (file.kind === 'text') tree.set(path, file.text);
    else refused.push({ path, reason: file.reason, isTooMuch: file.isTooMuch === true });
  }
  const saved = found.saved === undefined ? {} : { saved: found.saved };
  return { kind: 'read', tree, head: found.head, isPublic, refused, ...saved };
}

function isInFolder(path: string, places: readonly string[]): boolean {
  return places.includes(path.slice(0, path.lastIndexOf('/') + 1));
}

function below<File>(files: ReadonlyMap<string, File>, prefix: string): readonly (readonly [string, File])[] {
  return [...files].flatMap(([path, file]) =>
    path.startsWith(prefix) ? [[path.slice(prefix.length), file] as const] : [],
  );
}

function onlyMemory(found: Found): Found {
  let [count, bytes] = [0, 0];
  const inOrder = found
    .filter(([path]) => !GIT_FILE.test(path))
    .sort(([left], [right]) => compareFiles(left, right));
  return inOrder.map(([path, file]) => {
    if (file.kind === 'refused') return [path, file];
    if (!MEMORY_FILE.test(path) || !isTreePath(path)) return [path, refuse('it is not an `.md` file')];
    count += 1;
    bytes += encodeBytes(file.text).length;
    const isTooMuch = count > MAX_FILES || bytes > MAX_BYTES;
    return [path, isTooMuch ? { ...refuse('it is one too many'), isTooMuch } : file];
  });
}

function refuse(reason: string): Extract<BranchFile, { readonly kind: 'refused' }> {
  return { kind: 'refused', reason };
}
