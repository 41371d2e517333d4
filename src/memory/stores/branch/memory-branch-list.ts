import { blobSha, fetchBlob, fetchTexts, fetchTree } from '../../../github/reading/contents.js';
import { decodeBytes } from '../../../lib/text/bytes.js';
import { grouped } from '../../../lib/text/number.js';
import { failed } from '../../store.js';
import { MAX_BYTES_READ, MAX_FILES, MEMORY_FILE } from '../tree-on-disk.js';
import { compareFiles, isTreePath } from '../tree-path.js';
import { type BranchAccess, type BranchFile, type BranchRead, branchName } from './branch.js';
import { fetchNewest, type GitEntry, type TreeEntry } from './memory-branch-read.js';
import { messageFor } from './memory-branch-trouble.js';

/** A committed memory may have them next to it. */
const GIT_FILE = /(?:^|\/)\.git(?:ignore|attributes)$/;

interface ListedEntry extends GitEntry {
  readonly path: string;
}

/**
 * Reads files of the newest commit and the markdown files directly in some folders (with a `/` at their end), and says of
 * what else stands there why not (D17): one query for files and listings, and one for every fifty texts; what GraphQL cannot
 * give whole is fetched. Throws a GitHubError.
 */
export async function readPaths(
  access: BranchAccess,
  requested: readonly string[],
  since: Date | undefined,
  signal: AbortSignal,
): Promise<BranchRead> {
  const paths = requested.filter((path) => !path.endsWith('/'));
  const folders = requested.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
  const places = [...paths, ...folders];
  const withParents = [...places, ...places.flatMap(foldersOf)];
  const lists = folders.length > 0;
  const newest = await fetchNewest(access, { paths: withParents, lists, since }, signal);
  if (newest.kind === 'missing') return newest;
  const { head, isPublic, entries, saved } = newest;
  const { requested: listed, refused } = sift(folders.flatMap((folder) => listingOf(folder, entries)));
  const files = new Map<string, BranchFile>(refused);
  for (const folder of folders) {
    const blocked = blockingFolder(`${folder}/x`, entries);
    if (blocked !== undefined) files.set(`${folder}/`, blocked);
  }
  for (const [path, file] of await fetchFiles(access, listed, signal)) files.set(path, file);
  for (const path of paths) {
    const blocked = blockingFolder(path, entries);
    const entry = entries.get(path);
    if (blocked !== undefined) files.set(path, blocked);
    else if (entry !== undefined) {
      const reason = branchRefusal(entry);
      files.set(
        path,
        reason === undefined ? await fetchFile(access, entry, signal) : { kind: 'refused', reason },
      );
    }
  }
  return { kind: 'found', head, isPublic, files, saved };
}

/** What stands in a folder but for other folders and backups, which nobody reads. */
function listingOf(folder: string, entries: ReadonlyMap<string, TreeEntry>): readonly ListedEntry[] {
  if (blockingFolder(`${folder}/x`, entries) !== undefined) return [];
  return [...(entries.get(folder)?.children ?? [])]
    .filter(({ type, name }) => type !== 'tree' && !name.endsWith('.bak'))
    .map(({ name, ...child }) => ({ ...child, path: `${folder}/${name}` }));
}

/** `a` and `a/b` of `a/b/c.md`. */
function foldersOf(path: string): readonly string[] {
  const parts = path.split('/').slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'));
}

/** A link in place of a folder would be replaced by a write. */
function blockingFolder(path: string, entries: ReadonlyMap<string, TreeEntry>): BranchFile | undefined {
  const folder = foldersOf(path).find((one) => (entries.get(one)?.type ?? 'tree') !== 'tree');
  return folder === undefined ? undefined : { kind: 'refused', reason: `\`${folder}\` is not a folder` };
}

/** Why something is no file of memory: half a sentence, or undefined for a regular file. */
function branchRefusal({ type, mode, sizeBytes }: GitEntry): string | undefined {
  if (type === 'tree') return 'it is a folder';
  if (type === 'commit') return 'it is a submodule';
  if ((mode & FORMAT_BITS) === LINK) return 'it is a symbolic link';
  if ((mode & FORMAT_BITS) !== REGULAR) return 'it is not a regular file';
  return sizeBytes > MAX_BYTES ? `it has ${grouped(sizeBytes)} bytes, more than GitHub returns` : undefined;
}

/** File modes as git stores them. */
const FORMAT_BITS = 0o170000;
const LINK = 0o120000;
const REGULAR = 0o100000;

/** REST API, "Get a blob". */
const MAX_BYTES = 100 * 1024 * 1024;

/**
 * Reads every markdown file below a folder of the newest commit, and says of everything else why not (D17). Throws a
 * GitHubError.
 */
export async function readWholeBranch(
  access: BranchAccess,
  folder: string,
  signal: AbortSignal,
): Promise<BranchRead> {
  const newest = await fetchNewest(access, { paths: folder === '' ? [] : [folder] }, signal);
  if (newest.kind === 'missing') return newest;
  const { head, isPublic } = newest;
  const top = folder === '' ? { type: 'tree', oid: newest.treeId } : newest.entries.get(folder);
  if (top === undefined) return { kind: 'found', head, isPublic, files: new Map() };
  if (top.type !== 'tree') {
    const refused: BranchFile = { kind: 'refused', reason: 'it is not a folder' };
    return { kind: 'found', head, isPublic, files: new Map([[folder, refused]]) };
  }
  const listing = await fetchTree({ ...access, repository: access.place, ref: top.oid }, signal);
  if (listing.truncated) {
    const cause = `\`${folder || '/'}\` of ${branchName(access.place)} holds more files than GitHub lists`;
    const remedy = 'Give memory a folder of its own with `memory-path`.';
    return failed('error', messageFor(access.place, cause, 'reading'), remedy);
  }
  const prefix = folder === '' ? '' : `${folder}/`;
  const entries = listing.tree
    .filter(({ type }) => type !== 'tree')
    .map(({ path, mode, type, sha, size }) => ({
      path: `${prefix}${path}`,
      type,
      mode: Number.parseInt(mode, 8),
      oid: sha,
      sizeBytes: size,
    }));
  const { requested, refused } = sift(entries);
  const read = await fetchFiles(access, requested, signal);
  return { kind: 'found', head, isPublic, files: new Map([...refused, ...read]) };
}

/** Parts the files that are read from those that are not, by the limits of a folder; see {@link compareFiles}. */
function sift(entries: readonly ListedEntry[]): {
  readonly requested: readonly ListedEntry[];
  readonly refused: ReadonlyMap<string, BranchFile>;
} {
  const requested: ListedEntry[] = [];
  const refused = new Map<string, BranchFile>();
  let totalBytes = 0;
  for (const entry of entries.toSorted((left, right) => compareFiles(left.path, right.path))) {
    if (GIT_FILE.test(entry.path)) continue;
    const isMemory = MEMORY_FILE.test(entry.path) && isTreePath(entry.path);
    const reason = branchRefusal(entry) ?? (isMemory ? undefined : 'it is not a markdown file');
    const isTooMuch = requested.length >= MAX_FILES || totalBytes + entry.sizeBytes > MAX_BYTES_READ;
    if (reason !== undefined) refused.set(entry.path, { kind: 'refused', reason });
    else if (isTooMuch) refused.set(entry.path, { kind: 'refused', reason: TOO_MUCH, isTooMuch });
    else {
      requested.push(entry);
      totalBytes += entry.sizeBytes;
    }
  }
  return { requested, refused };
}

const TOO_MUCH = `the folder holds more than ${MAX_FILES} files or ${MAX_BYTES_READ / 2 ** 20} MiB`;

/** Files for which one query asks. */
const BATCH_FILES = 50;

/** GraphQL cuts longer texts. */
const MAX_GRAPHQL_BYTES = 500_000;

/** The texts of files, those that are short in batches. Throws a GitHubError. */
async function fetchFiles(
  access: BranchAccess,
  files: readonly ListedEntry[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BranchFile>> {
  const texts = new Map<string, string | null | undefined>();
  const short = [
    ...new Set(files.filter((file) => file.sizeBytes <= MAX_GRAPHQL_BYTES).map(({ oid }) => oid)),
  ];
  for (let from = 0; from < short.length; from += BATCH_FILES) {
    const batch = short.slice(from, from + BATCH_FILES);
    const found = await fetchTexts(access.client, access.place, batch, signal);
    for (const [oid, { text }] of found) texts.set(oid, text);
  }
  const read = new Map<string, BranchFile>();
  for (const { path, oid } of files) {
    read.set(path, await fetchFile(access, { oid, text: texts.get(oid) }, signal));
  }
  return read;
}

/**
 * What a regular file holds. GraphQL cuts long texts, drops a byte order mark and guesses encodings, so its text counts
 * only if it is what git has stored; otherwise the bytes are fetched. Throws a GitHubError.
 */
async function fetchFile(
  { client, place }: BranchAccess,
  { oid, text }: { readonly oid: string; readonly text: string | null | undefined },
  signal: AbortSignal,
): Promise<BranchFile> {
  if (typeof text === 'string' && blobSha(Buffer.from(text)) === oid) return fileOf(text);
  return fileOf(decodeBytes(await fetchBlob({ client, repository: place }, oid, signal)));
}

function fileOf(text: string): BranchFile {
  if (!text.startsWith(LFS_POINTER)) return { kind: 'text', text };
  return { kind: 'refused', reason: 'its content is in Git LFS' };
}

/** First line of what Git LFS leaves in place of a file (git-lfs, docs/spec.md). */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1';
