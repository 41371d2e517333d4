import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { listTree } from './github-git-trees.js';
import { resolveCommit } from './github-history.js';
import { api, html, issueJson, repoJson } from './github-objects.js';
import { githubExample } from './github-openapi.js';
import type { StoredIssue, StoredPull, StoredRepo } from './github-state.js';
import type { RecordedRequest } from './loopback.js';

type Json = Record<string, unknown>;

/** The repository a search is about: `repo:owner/name` in the query. */
export function searchedRepo(request: RecordedRequest): string {
  return /(?:^|\s)repo:(\S+)/.exec(request.query.get('q') ?? '')?.[1] ?? '';
}

/** `GET /search/code`: files of the default branch that hold all words. */
export function searchCode({ repo, request }: RestCall): RestAnswer {
  const words = wordsOf(request);
  if (words.length === 0) return githubError(422, 'Validation Failed');
  const head = resolveCommit(repo, 'HEAD');
  const files = head === undefined ? [] : listTree(repo.git, head.tree);
  const found = files.filter(
    ({ kind, path, bytes }) =>
      kind === 'blob' && words.every((word) => `${path}\n${bytes}`.toLowerCase().includes(word)),
  );
  const withMatches = (request.headers['accept'] ?? '').includes('text-match');
  const shown = exampleItem('code-search-result-item-paginated');
  const items = found.map(({ path, sha, bytes }) => ({
    ...shown,
    name: path.split('/').at(-1),
    path,
    sha,
    url: `${api(repo)}/contents/${path}`,
    git_url: `${api(repo)}/git/blobs/${sha}`,
    html_url: `${html(repo)}/blob/HEAD/${path}`,
    repository: { ...(shown['repository'] as Json), ...short(repo) },
    ...(withMatches
      ? {
          text_matches: [
            {
              object_url: '',
              object_type: 'FileContent',
              property: 'content',
              fragment: lineWith(bytes.toString(), words),
              matches: [],
            },
          ],
        }
      : {}),
  }));
  return answer(request, items);
}

/** `GET /search/issues`: issues, or pull requests, that hold all words in title or body. */
export function searchIssues({ repo, request }: RestCall): RestAnswer {
  const query = request.query.get('q') ?? '';
  if (!/\bis:(?:issue|pull-request|pr)\b/.test(query)) {
    return githubError(422, "Query must include 'is:issue' or 'is:pull-request'");
  }
  const words = wordsOf(request);
  const all: readonly (StoredIssue | StoredPull)[] = query.includes('is:issue')
    ? [...repo.issues.values()]
    : [...repo.pulls.values()];
  const found = all.filter(({ title, body }) =>
    words.every((word) => `${title}\n${body ?? ''}`.toLowerCase().includes(word)),
  );
  const shown = exampleItem('issue-search-result-item-paginated');
  const items = found.map((issue) => ({
    ...shown,
    type: undefined,
    milestone: null,
    ...issueJson(repo, issue),
    repository_url: api(repo),
    score: 1,
  }));
  return answer(request, items);
}

function answer(request: RecordedRequest, items: readonly Json[]): RestAnswer {
  const size = Math.min(Number(request.query.get('per_page') ?? 30), 100);
  return {
    status: 200,
    body: { total_count: items.length, incomplete_results: false, items: items.slice(0, size) },
  };
}

/** The words of a query in lower case, without its qualifiers. */
function wordsOf(request: RecordedRequest): readonly string[] {
  const query = request.query.get('q') ?? '';
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '' && !word.includes(':'));
}

function lineWith(text: string, words: readonly string[]): string {
  return text.split('\n').find((line) => words.some((word) => line.toLowerCase().includes(word))) ?? '';
}

function short(repo: StoredRepo): Json {
  const { id, name, full_name, html_url } = repoJson(repo);
  return { id, name, full_name, html_url, private: repo.isPrivate };
}

function exampleItem(name: string): Json {
  return (githubExample(name) as { items: [Json] }).items[0];
}
