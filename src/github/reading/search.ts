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

/** What a search found. */
interface SearchResults<Item> {
  readonly items: readonly Item[];
  /** All that GitHub counts; more than were asked for, perhaps. */
  readonly total: number;
  /** False where GitHub ran out of time and did not look at everything. */
  readonly isComplete: boolean;
}

/** A file that matches, with the pieces that do. */
interface CodeMatch {
  readonly path: string;
  readonly fragments: readonly string[];
}

/** An issue or pull request that matches. Its title is its author's words. */
interface IssueMatch {
  readonly number: number;
  readonly title: string;
  readonly isOpen: boolean;
  readonly isPullRequest: boolean;
  readonly author: string;
  readonly url: string;
  readonly updatedAt: string;
}

/** Asks for the pieces of text that match, too. */
const TEXT_MATCH = 'application/vnd.github.text-match+json';

const codeSchema = v.object({
  total_count: v.number(),
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
export async function searchCode(
  client: GitHubClient,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<SearchResults<CodeMatch>> {
  const answer = await askRest(
    client,
    {
      route: 'GET /search/code',
      params: { q: scoped(request, ''), per_page: Math.min(request.limit, MAX_RESULTS) },
      accept: TEXT_MATCH,
      schema: codeSchema,
      what: 'the files',
    },
    signal,
  );
  const items = answer.items
    .filter(({ repository }) => isSame(repository.full_name, fullName(request)))
    .map(({ path, text_matches }) => ({ path, fragments: text_matches.map(({ fragment }) => fragment) }));
  return { items, total: answer.total_count, isComplete: !answer.incomplete_results };
}

const issuesSchema = v.object({
  total_count: v.number(),
  incomplete_results: v.boolean(),
  items: v.array(
    v.object({
      number: v.number(),
      title: v.string(),
      state: v.string(),
      html_url: v.string(),
      repository_url: v.string(),
      updated_at: v.string(),
      user: v.nullable(v.object({ login: v.string() })),
      pull_request: v.optional(v.unknown()),
    }),
  ),
});

/** Issues, or pull requests, of the repository that match: GitHub looks for one or the other. Throws a GitHubError. */
export async function searchIssues(
  client: GitHubClient,
  request: SearchRequest & { readonly kind: 'issue' | 'pull_request' },
  signal: AbortSignal,
): Promise<SearchResults<IssueMatch>> {
  const kind = request.kind === 'issue' ? 'is:issue' : 'is:pull-request';
  const answer = await askRest(
    client,
    {
      route: 'GET /search/issues',
      params: { q: scoped(request, kind), per_page: Math.min(request.limit, MAX_RESULTS) },
      schema: issuesSchema,
      what: 'the issues',
    },
    signal,
  );
  const items = answer.items
    .filter(({ repository_url }) => isSame(repository_url.split('/repos/').at(-1) ?? '', fullName(request)))
    .map((item) => ({
      number: item.number,
      title: item.title,
      isOpen: item.state === 'open',
      isPullRequest: item.pull_request !== undefined,
      author: item.user?.login ?? 'ghost',
      url: item.html_url,
      updatedAt: item.updated_at,
    }));
  return { items, total: answer.total_count, isComplete: !answer.incomplete_results };
}

const MAX_RESULTS = 100;

/** GitHub takes no longer query (REST API, "Limitations on query length"). */
const MAX_QUERY = 256;

/**
 * The query within the repository. Places in it are taken out; a way to name one that we do not know is made
 * harmless by dropping results from elsewhere.
 */
function scoped(request: SearchRequest, kind: string): string {
  const free = request.query.split(/\s+/).filter((word) => !PLACE.test(word));
  const text = [...free.join(' ').trim()].slice(0, MAX_QUERY).join('');
  return [text, kind, `repo:${fullName(request)}`].filter((part) => part !== '').join(' ');
}

/** Also what kind of thing to look for, which is given beside the query. */
const PLACE = /^[-(]*(?:(?:repo|org|user|owner|enterprise):|is:(?:issue|pr|pull-request)\b)/i;

function fullName({ repository }: SearchRequest): string {
  return `${repository.owner}/${repository.name}`;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
