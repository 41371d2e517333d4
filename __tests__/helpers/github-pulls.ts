import { githubError, type RestAnswer, type RestCall } from './github-answers.js';
import { page } from './github-discussions.js';
import { api, pullJson } from './github-objects.js';
import type { StoredPull, StoredRepo } from './github-state.js';

/** `GET …/pulls`, filtered by `state` and `head`, in pages. */
export function listPulls(call: RestCall): RestAnswer {
  const { repo, request } = call;
  const state = request.query.get('state') ?? 'open';
  const head = request.query.get('head');
  const found = [...repo.pulls.values()].filter(
    (pull) => (state === 'all' || pull.state === state) && (head === null || labelOf(pull) === head),
  );
  return page(
    call,
    found.map((pull) => pullJson(repo, pull)),
  );
}

/** `GET …/commits/{commit_sha}/pulls`: those whose head the commit is. */
export function pullsOfCommit(call: RestCall): RestAnswer {
  const { repo, params } = call;
  const found = [...repo.pulls.values()].filter(({ head }) => head.sha === params['commit_sha']);
  return page(
    call,
    found.map((pull) => pullJson(repo, pull)),
  );
}

/** `POST …/pulls`, for branches of the repository itself. */
export function createPull({ repo, request, viewer }: RestCall): RestAnswer {
  const {
    title,
    body = null,
    head,
    base,
  } = request.body as {
    title: string;
    body?: string | null;
    head: string;
    base: string;
  };
  const [headSha, baseSha] = [repo.branches.get(head), repo.branches.get(base)];
  if (headSha === undefined) return invalid({ field: 'head', code: 'invalid' });
  if (baseSha === undefined) return invalid({ field: 'base', code: 'invalid' });
  if (headSha === baseSha)
    return invalid({ code: 'custom', message: `No commits between ${base} and ${head}` });
  const number = 1 + Math.max(0, ...repo.issues.keys(), ...repo.pulls.keys());
  const pull: StoredPull = {
    number,
    title,
    body,
    author: viewer,
    draft: false,
    state: 'open',
    locked: false,
    base: { ref: base, sha: baseSha },
    head: { ref: head, sha: headSha, repository: nameOf(repo) },
    diff: '',
  };
  if ([...repo.pulls.values()].some((one) => one.state === 'open' && labelOf(one) === labelOf(pull))) {
    return invalid({ code: 'custom', message: `A pull request already exists for ${labelOf(pull)}.` });
  }
  repo.pulls.set(number, pull);
  return { status: 201, body: pullJson(repo, pull), headers: { location: `${api(repo)}/pulls/${number}` } };
}

/** `PATCH …/pulls/{pull_number}`: title, body, state and base. */
export function updatePull({ repo, params, request }: RestCall): RestAnswer {
  const pull = repo.pulls.get(Number(params['pull_number']));
  if (pull === undefined) return githubError(404, 'Not Found');
  const changes = request.body as Partial<Pick<StoredPull, 'title' | 'body' | 'state'> & { base: string }>;
  const { title = pull.title, body = pull.body, state = pull.state, base: ref = pull.base.ref } = changes;
  const changed = { ...pull, title, body, state, base: { ...pull.base, ref } };
  repo.pulls.set(pull.number, changed);
  return { status: 200, body: pullJson(repo, changed) };
}

/** `owner:branch`. */
function labelOf({ head }: StoredPull): string {
  return `${head.repository?.split('/')[0] ?? ''}:${head.ref}`;
}

function nameOf({ owner, name }: StoredRepo): string {
  return `${owner}/${name}`;
}

function invalid(error: Readonly<Record<string, string>>): RestAnswer {
  return githubError(422, 'Validation Failed', { errors: [{ resource: 'PullRequest', ...error }] });
}
