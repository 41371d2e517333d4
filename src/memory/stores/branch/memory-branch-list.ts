import * as v from 'valibot';
import type { BranchFile, BranchRead } from '../../branch.js';
import { compareFiles } from '../tree-path.js';
import { fetchFile } from './memory-branch-objects.js';
import { type BranchAccess, branchName, placeNotUnderstood } from './memory-branch-place.js';
import { branchRefusal, fetchNewest } from './memory-branch-read.js';
import { messageFor } from './memory-branch-trouble.js';

const MAX_FILES = 1000;
const MAX_TOTAL_BYTES = 8 * 1024 * 1024;
const MEMORY_FILE = /\.md(?:\.bak)?$|(?:^|\/)[^/.]+\.bak$/;

/** A file of a commit, not yet read. */
interface ListedFile {
  readonly path: string;
  readonly oid: string;
  readonly sizeBytes: number;
}

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
  const listing = await fetchTree(access, top.oid, signal);
  if (listing === undefined) return tooMany(access, folder);
  const prefix = folder === '' ? '' : `${folder}/`;
  const { requested, refused } = sift(listing.map((entry) => ({ ...entry, path: `${prefix}${entry.path}` })));
  const read = await fetchFiles(access, requested, signal);
  return { kind: 'found', head, isPublic, files: new Map([...refused, ...read]) };
}

/** Something in a commit. */
export interface ListedEntry extends ListedFile {
  readonly type: string;
  readonly mode: number;
}

/** Undefined if there is more than GitHub lists: 100,000 entries or 7 MB (REST API, "Get a tree"). */
async function fetchTree(
  { client, place }: BranchAccess,
  treeId: string,
  signal: AbortSignal,
): Promise<readonly ListedEntry[] | undefined> {
  const route = 'GET /repos/{owner}/{repo}/git/trees/{tree_sha}';
  const { body } = await client.request(route, {
    params: { owner: place.owner, repo: place.name, tree_sha: treeId, recursive: '1' },
    signal,
  });
  const answer = v.safeParse(treeSchema, body);
  if (!answer.success) throw placeNotUnderstood(route);
  if (answer.output.truncated) return undefined;
  return answer.output.tree
    .filter(({ type }) => type !== 'tree')
    .map(({ path, mode, type, sha, size }) => ({
      path,
      type,
      mode: Number.parseInt(mode, 8),
      oid: sha,
      sizeBytes: size,
    }));
}

const treeSchema = v.object({
  truncated: v.boolean(),
  tree: v.array(
    v.object({
      path: v.string(),
      mode: v.string(),
      type: v.string(),
      sha: v.string(),
      size: v.fallback(v.number(), 0),
    }),
  ),
});

function tooMany({ place }: BranchAccess, folder: string): BranchRead {
  const cause = `\`${folder === '' ? '/' : folder}\` of ${branchName(place)} holds more files than GitHub lists`;
  return {
    kind: 'failed',
    reason: 'error',
    message: messageFor(place, cause, 'reading'),
    remedy: 'Give memory a folder of its own with `memory-path`.',
  };
}

/** Parts the files that are read from those that are not, by the limits of a folder; see {@link compareFiles}. */
export function sift(entries: readonly ListedEntry[]): {
  readonly requested: readonly ListedFile[];
  readonly refused: ReadonlyMap<string, BranchFile>;
} {
  const requested: ListedFile[] = [];
  const refused = new Map<string, BranchFile>();
  let totalBytes = 0;
  for (const entry of [...entries].sort((left, right) => compareFiles(left.path, right.path))) {
    const reason =
      branchRefusal(entry) ?? (MEMORY_FILE.test(entry.path) ? undefined : 'it is not a markdown file');
    const tooMuch = capReason(entry, { count: requested.length, totalBytes });
    if (reason !== undefined) refused.set(entry.path, { kind: 'refused', reason });
    else if (tooMuch !== undefined)
      refused.set(entry.path, { kind: 'refused', reason: tooMuch, isTooMuch: true });
    else {
      requested.push(entry);
      totalBytes += entry.sizeBytes;
    }
  }
  return { requested, refused };
}

function capReason(
  { sizeBytes }: ListedFile,
  { count, totalBytes }: { readonly count: number; readonly totalBytes: number },
): string | undefined {
  if (count >= MAX_FILES) return `the folder holds more than ${MAX_FILES} files`;
  return totalBytes + sizeBytes > MAX_TOTAL_BYTES ? 'the folder holds more than 8 MiB' : undefined;
}

/** Files for which one query asks. */
const BATCH_FILES = 50;

/** GraphQL cuts longer texts. */
const MAX_GRAPHQL_BYTES = 500_000;

/** The texts of files, those that are short in batches. Throws a GitHubError. */
export async function fetchFiles(
  access: BranchAccess,
  files: readonly ListedFile[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BranchFile>> {
  const texts = new Map<string, string | null>();
  const short = [
    ...new Set(files.filter((file) => file.sizeBytes <= MAX_GRAPHQL_BYTES).map(({ oid }) => oid)),
  ];
  for (let from = 0; from < short.length; from += BATCH_FILES) {
    const batch = await fetchTexts(access, short.slice(from, from + BATCH_FILES), signal);
    for (const [oid, text] of batch) texts.set(oid, text);
  }
  const read = new Map<string, BranchFile>();
  for (const { path, oid } of files) {
    read.set(path, await fetchFile(access, { oid, text: texts.get(oid) }, signal));
  }
  return read;
}

async function fetchTexts(
  { client, place }: BranchAccess,
  oids: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string | null>> {
  const data = await client.graphql(textsQuery(oids.length), {
    variables: {
      owner: place.owner,
      name: place.name,
      ...Object.fromEntries(oids.map((oid, index) => [`o${index}`, oid])),
    },
    signal,
    missingIsNull: true,
  });
  const answer = v.safeParse(textsSchema, data);
  if (!answer.success) throw placeNotUnderstood('POST /graphql');
  const { repository } = answer.output;
  return new Map(oids.map((oid, index) => [oid, repository[`b${index}`]?.text ?? null]));
}

function textsQuery(count: number): string {
  const indexes = Array.from({ length: count }, (_, index) => index);
  return `query ($owner: String!, $name: String!${indexes.map((index) => `, $o${index}: GitObjectID!`).join('')}) {
  repository(owner: $owner, name: $name) {
    ${indexes.map((index) => `b${index}: object(oid: $o${index}) { ... on Blob { text } }`).join('\n')}
  }
}`;
}

const textsSchema = v.object({
  repository: v.record(v.string(), v.nullish(v.object({ text: v.nullish(v.string()) }))),
});
