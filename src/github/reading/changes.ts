import * as v from 'valibot';
import type { CountedFile, Repository } from '../../event/trigger.js';
import type { CommitNote } from '../../prompt/context.js';
import { askRest, fetchPages, inRepo, orRefusal, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/** A changed file with the part of the diff GitHub sends for it. */
export interface PatchedFile extends CountedFile {
  /** Hunks without the file's header; undefined for binary, very large and unchanged files. */
  readonly patch?: string;
}

/** A file as the REST API lists it, here and in comparisons. */
const patchedFileSchema = v.pipe(
  v.object({
    filename: v.string(),
    status: v.fallback(v.string(), 'changed'),
    additions: v.fallback(v.number(), 0),
    deletions: v.fallback(v.number(), 0),
    previous_filename: v.optional(v.string()),
    patch: v.optional(v.string()),
  }),
  v.transform(
    ({ filename: path, previous_filename: previousPath, ...rest }): PatchedFile => ({
      path,
      previousPath,
      ...rest,
    }),
  ),
);

/** GitHub lists no more files of a pull request (REST API, "List pull requests files"). */
const MAX_PAGES = 30;

/** The files of a pull request as it is now. Throws a GitHubError. */
export async function fetchChangedFiles(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  signal: AbortSignal,
): Promise<readonly PatchedFile[]> {
  const route = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
  const params = { ...inRepo(repository), pull_number: number };
  return (await fetchPages(client, route, params, v.array(patchedFileSchema), MAX_PAGES, signal)).items;
}

/** A unified diff of the files' hunks, with the headers git would write; files without hunks keep their header. */
export function assembleDiff(files: readonly PatchedFile[]): string {
  return files.map(formatFileDiff).join('');
}

function formatFileDiff(file: PatchedFile): string {
  const { path, status, patch } = file;
  const from = file.previousPath ?? path;
  const lines = [`diff --git ${quote(`a/${from}`)} ${quote(`b/${path}`)}`];
  if (status === 'added') lines.push('new file mode 100644');
  if (status === 'removed') lines.push('deleted file mode 100644');
  if (status === 'renamed') lines.push(`rename from ${quote(from)}`, `rename to ${quote(path)}`);
  if (status === 'copied') lines.push(`copy from ${quote(from)}`, `copy to ${quote(path)}`);
  if (patch !== undefined && patch !== '') {
    lines.push(`--- ${status === 'added' ? '/dev/null' : quote(`a/${from}`)}`);
    lines.push(`+++ ${status === 'removed' ? '/dev/null' : quote(`b/${path}`)}`, patch);
  }
  return `${lines.join('\n')}\n`;
}

/** A path as git quotes it, where it would break out of its line. */
function quote(path: string): string {
  return /[\p{Cc}"\\]/u.test(path) ? JSON.stringify(path) : path;
}

/** Two commits of a repository; a ref may stand for the base. */
export interface CommitPair {
  readonly repository: Repository;
  readonly base: string;
  readonly head: string;
}

const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';

/** Three dots: what the head changed since it left the base, as a pull request shows it. */
function compareParams({ repository, base, head }: CommitPair): Record<string, unknown> {
  return { ...inRepo(repository), basehead: `${base}...${head}` };
}

/**
 * The diff between two commits. Undefined where GitHub does not make it: more than 20,000 lines or 300 files, no common
 * ancestor. Throws a GitHubError.
 */
export async function fetchDiff(
  client: GitHubClient,
  pair: CommitPair,
  signal: AbortSignal,
): Promise<string | undefined> {
  const accept = 'application/vnd.github.diff';
  const request = client.request(COMPARE, { params: compareParams(pair), accept, signal });
  const answer = await orRefusal(request, 'too-large', 'missing', 'unavailable');
  if (answer instanceof GitHubError) {
    // A diff that takes GitHub too long to make ends in a server error rather than in a 406.
    if (answer.reason === 'unavailable' && answer.status === undefined) throw answer;
    return undefined;
  }
  const { body } = answer;
  if (typeof body === 'string') return body;
  // An answer that is not text comes as bytes.
  return body instanceof ArrayBuffer ? new TextDecoder().decode(body) : '';
}

/** GitHub lists no more on one page, and no more files at all (REST API, "Compare two commits"). */
const MAX_COMMITS = 100;
const MAX_FILES = 300;

const comparedCommitSchema = v.object({
  sha: v.string(),
  commit: v.object({ message: v.string() }),
  parents: v.fallback(v.array(v.unknown()), []),
  author: v.fallback(v.nullable(v.object({ login: v.string() })), null),
});

const comparisonSchema = v.pipe(
  v.object({
    status: v.fallback(v.picklist(['ahead', 'behind', 'diverged', 'identical', 'unknown']), 'unknown'),
    total_commits: v.fallback(v.number(), 0),
    files: v.optional(v.array(patchedFileSchema), []),
    commits: v.fallback(v.array(comparedCommitSchema), []),
  }),
  v.transform(({ status, total_commits: total, commits, files }) => ({
    files,
    /** False where there are more files than GitHub lists. */
    isComplete: files.length < MAX_FILES,
    /** How the head stands to the base; `diverged` where it does not come after it. */
    status,
    /** One of the commits is a merge, or that cannot be told since there are more than are listed. */
    hasMerge: total > commits.length || commits.some(({ parents }) => parents.length > 1),
    commits: commits.map(({ sha, commit: { message }, author }): CommitNote => {
      return { sha, message, author: author?.login ?? '' };
    }),
  })),
);

/** Files and commits between two commits, both on the first page (REST API, "Compare two commits"). Throws a GitHubError. */
export async function fetchComparison(
  client: GitHubClient,
  pair: CommitPair,
  signal: AbortSignal,
): Promise<v.InferOutput<typeof comparisonSchema>> {
  const params = { ...compareParams(pair), per_page: MAX_COMMITS, page: 1 };
  return await askRest(client, COMPARE, params, comparisonSchema, signal);
}
