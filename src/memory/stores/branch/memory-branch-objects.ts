import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { fetchBlob } from '../../../github/reading/contents.js';
import { decodeBytes, encodeBytes } from '../../../lib/text/bytes.js';
import { type BranchAccess, type BranchFile, placeNotUnderstood } from './branch.js';

/**
 * Stores a tree of files, over the files of another tree where `base` is given, and returns its id. Nothing shows it
 * until a ref leads to it. Throws a GitHubError.
 */
export async function storeTree(
  access: BranchAccess,
  { files, base }: { readonly files: ReadonlyMap<string, string>; readonly base?: string | undefined },
  signal: AbortSignal,
): Promise<string> {
  const tree: object[] = [];
  for (const [path, text] of files) {
    const isInline = text !== '' && text.isWellFormed();
    const content = isInline ? { content: text } : { sha: await storeBlob(access, text, signal) };
    tree.push({ path, mode: '100644', type: 'blob', ...content });
  }
  const params = { tree, ...(base === undefined ? {} : { base_tree: base }) };
  return await store(access, 'POST /repos/{owner}/{repo}/git/trees', params, signal);
}

/** Stores a commit without moving anything to it, and returns its id. Throws a GitHubError. */
export async function storeCommit(
  access: BranchAccess,
  commit: { readonly message: string; readonly tree: string; readonly parents: readonly string[] },
  signal: AbortSignal,
): Promise<string> {
  return await store(access, 'POST /repos/{owner}/{repo}/git/commits', commit, signal);
}

export async function fetchTreeId(
  { client, place }: BranchAccess,
  commit: string,
  signal: AbortSignal,
): Promise<string> {
  const route = 'GET /repos/{owner}/{repo}/git/commits/{commit_sha}';
  const { body } = await client.request(route, {
    params: { owner: place.owner, repo: place.name, commit_sha: commit },
    signal,
  });
  const answer = v.safeParse(commitSchema, body);
  if (!answer.success) throw placeNotUnderstood(route);
  return answer.output.tree.sha;
}

/** For bytes that JSON cannot carry. */
async function storeBlob(access: BranchAccess, text: string, signal: AbortSignal): Promise<string> {
  const params = { content: toBase64(text), encoding: 'base64' };
  return await store(access, 'POST /repos/{owner}/{repo}/git/blobs', params, signal);
}

export function toBase64(text: string): string {
  return Buffer.from(encodeBytes(text)).toString('base64');
}

async function store(
  { client, place }: BranchAccess,
  route: string,
  params: object,
  signal: AbortSignal,
): Promise<string> {
  const { body } = await client.request(route, {
    params: { owner: place.owner, repo: place.name, ...params },
    signal,
  });
  const answer = v.safeParse(storedSchema, body);
  if (!answer.success) throw placeNotUnderstood(route);
  return answer.output.sha;
}

const storedSchema = v.object({ sha: v.string() });
const commitSchema = v.object({ tree: storedSchema });

/**
 * What a regular file holds. GraphQL cuts long texts, drops a byte order mark and guesses encodings, so its text counts
 * only if it is what git has stored; otherwise the bytes are fetched. It is null where GitHub takes it for binary, undefined
 * where nobody asked. Throws a GitHubError.
 */
export async function fetchFile(
  { client, place }: BranchAccess,
  { oid, text }: { readonly oid: string; readonly text: string | null | undefined },
  signal: AbortSignal,
): Promise<BranchFile> {
  if (typeof text === 'string' && isStored(text, oid)) return fileOf(text);
  return fileOf(decodeBytes(await fetchBlob({ client, repository: place }, oid, signal)));
}

/** Whether a text is the content of a blob, by git's own id for it: SHA-1, or SHA-256 in newer repositories. */
function isStored(text: string, oid: string): boolean {
  const bytes = Buffer.from(text);
  const hash = createHash(oid.length === SHA256_LENGTH ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex') === oid;
}

const SHA256_LENGTH = 64;

function fileOf(text: string): BranchFile {
  if (!text.startsWith(LFS_POINTER)) return { kind: 'text', text };
  return { kind: 'refused', reason: 'its content is in Git LFS' };
}

/** First line of what Git LFS leaves in place of a file (git-lfs, docs/spec.md). */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1';
