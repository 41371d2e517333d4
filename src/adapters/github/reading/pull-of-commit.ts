import * as v from 'valibot';
import type { Base, Repository } from '../../../core/event/trigger.js';
import type { GitHubClient } from '../client/client.js';
import { fetchPages } from '../client/pages.js';

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
