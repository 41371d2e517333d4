import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { askRest } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';

/** What is searched for, in GitHub's search syntax. */
interface SearchRequest {
  readonly repository: Repository;
  /** May come from the model: qualifiers that name a place are taken out, the place is always the repository. */
  readonly query: string;
  /** No more results than these; a hundred at most. */
  readonly limit: number;
}

const codeSchema = v.object({
  incomplete_results: v.boolean(),
  items: v.array(
    v.object({
      path: v.string(),
      repository: v.object({ full_name: v.string() }),
      text_matches: v.fallback(v.array(v.object({ fragment: v.fallback(v.string(), '') })), []),
    }),
  ),
});

/**
 * Files of the repository's default branch that match (REST API, "Search code": files under 384 KB, ten requests a
 * minute). Throws a GitHubError.
 */
export async function searchCode(client: GitHubClient, request: SearchRequest, signal: AbortSignal) {
  // The pieces of text that match are sent only under this type.
  const accept = 'application/vnd.github.text-match+json';
  const answer = await askRest(client, 'GET /search/code', paramsOf(request), codeSchema, signal, accept);
  const items = answer.items
    .filter(({ repository }) => isHere(repository.full_name, request))
    .map(({ path, text_matches }) => ({ path, fragments: text_matches.map(({ fragment }) => fragment) }));
  return { items, isComplete: !answer.incomplete_results };
}

/** A file with the pieces of it that match. */
export type FoundCode = Awaited<ReturnType<typeof searchCode>>['items'][number];

const issuesSchema = v.object({
  incomplete_results: v.boolean(),
  items: v.array(
    v.object({
      number: v.number(),
      title: v.string(),
      state: v.string(),
      repository_url: v.string(),
      updated_at: v.string(),
      user: v.nullable(v.object({ login: v.string() })),
    }),
  ),
});

/** Issues, or pull requests, of the repository that match: GitHub looks for one or the other. Throws a GitHubError. */
export async function searchIssues(
  client: GitHubClient,
  request: SearchRequest & { readonly kind: 'issue' | 'pull_request' },
  signal: AbortSignal,
) {
  const params = paramsOf(request, request.kind === 'issue' ? 'is:issue' : 'is:pull-request');
  const answer = await askRest(client, 'GET /search/issues', params, issuesSchema, signal);
  const items = answer.items
    .filter(({ repository_url }) => isHere(repository_url.split('/repos/').at(-1) ?? '', request))
    .map(({ number, title, state, user, updated_at }) => ({
      number,
      title,
      isOpen: state === 'open',
      author: user?.login ?? 'ghost',
      updatedAt: updated_at,
    }));
  return { items, isComplete: !answer.incomplete_results };
}

/** An issue or pull request with its author's words for a title. */
export type FoundIssue = Awaited<ReturnType<typeof searchIssues>>['items'][number];

const MAX_RESULTS = 100;

/** GitHub takes no longer query (REST API, "Limitations on query length"). */
const MAX_QUERY = 256;

/**
 * The query within the repository. Places in it are taken out; a way to name one that we do not know is made
 * harmless by dropping results from elsewhere.
 */
function paramsOf({ repository, query, limit }: SearchRequest, kind = '') {
  const free = query.split(/\s+/).filter((word) => !PLACE.test(word));
  const text = [...free.join(' ').trim()].slice(0, MAX_QUERY).join('');
  const here = `repo:${repository.owner}/${repository.name}`;
  const q = [text, kind, here].filter((part) => part !== '').join(' ');
  return { q, per_page: Math.min(limit, MAX_RESULTS) };
}

/** Also what kind of thing to look for, which is given beside the query. */
const PLACE = /^[-(]*(?:(?:repo|org|user|owner|enterprise):|is:(?:issue|pr|pull-request)\b)/i;

function isHere(fullName: string, { repository }: SearchRequest): boolean {
  return fullName.toLowerCase() === `${repository.owner}/${repository.name}`.toLowerCase();
}
