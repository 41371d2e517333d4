import * as v from 'valibot';
import type { Repository } from '../../../core/event/trigger.js';
import { askRest } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { fetchPages, type Listed } from '../client/pages.js';
import type { PullRequestPlace } from './changed-files.js';

/** A commit, in its author's words. */
interface Commit {
  readonly sha: string;
  readonly message: string;
  /** Login where GitHub knows the account, else the name git has; empty if there is neither. */
  readonly author: string;
  /** When it was committed, ISO 8601; empty if unknown. */
  readonly date: string;
  readonly isMerge: boolean;
}

/** Which file's history is asked for. */
interface FileHistoryRequest {
  readonly repository: Repository;
  readonly path: string;
  /** Branch, tag or sha to go back from. */
  readonly ref: string;
  /** No more commits than these; a hundred at most. */
  readonly limit: number;
  /** Which of the pages of so many commits; the first is 1, the default. */
  readonly page?: number;
}

const personSchema = v.nullable(v.object({ name: v.optional(v.string()), date: v.optional(v.string()) }));

const commitSchema = v.object({
  sha: v.string(),
  commit: v.object({ message: v.string(), author: personSchema, committer: personSchema }),
  author: v.fallback(v.nullable(v.object({ login: v.string() })), null),
  parents: v.array(v.unknown()),
});

/** GitHub lists 250 commits of a pull request and no more (REST API, "List commits on a pull request"). */
const MAX_COMMITS = 250;

/** The commits of a pull request, oldest first; incomplete where GitHub lists no more. Throws a GitHubError. */
export async function commitsOf(
  client: GitHubClient,
  { repository, number }: PullRequestPlace,
  signal: AbortSignal,
): Promise<Listed<Commit>> {
  const { items, isComplete } = await fetchPages(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/pulls/{pull_number}/commits',
      params: { owner: repository.owner, repo: repository.name, pull_number: number },
      item: commitSchema,
      what: 'the commits',
      maxPages: 3,
    },
    signal,
  );
  return { items: items.map(commitOf), isComplete: isComplete && items.length < MAX_COMMITS };
}

/** The newest commits that changed a file; none where the ref never had it. Throws a GitHubError. */
export async function fileHistory(
  client: GitHubClient,
  { repository, path, ref, limit, page = 1 }: FileHistoryRequest,
  signal: AbortSignal,
): Promise<readonly Commit[]> {
  const commits = await askRest(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/commits',
      params: {
        owner: repository.owner,
        repo: repository.name,
        path,
        sha: ref,
        per_page: Math.min(limit, 100),
        ...(page === 1 ? {} : { page }),
      },
      schema: v.array(commitSchema),
      what: 'the commits',
    },
    signal,
  );
  return commits.map(commitOf);
}

function commitOf({ sha, commit, author, parents }: v.InferOutput<typeof commitSchema>): Commit {
  return {
    sha,
    message: commit.message,
    author: author?.login ?? commit.author?.name ?? '',
    date: commit.committer?.date ?? commit.author?.date ?? '',
    isMerge: parents.length > 1,
  };
}
