import * as v from 'valibot';
import { previousTag } from '../../../core/event/previous-tag.js';
import type { Repository } from '../../../core/event/trigger.js';
import type { GitHubClient } from '../client/client.js';
import { fetchPages } from '../client/pages.js';

/** The tag whose predecessor is looked for. */
export interface TagPlace {
  readonly repository: Repository;
  readonly tag: string;
}

const tagSchema = v.object({ name: v.string(), commit: v.object({ sha: v.string() }) });
const commitSchema = v.object({ sha: v.string() });

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
      item: commitSchema,
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
