import { githubError, type RestAnswer, type Routes } from './github-answers.js';
import { listTree, resolveCommit } from './github-git.js';
import { api, exampleOf, html, issueJson, repoJson } from './github-json.js';
import type { StoredRepo } from './github-state.js';
import type { RecordedRequest } from './loopback.js';

type Json = Record<string, unknown>;

/** The repository a search is about: `repo:owner/name` in the query. */
export function searchedRepo(request: RecordedRequest): string {
  return /(?:^|\s)repo:(\S+)/.exec(request.query.get('q') ?? '')?.[1] ?? '';
}

/** What holds all words of a query. */
export const SEARCH_ROUTES: Routes = {
  // Files of the default branch.
  'GET /search/code': ({ repo, request }) => {
    const words = wordsOf(request);
    if (words.length === 0) return githubError(422, 'Validation Failed');
    const head = resolveCommit(repo, 'HEAD');
    const files = head === undefined ? [] : listTree(repo.git, head.tree);
    const blobs = files.filter(({ kind }) => kind === 'blob');
    const found = blobs.filter(({ path, bytes }) => holds(`${path}\n${bytes}`, words));
    const shown = exampleItem(repo, 'code-search-result-item-paginated');
    const { id, name, full_name, html_url } = repoJson(repo);
    const short = { id, name, full_name, html_url, private: repo.isPrivate };
    const withMatches = (request.headers['accept'] ?? '').includes('text-match');
    const items = found.map(({ path, sha, bytes }) => ({
      ...shown,
      name: path.split('/').at(-1),
      path,
      sha,
      url: `${api(repo)}/contents/${path}`,
      git_url: `${api(repo)}/git/blobs/${sha}`,
      html_url: `${html(repo)}/blob/HEAD/${path}`,
      repository: { ...(shown['repository'] as Json), ...short },
      ...(withMatches ? { text_matches: [textMatch(bytes.toString(), words)] } : {}),
    }));
    return results(request, items);
  },
  // Issues, or pull requests, by title and body.
  'GET /search/issues': ({ repo, request }) => {
    const query = request.query.get('q') ?? '';
    if (!/\bis:(?:issue|pull-request|pr)\b/.test(query))
      return githubError(422, "Query must include 'is:issue' or 'is:pull-request'");
    const words = wordsOf(request);
    const all = query.includes('is:issue') ? [...repo.issues.values()] : [...repo.pulls.values()];
    const found = all.filter(({ title, body }) => holds(`${title}\n${body ?? ''}`, words));
    const shown = exampleItem(repo, 'issue-search-result-item-paginated');
    const items = found.map((issue) => ({
      ...shown,
      type: undefined,
      milestone: null,
      ...issueJson(repo, issue),
      repository_url: api(repo),
      score: 1,
    }));
    return results(request, items);
  },
};

function results(request: RecordedRequest, items: readonly Json[]): RestAnswer {
  const size = Math.min(Number(request.query.get('per_page') ?? 30), 100);
  const found = {
    total_count: items.length,
    incomplete_results: false,
    items: items.slice(0, size),
  };
  return { status: 200, body: found };
}

/** The words of a query in lower case, without its qualifiers. */
function wordsOf(request: RecordedRequest): readonly string[] {
  const words = (request.query.get('q') ?? '').toLowerCase().split(/\s+/);
  return words.filter((word) => word !== '' && !word.includes(':'));
}

function holds(text: string, words: readonly string[]): boolean {
  return words.every((word) => text.toLowerCase().includes(word));
}

/** The first line with one of the words. */
function textMatch(text: string, words: readonly string[]): Json {
  const line = text
    .split('\n')
    .find((one) => words.some((word) => one.toLowerCase().includes(word)));
  const place = { object_url: '', object_type: 'FileContent', property: 'content' };
  return { ...place, fragment: line ?? '', matches: [] };
}

function exampleItem(repo: StoredRepo, name: string): Json {
  return (exampleOf(repo, name) as { items: [Json] }).items[0];
}
