import * as v from 'valibot';
import type { Base, Repository } from '../../event/trigger.js';
import { askGraphQl, askRest, fetchPages, repositoryParams } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';

const personSchema = v.nullable(
  v.object({ name: v.optional(v.string()), date: v.optional(v.string()) }),
);

/**
 * The author is a login where GitHub knows the account, else the name git has, if there is one; it
 * proves nothing.
 */
const commitSchema = v.pipe(
  v.object({
    sha: v.string(),
    commit: v.object({ message: v.string(), author: personSchema, committer: personSchema }),
    author: v.fallback(v.nullable(v.object({ login: v.string() })), null),
  }),
  v.transform(({ sha, commit, author }) => ({
    sha,
    message: commit.message,
    author: author?.login ?? commit.author?.name ?? '',
    date: commit.committer?.date ?? commit.author?.date ?? '',
  })),
);

export type FileCommit = v.InferOutput<typeof commitSchema>;

/**
 * The newest commits that changed a file, back from a ref; none where the ref never had it. Throws
 * a GitHubError.
 */
export async function fetchCommitsOfFile(
  client: GitHubClient,
  repository: Repository,
  params: {
    readonly path: string;
    readonly sha: string;
    readonly per_page: number;
    readonly page: number;
  },
  signal: AbortSignal,
): Promise<readonly FileCommit[]> {
  return await askRest(
    client,
    { route: COMMITS, params: { ...repositoryParams(repository), ...params } },
    v.array(commitSchema),
    signal,
  );
}

const COMMITS = 'GET /repos/{owner}/{repo}/commits';

const tagSchema = v.pipe(
  v.object({ name: v.string(), commit: v.object({ sha: v.string() }) }),
  v.transform(({ name, commit: { sha } }) => ({ name, sha })),
);

/** Pages of tags, and of commits to look through; the tag before most releases is nearer. */
const MAX_PAGES = 5;

/**
 * The tag before this one on the way back from its commit, with the shas of both commits. Undefined
 * for the first tag. Throws a GitHubError.
 */
export async function fetchTagRange(
  client: GitHubClient,
  repository: Repository,
  tag: string,
  signal: AbortSignal,
): Promise<{ readonly since: string; readonly base: string; readonly head: string } | undefined> {
  const here = repositoryParams(repository);
  const tagsRoute = 'GET /repos/{owner}/{repo}/tags';
  const { items: tags } = await fetchPages(
    client,
    { route: tagsRoute, params: here, maxPages: MAX_PAGES },
    v.array(tagSchema),
    signal,
  );
  const from = tags.find(({ name }) => name === tag)?.sha ?? tag;
  const shas = v.array(v.object({ sha: v.string() }));
  const { items } = await fetchPages(
    client,
    { route: COMMITS, params: { ...here, sha: from }, maxPages: MAX_PAGES },
    shas,
    signal,
  );
  const commits = items.map(({ sha }) => sha);
  const before = previousTag(tag, tags, commits);
  return before && { since: before.name, base: before.sha, head: commits[0] ?? from };
}

/**
 * The tag before a new one: the nearest on the way back that belongs to the same series (`v`,
 * `cli-v`). Before a release that is a release too, since its notes tell what its release
 * candidates brought as well. Undefined for the first. `commits` are the shas up to the new tag,
 * newest first; the first is its own.
 * @internal
 */
export function previousTag(
  tag: string,
  tags: readonly v.InferOutput<typeof tagSchema>[],
  [newest, ...earlier]: readonly string[],
) {
  const candidates = tags.filter(
    ({ name, sha }) => name !== tag && sha !== newest && isSameSeries(name, tag),
  );
  const nearest = earlier.find((sha) => candidates.some((candidate) => candidate.sha === sha));
  return candidates.find(({ sha }) => sha === nearest);
}

function isSameSeries(name: string, tag: string): boolean {
  if (prefixOf(name) !== prefixOf(tag)) return false;
  return isPrerelease(tag) || !isPrerelease(name);
}

/** The part before the version. */
function prefixOf(tag: string): string {
  return tag.replace(/\d.*$/s, '');
}

/** `v1.2.0-rc.1` (Semantic Versioning 2.0.0, 9). */
function isPrerelease(tag: string): boolean {
  return /\d-[0-9A-Za-z]/.test(tag.slice(prefixOf(tag).length));
}

const pullSchema = v.object({
  number: v.number(),
  state: v.string(),
  head: v.object({ sha: v.string() }),
  base: v.object({ ref: v.string(), sha: v.string() }),
});

/**
 * The open pull request of this repository whose head a commit is; undefined where there is none.
 * Payloads name it only for branches of the repository itself, and not always. Throws a
 * GitHubError.
 */
export async function fetchPullOfCommit(
  client: GitHubClient,
  repository: Repository,
  sha: string,
  signal: AbortSignal,
): Promise<{ readonly number: number; readonly base: Base } | undefined> {
  const route = 'GET /repos/{owner}/{repo}/commits/{commit_sha}/pulls';
  const params = { ...repositoryParams(repository), commit_sha: sha };
  const { items } = await fetchPages(
    client,
    { route, params, maxPages: 1 },
    v.array(pullSchema),
    signal,
  );
  return items.find(({ state, head }) => state === 'open' && head.sha === sha);
}

const MAX_COMMITS = 50;
/** A commit of stacked pull requests belongs to several. */
const PULLS_OF_COMMIT = 5;

const pullOfCommitSchema = v.object({ state: v.string(), baseRefName: v.string() });

const pullsSchema = v.object({
  repository: v.objectWithRest(
    { defaultBranchRef: v.nullish(v.object({ name: v.string() })) },
    v.nullish(
      v.object({
        associatedPullRequests: v.nullish(v.object({ nodes: v.array(pullOfCommitSchema) })),
      }),
    ),
  ),
});

/**
 * Returns which of the first 50 commits are only in closed pull requests, or in one that is merged
 * into the default branch and in no open one, in one request. A commit that was merged elsewhere can
 * still come there. Throws a GitHubError.
 */
export async function fetchCommitsOfEndedPulls(
  client: GitHubClient,
  { owner, name }: Repository,
  commits: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const firstCommits = commits.slice(0, MAX_COMMITS);
  if (firstCommits.length === 0) return [];
  const aliased = firstCommits.map((sha, index) => [`c${index}`, sha] as const);
  const query = `query ($owner: String!, $name: String!${aliased.map(([alias]) => `, $${alias}: GitObjectID!`).join('')}) {
  repository(owner: $owner, name: $name) {
    defaultBranchRef { name }
    ${aliased.map(([alias]) => `${alias}: object(oid: $${alias}) { ... on Commit { associatedPullRequests(first: ${PULLS_OF_COMMIT}) { nodes { state baseRefName } } } }`).join('\n    ')}
  }
}`;
  const variables = { owner, name, ...Object.fromEntries(aliased) };
  const { repository } = await askGraphQl(
    client,
    { query, variables, permission: 'pull-requests: read', missingIsNull: true },
    pullsSchema,
    signal,
  );
  return aliased.flatMap(([alias, sha]) => {
    const pulls = repository[alias]?.associatedPullRequests?.nodes ?? [];
    return isEnded(pulls, repository.defaultBranchRef?.name) ? [sha] : [];
  });
}

function isEnded(
  pulls: readonly v.InferOutput<typeof pullOfCommitSchema>[],
  defaultBranch: string | undefined,
): boolean {
  const merged = pulls.filter(({ state }) => state === 'MERGED');
  if (pulls.length === 0 || pulls.some(({ state }) => state === 'OPEN')) return false;
  return merged.length === 0 || merged.some(({ baseRefName }) => baseRefName === defaultBranch);
}
