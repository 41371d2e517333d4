import { createHash } from 'node:crypto';
import type { BranchFile } from '../../../core/memory/branch.js';
import { decodeBytes } from '../../../core/text/bytes.js';
import { fetchBlob } from '../reading/contents.js';
import type { BranchAccess } from './memory-branch-place.js';

/** A blob as GraphQL gives it. */
export interface Blob {
  readonly oid: string;
  /** Null where GitHub takes it for binary, undefined where nobody asked. */
  readonly text: string | null | undefined;
}

/**
 * What a regular file holds. GraphQL cuts long texts, drops a byte order mark and guesses encodings, so its text counts
 * only if it is what git has stored; otherwise the bytes are fetched. Throws a GitHubError.
 */
export async function fetchFile(
  { client, place }: BranchAccess,
  { oid, text }: Blob,
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
