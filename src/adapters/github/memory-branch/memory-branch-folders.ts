import type { BranchFile, BranchRead } from '../../../core/memory/branch.js';
import { fetchFiles, type ListedEntry, sift } from './memory-branch-list.js';
import type { BranchAccess } from './memory-branch-place.js';
import { blockingFolder, fetchNewest, filesAt, type TreeEntry, withFolders } from './memory-branch-read.js';

/**
 * Reads files of the newest commit and the markdown files directly in some folders (with a `/` at their end), and says of
 * what else stands there why not (D17): one query for files and listings, and one for every fifty texts. Throws a
 * GitHubError.
 */
export async function readFolders(
  access: BranchAccess,
  wanted: readonly string[],
  signal: AbortSignal,
): Promise<BranchRead> {
  const paths = wanted.filter((path) => !path.endsWith('/'));
  const folders = wanted.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
  const asked = withFolders([...paths, ...folders]);
  const newest = await fetchNewest(access, { paths: asked, lists: true }, signal);
  if (newest.kind === 'missing') return newest;
  const { head, isPublic, entries } = newest;
  const { wanted: listed, refused } = sift(folders.flatMap((folder) => listingOf(folder, entries)));
  const files = new Map<string, BranchFile>([
    ...refused,
    ...folders.flatMap((folder) => notFolders(folder, entries)),
    ...(await fetchFiles(access, listed, signal)),
    ...(await filesAt(access, { paths, entries }, signal)),
  ]);
  return { kind: 'found', head, isPublic, files };
}

/** What stands in a folder but for other folders and backups, which nobody reads. */
function listingOf(folder: string, entries: ReadonlyMap<string, TreeEntry>): readonly ListedEntry[] {
  if (blockingFolder(`${folder}/x`, entries) !== undefined) return [];
  return [...(entries.get(folder)?.children ?? [])]
    .filter(({ type, name }) => type !== 'tree' && !name.endsWith('.bak'))
    .map(({ name, ...child }) => ({ ...child, path: `${folder}/${name}` }));
}

/** A link or a file where a folder should be. */
function notFolders(
  folder: string,
  entries: ReadonlyMap<string, TreeEntry>,
): readonly (readonly [string, BranchFile])[] {
  const blocked = blockingFolder(`${folder}/x`, entries);
  return blocked === undefined ? [] : [[`${folder}/`, blocked]];
}
