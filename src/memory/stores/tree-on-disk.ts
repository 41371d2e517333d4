import { join } from 'node:path';
import { messageOf, type Warning } from '../../lib/errors.js';
import { errorCode, type FileStat, type Files, readWhole } from '../../lib/files.js';
import type { MemoryTree } from '../change.js';
import { compareByPriority, isNotesPath, isTreePath } from '../paths.js';
import type { BlockedPlace, SaveFailure } from '../store.js';
import {
  filesWarning,
  MAX_BYTES_READ,
  MAX_MEMORY_FILES,
  notMemoryWarnings,
  tooLargeWarnings,
} from './read-log.js';

interface ReadTree {
  readonly tree: MemoryTree;
  /** One for files that are not memory, and one for files that did not fit. */
  readonly warnings: readonly Warning[];
  /** Paths of memory files that did not fit. */
  readonly left: readonly string[];
  /** Paths of memory files that are links or cannot be read. */
  readonly blocked: readonly BlockedPlace[];
}

/**
 * Largest run log that is read when requested by name, so that gc can trim one that has grown too
 * large. GitHub accepts no larger file.
 */
const MAX_LOG_BYTES = 100 * 1024 * 1024;
const MAX_DEPTH = 8;
/** A note's former version has its name without `.md`; names of notes have no dots. */
export const MEMORY_FILE = /\.md(?:\.bak)?$|(?:^|\/)[^/.]+\.bak$/;
/** Files that writers of the same folder keep while they work, and files that git reads. */
const PASSING_FILE = /(?:\.lock|(?:^|\/)(?:\.axe-[^/]*\.tmp|\.gitignore|\.gitattributes))$/;

/**
 * Reads memory files of a folder: regular `.md` files and their `.bak` that have one name only,
 * within limits. Links are never followed, and everything else is left out with a warning.
 * `blocked` lists places in the folder that cannot be used.
 */
export async function readStoredFiles(
  files: Files,
  folder: string,
  candidates: readonly StoredFile[],
  blocked: readonly BlockedPlace[] = [],
): Promise<ReadTree> {
  const tree = new Map<string, string>();
  const unread = [...blocked];
  const others = blocked.flatMap(({ path, reason }) => (reason === 'refused' ? [path] : []));
  const tooLarge: string[] = [];
  let [count, bytes] = [0, 0];
  // Sorted by priority, so that the least important files are left out at a limit.
  for (const { path, stat, isNamed = false } of candidates.toSorted((a, b) =>
    compareByPriority(a.path, b.path),
  )) {
    if (PASSING_FILE.test(path)) continue;
    if (stat.kind !== 'file' || stat.names !== undefined || !isMemoryPath(path)) {
      others.push(path);
      if (isMemoryPath(path))
        unread.push({ path, ...NOT_REGULAR, message: `\`${path}\` is not a regular file` });
      continue;
    }
    const fits = isNamed
      ? stat.bytes <= (isNotesPath(path) ? MAX_BYTES_READ : MAX_LOG_BYTES)
      : count < MAX_MEMORY_FILES && bytes + stat.bytes <= MAX_BYTES_READ;
    if (!fits) {
      tooLarge.push(path);
      continue;
    }
    try {
      // A file that another process has removed since the listing is left out.
      const text = await readWhole(files, join(folder, path), { followLinks: false });
      if (text !== undefined) tree.set(path, text);
    } catch (thrown) {
      // An unreadable file does not keep the run from the other files.
      unread.push({ path, reason: saveFailureOf(thrown), message: messageOf(thrown) });
      continue;
    }
    if (isNamed) continue;
    count += 1;
    bytes += stat.bytes;
  }
  const denied = unread.filter(({ reason }) => reason !== 'refused').map(({ message }) => message);
  const warnings = [
    ...notMemoryWarnings(
      'The memory',
      others.map((path) => JSON.stringify(path)),
    ),
    ...tooLargeWarnings(tooLarge.map((path) => JSON.stringify(path))),
    ...filesWarning(
      'Notes could not be read and are left as they are: ',
      denied,
      'Everything else is loaded and saved. Check their permissions.',
    ),
  ];
  return { tree, warnings, left: tooLarge, blocked: unread };
}

const NOT_REGULAR = {
  reason: 'refused',
  remedy: 'Put a regular file in its place; what is there is neither read nor written.',
} as const;

/** True if {@link readStoredFiles} takes a file of this name for a memory file. */
export function isMemoryPath(path: string): boolean {
  const isPlain = MEMORY_FILE.test(path) && isTreePath(path) && !/\p{Cc}/u.test(path);
  return isPlain && path.split('/').length <= MAX_DEPTH;
}

export interface StoredFile {
  /** From the folder on, `/`-separated. */
  readonly path: string;
  readonly stat: FileStat;
  /** The file was requested by name, so it does not count towards the limits of a folder. */
  readonly isNamed?: boolean;
}

/** Lists everything below a folder but folders. Throws what the file system throws. */
export async function listFiles(files: Files, folder: string, under = ''): Promise<StoredFile[]> {
  const entries = await files.list(join(folder, under));
  const listed: StoredFile[] = [];
  for (const { name, stat } of entries) {
    const path = under === '' ? name : `${under}/${name}`;
    const isOpen = stat.kind === 'directory' && path.split('/').length < MAX_DEPTH;
    listed.push(...(isOpen ? await listFiles(files, folder, path) : [{ path, stat }]));
  }
  return listed;
}

/** Maps an error of the file system to a save's failure. */
export function saveFailureOf(thrown: unknown): SaveFailure {
  const code = errorCode(thrown) ?? '';
  if (DENIED.has(code)) return 'denied';
  return code === 'ELOOP' ? 'refused' : 'error';
}

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS']);
