import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import type { CommitNote } from '../../prompt/context.js';
import { askRest, inRepo } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';
import { type PatchedFile, patchedFileSchema } from './changed-files.js';

/** Two commits of a repository; a ref may stand for the base. */
export interface CommitPair {
  readonly repository: Repository;
  readonly base: string;
  readonly head: string;
}

/** What lies between two commits, as far as GitHub lists it: at most 300 files and 250 commits. */
interface Comparison {
  readonly files: readonly PatchedFile[];
  /** False where there are more files than GitHub lists. */
  readonly isComplete: boolean;
  readonly commits: readonly CommitNote[];
  /** How the head stands to the base; `diverged` where it does not come after it. */
  readonly status: (typeof STATUSES)[number] | 'unknown';
  /** One of the commits is a merge, or that cannot be told since there are more than are listed. */
  readonly hasMerge: boolean;
}

const STATUSES = ['ahead', 'behind', 'diverged', 'identical'] as const;

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
  try {
    const { body } = await client.request(COMPARE, {
      params: compareParams(pair),
      accept: 'application/vnd.github.diff',
      signal,
    });
    if (typeof body === 'string') return body;
    // An answer that is not text comes as bytes.
    return body instanceof ArrayBuffer ? new TextDecoder().decode(body) : '';
  } catch (thrown) {
    if (thrown instanceof GitHubError && mayBeAssembled(thrown)) return undefined;
    throw thrown;
  }
}

/** A diff that takes GitHub too long to make ends in a server error rather than in a 406. */
function mayBeAssembled({ reason, status }: GitHubError): boolean {
  return reason === 'too-large' || reason === 'missing' || (reason === 'unavailable' && status !== undefined);
}

const comparisonSchema = v.object({
  status: v.fallback(v.picklist([...STATUSES, 'unknown']), 'unknown'),
  total_commits: v.fallback(v.number(), 0),
  files: v.optional(v.array(patchedFileSchema), []),
  commits: v.fallback(
    v.array(
      v.object({
        sha: v.string(),
        commit: v.object({ message: v.string() }),
        parents: v.fallback(v.array(v.unknown()), []),
        author: v.fallback(v.nullable(v.object({ login: v.string() })), null),
      }),
    ),
    [],
  ),
});

/** Files and commits between two commits, both on the first page (REST API, "Compare two commits"). Throws a GitHubError. */
export async function fetchComparison(
  client: GitHubClient,
  pair: CommitPair,
  signal: AbortSignal,
): Promise<Comparison> {
  const params = { ...compareParams(pair), per_page: MAX_COMMITS, page: 1 };
  const answer = await askRest(client, COMPARE, params, comparisonSchema, signal);
  const { status, total_commits: total, commits, files } = answer;
  return {
    files,
    isComplete: files.length < MAX_FILES,
    status,
    hasMerge: total > commits.length || commits.some(({ parents }) => parents.length > 1),
    commits: commits.map(({ sha, commit, author }) => ({
      sha,
      message: commit.message,
      author: author?.login ?? '',
    })),
  };
}

/** GitHub lists no more on one page, and no more files at all (REST API, "Compare two commits"). */
const MAX_COMMITS = 100;
const MAX_FILES = 300;
