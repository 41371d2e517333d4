import {
  created,
  invalid,
  notFound,
  page,
  type RestAnswer,
  type RestCall,
  type Routes,
} from './github-answers.js';
import { diffBetween, newSince } from './github-git.js';
import { listedCommit } from './github-git-rest.js';
import { nextNumber } from './github-issues.js';
import { diffEntriesJson, fullName, pullJson } from './github-json.js';
import type { StoredPull } from './github-state.js';

/** Pull requests, their files and commits. */
export const PULL_ROUTES: Routes = {
  'GET /pulls': (call) => {
    const { repo, request } = call;
    const state = request.query.get('state') ?? 'open';
    const head = request.query.get('head');
    const found = [...repo.pulls.values()].filter(
      (pull) =>
        (state === 'all' || pull.state === state) && (head === null || labelOf(pull) === head),
    );
    return page(call, found, (pull) => pullJson(repo, pull));
  },
  // Those whose head the commit is.
  'GET /commits/{commit_sha}/pulls': (call) => {
    const { repo, params } = call;
    const found = [...repo.pulls.values()].filter(({ head }) => head.sha === params['commit_sha']);
    return page(call, found, (pull) => pullJson(repo, pull));
  },
  'POST /pulls': createPull,
  'PATCH /pulls/{pull_number}': (call) => {
    const pull = pullOf(call);
    if (pull === undefined) return notFound();
    const asked = call.request.body as {
      title?: string;
      body?: string;
      base?: string;
      state?: string;
    };
    if (asked.state !== undefined)
      throw new Error('the fake neither closes nor opens a pull request');
    const { title = pull.title, body = pull.body, base: ref = pull.base.ref } = asked;
    const changed = { ...pull, title, body, base: { ...pull.base, ref } };
    call.repo.pulls.set(pull.number, changed);
    return { status: 200, body: pullJson(call.repo, changed) };
  },
  'GET /pulls/{pull_number}/files': (call) => {
    const pull = pullOf(call);
    return pull === undefined
      ? notFound()
      : page(call, diffEntriesJson(call.repo, pull.diff, pull.head.sha));
  },
  // What the head has and the base has not, oldest first.
  'GET /pulls/{pull_number}/commits': (call) => {
    const pull = pullOf(call);
    if (pull === undefined) return notFound();
    const commits = newSince(call.repo.git, pull.base.sha, pull.head.sha).toReversed();
    return page(call, commits, (commit) => listedCommit(call.repo, commit));
  },
};

/** The pull request that a route names. */
export function pullOf({ repo, params }: RestCall): StoredPull | undefined {
  return repo.pulls.get(Number(params['pull_number']));
}

/** For branches of the repository itself. */
function createPull({ repo, request, viewer }: RestCall): RestAnswer {
  const asked = request.body as { title: string; body?: string; head: string; base: string };
  const [headSha, baseSha] = [repo.branches.get(asked.head), repo.branches.get(asked.base)];
  if (headSha === undefined) return refused({ field: 'head', code: 'invalid' });
  if (baseSha === undefined) return refused({ field: 'base', code: 'invalid' });
  if (headSha === baseSha)
    return refused({
      code: 'custom',
      message: `No commits between ${asked.base} and ${asked.head}`,
    });
  const pull: StoredPull = {
    number: nextNumber(repo),
    title: asked.title,
    body: asked.body ?? null,
    author: viewer,
    state: 'open',
    locked: false,
    base: { ref: asked.base, sha: baseSha },
    head: { ref: asked.head, sha: headSha, repository: fullName(repo) },
    diff: diffBetween(repo.git, baseSha, headSha) ?? '',
  };
  if (
    [...repo.pulls.values()].some((one) => one.state === 'open' && labelOf(one) === labelOf(pull))
  )
    return refused({
      code: 'custom',
      message: `A pull request already exists for ${labelOf(pull)}.`,
    });
  repo.pulls.set(pull.number, pull);
  return created(pullJson(repo, pull));
}

/** `owner:branch`. */
function labelOf({ head }: StoredPull): string {
  return `${head.repository?.split('/')[0] ?? ''}:${head.ref}`;
}

function refused(error: Readonly<Record<string, string>>): RestAnswer {
  return invalid({ resource: 'PullRequest', ...error });
}
