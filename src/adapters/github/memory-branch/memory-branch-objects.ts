import * as v from 'valibot';
import { encodeBytes } from '../../../core/text/bytes.js';
import { type BranchAccess, placeNotUnderstood } from './memory-branch-place.js';

/** What a tree is made of. */
export interface TreeParts {
  readonly files: ReadonlyMap<string, string>;
  /** Files of `base` that are to go. */
  readonly removed?: readonly string[];
  /** A tree whose other files stay. */
  readonly base?: string;
}

/**
 * Stores a tree of files, over the files of another tree where `base` is given, and returns its id. Nothing shows it
 * until a ref leads to it. Throws a GitHubError.
 */
export async function storeTree(
  access: BranchAccess,
  { files, removed = [], base }: TreeParts,
  signal: AbortSignal,
): Promise<string> {
  const tree: object[] = removed.map((path) => ({ path, mode: '100644', type: 'blob', sha: null }));
  for (const [path, text] of files) {
    const isInline = text !== '' && text.isWellFormed();
    const content = isInline ? { content: text } : { sha: await storeBlob(access, text, signal) };
    tree.push({ path, mode: '100644', type: 'blob', ...content });
  }
  const params = { tree, ...(base === undefined ? {} : { base_tree: base }) };
  return await store(access, { route: 'POST /repos/{owner}/{repo}/git/trees', params }, signal);
}

/** Stores a commit without moving anything to it, and returns its id. Throws a GitHubError. */
export async function storeCommit(
  access: BranchAccess,
  commit: { readonly message: string; readonly tree: string; readonly parents: readonly string[] },
  signal: AbortSignal,
): Promise<string> {
  return await store(access, { route: 'POST /repos/{owner}/{repo}/git/commits', params: commit }, signal);
}

/** The tree of a commit. Throws a GitHubError. */
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
  return await store(access, { route: 'POST /repos/{owner}/{repo}/git/blobs', params }, signal);
}

/** A text's bytes as the API takes them. */
export function toBase64(text: string): string {
  return Buffer.from(encodeBytes(text)).toString('base64');
}

async function store(
  { client, place }: BranchAccess,
  { route, params }: { readonly route: string; readonly params: Readonly<Record<string, unknown>> },
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
