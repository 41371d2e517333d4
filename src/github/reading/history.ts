import * as v from 'valibot';
import { previousTag } from '../../event/previous-tag.js';
import type { Base, Repository } from '../../event/trigger.js';
import { askRest, fetchPages, type Listed } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
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

/** The tag whose predecessor is looked for. */
export interface TagPlace {
  readonly repository: Repository;
  readonly tag: string;
}

const tagSchema = v.object({ name: v.string(), commit: v.object({ sha: v.string() }) });
const taggedSchema = v.object({ sha: v.string() });

/** Commits that are gone through; the tag before most releases is nearer. */
const MAX_COMMIT_PAGES = 5;
const MAX_TAG_PAGES = 5;

/** A tag with the one before it. */
interface TagRange {
  /** Name of the tag before. */
  readonly since: string;
  /** Shas of the two commits. */
  readonly base: string;
  readonly head: string;
}

/** What lies between a tag and the one before it, on the way back from its commit; undefined for the first. Throws a GitHubError. */
export async function fetchTagRange(
  client: GitHubClient,
  { repository, tag }: TagPlace,
  signal: AbortSignal,
): Promise<TagRange | undefined> {
  const place = { owner: repository.owner, repo: repository.name };
  const listed = await fetchPages(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/tags',
      params: place,
      item: tagSchema,
      what: 'the tags',
      maxPages: MAX_TAG_PAGES,
    },
    signal,
  );
  const tags = listed.items.map(({ name, commit: { sha } }) => ({ name, sha }));
  const from = tags.find(({ name }) => name === tag)?.sha ?? tag;
  const { items: commits } = await fetchPages(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/commits',
      params: { ...place, sha: from },
      item: taggedSchema,
      what: 'the commits',
      maxPages: MAX_COMMIT_PAGES,
    },
    signal,
  );
  const since = previousTag({ tag, tags, commits: commits.map(({ sha }) => sha) });
  const base = tags.find(({ name }) => name === since)?.sha;
  return since === undefined || base === undefined
    ? undefined
    : { since, base, head: commits[0]?.sha ?? from };
}

/** A pull request by its number and what it goes into. */
interface FoundPull {
  readonly number: number;
  readonly base: Base;
}

const pullSchema = v.object({
  number: v.number(),
  state: v.string(),
  head: v.object({ sha: v.string() }),
  base: v.object({ ref: v.string(), sha: v.string() }),
});

/**
 * The open pull request of this repository whose head a commit is; undefined where there is none. Payloads name it only for
 * branches of the repository itself, and not always. Throws a GitHubError.
 */
export async function fetchPullOfCommit(
  client: GitHubClient,
  { repository, sha }: { readonly repository: Repository; readonly sha: string },
  signal: AbortSignal,
): Promise<FoundPull | undefined> {
  const { items } = await fetchPages(
    client,
    {
      route: 'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls',
      params: { owner: repository.owner, repo: repository.name, commit_sha: sha },
      item: pullSchema,
      what: 'the pull requests of the commit',
      maxPages: 1,
    },
    signal,
  );
  const found = items.find(({ state, head }) => state === 'open' && head.sha === sha);
  return found === undefined ? undefined : { number: found.number, base: found.base };
}
