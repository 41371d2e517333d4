import type { GitObject } from './github-git-trees.js';
import { githubExample } from './github-openapi.js';
import { labelJson } from './github-review-objects.js';
import type { StoredComment, StoredIssue, StoredPull, StoredRepo } from './github-state.js';
import { splitDiff } from './unified-diff.js';

type Json = Record<string, unknown>;

/** An account as the REST API shows it. */
export function userJson(login: string): Json {
  const example = (githubExample('issue-comment') as { user: Json }).user;
  const user = JSON.parse(JSON.stringify(example).replaceAll('octocat', encodeURIComponent(login))) as Json;
  return { ...user, login, id: stableId(login), type: login.endsWith('[bot]') ? 'Bot' : 'User' };
}

/** `GET /repos/{owner}/{repo}`. */
export function repoJson(repo: StoredRepo): Json {
  return {
    ...fromExample('full-repository-default-response', repo),
    id: stableId(fullName(repo)),
    name: repo.name,
    full_name: fullName(repo),
    owner: userJson(repo.owner),
    private: repo.isPrivate,
    visibility: repo.isPrivate ? 'private' : 'public',
    archived: repo.isArchived,
    default_branch: repo.defaultBranch,
    language: null,
    template_repository: null,
    organization: null,
    parent: undefined,
    source: undefined,
    fork: false,
  };
}

/** `GET …/pulls/{pull_number}`. */
export function pullJson(repo: StoredRepo, pull: StoredPull): Json {
  const files = splitDiff(pull.diff);
  const example = fromExample('pull-request', repo, [['1347', String(pull.number)]]);
  const base = example['base'] as Json;
  const headOwner = pull.head.repository?.split('/')[0] ?? 'ghost';
  return {
    ...example,
    number: pull.number,
    title: pull.title,
    body: pull.body,
    user: userJson(pull.author),
    state: pull.state,
    locked: pull.locked,
    active_lock_reason: null,
    draft: pull.draft,
    merged: pull.mergedAt !== undefined,
    merged_at: pull.mergedAt ?? null,
    merged_by: null,
    closed_at: null,
    milestone: null,
    ...triageJson(repo, pull.number),
    requested_reviewers: [],
    requested_teams: [],
    comments: repo.comments.filter((comment) => comment.issue === pull.number).length,
    changed_files: files.length,
    additions: sum(files.map((file) => file.additions)),
    deletions: sum(files.map((file) => file.deletions)),
    base: {
      ...base,
      label: `${repo.owner}:${pull.base.ref}`,
      ref: pull.base.ref,
      sha: pull.base.sha,
      user: userJson(repo.owner),
      repo: repoJson(repo),
    },
    head: {
      ...(example['head'] as Json),
      label: `${headOwner}:${pull.head.ref}`,
      ref: pull.head.ref,
      sha: pull.head.sha,
      user: userJson(headOwner),
      repo: pull.head.repository === null ? null : headRepoJson(repo, pull.head.repository),
    },
  };
}

/** `GET …/issues/{issue_number}`; a pull request is an issue too. */
export function issueJson(repo: StoredRepo, issue: StoredIssue | StoredPull): Json {
  return {
    ...fromExample('issue', repo, [['1347', String(issue.number)]]),
    number: issue.number,
    title: issue.title,
    body: issue.body,
    user: userJson(issue.author),
    locked: issue.locked,
    active_lock_reason: null,
    ...triageJson(repo, issue.number),
    state: isClosed(repo, issue) ? 'closed' : 'open',
    milestone: null,
    closed_by: null,
    comments: repo.comments.filter((comment) => comment.issue === issue.number).length,
    pull_request:
      'base' in issue
        ? { url: `${api(repo)}/pulls/${issue.number}`, ...pullLinks(repo, issue.number) }
        : undefined,
  };
}

/** An issue comment. */
export function commentJson(repo: StoredRepo, comment: StoredComment): Json {
  const page = repo.pulls.has(comment.issue) ? 'pull' : 'issues';
  return {
    ...fromExample('issue-comment', repo),
    id: comment.id,
    url: `${api(repo)}/issues/comments/${comment.id}`,
    html_url: `${html(repo)}/${page}/${comment.issue}#issuecomment-${comment.id}`,
    issue_url: `${api(repo)}/issues/${comment.issue}`,
    body: comment.body,
    user: userJson(comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
  };
}

/** The files of a pull request or comparison. */
export function diffEntriesJson(repo: StoredRepo, diff: string, headSha: string): Json[] {
  return splitDiff(diff).map((file) => ({
    sha: headSha,
    filename: file.filename,
    status: file.status,
    additions: file.additions,
    deletions: file.deletions,
    changes: file.additions + file.deletions,
    blob_url: `${html(repo)}/blob/${headSha}/${encodeURI(file.filename)}`,
    raw_url: `${html(repo)}/raw/${headSha}/${encodeURI(file.filename)}`,
    contents_url: `${api(repo)}/contents/${encodeURI(file.filename)}?ref=${headSha}`,
    patch: file.patch,
    previous_filename: file.previousFilename,
  }));
}

/** What a folder listing and a single file have in common. */
export function contentEntryJson(repo: StoredRepo, object: GitObject, ref: string): Json {
  const isFile = object.kind !== 'tree';
  const kind = object.kind === 'tree' ? 'trees' : 'blobs';
  const path = encodeURI(object.path);
  const self = `${api(repo)}/contents/${path}?ref=${ref}`;
  const git = `${api(repo)}/git/${kind}/${object.sha}`;
  const page = `${html(repo)}/${isFile ? 'blob' : 'tree'}/${ref}/${path}`;
  return {
    type: isFile ? (object.mode === '120000' ? 'symlink' : 'file') : 'dir',
    name: object.path.split('/').at(-1) ?? '',
    path: object.path,
    sha: object.sha,
    size: isFile ? object.bytes.length : 0,
    url: self,
    html_url: page,
    git_url: git,
    download_url: isFile ? `https://raw.githubusercontent.com/${fullName(repo)}/${ref}/${path}` : null,
    _links: { self, git, html: page },
  };
}

/** `owner/name`. */
export function fullName(repo: StoredRepo): string {
  return `${repo.owner}/${repo.name}`;
}

/** Address of a repository in the REST API. */
export function api(repo: StoredRepo): string {
  return `https://api.github.com/repos/${fullName(repo)}`;
}

/** Address of a repository in the browser. */
export function html(repo: StoredRepo): string {
  return `https://github.com/${fullName(repo)}`;
}

/** The same name has the same id in every run. */
export function stableId(name: string): number {
  let id = 7;
  for (const char of name) id = (id * 31 + (char.codePointAt(0) ?? 0)) % 1_000_000_007;
  return id;
}

/** GitHub breaks base64 after 60 characters. */
export function wrapped(base64: string): string {
  return base64.replaceAll(/.{1,60}/g, (line) => `${line}\n`);
}

/** Labels of an issue or pull request. */
function triageJson(repo: StoredRepo, number: number): Json {
  const labels = (repo.talk.labelsOf.get(number) ?? []).map((name) => labelJson(repo, name));
  return { assignee: null, assignees: [], labels };
}

function isClosed(repo: StoredRepo, issue: StoredIssue | StoredPull): boolean {
  return 'state' in issue ? issue.state === 'closed' : repo.talk.closedIssues.has(issue.number);
}

function headRepoJson(repo: StoredRepo, head: string): Json {
  const [owner = '', name = ''] = head.split('/');
  return { ...repoJson({ ...repo, owner, name }), fork: head !== fullName(repo) };
}

function pullLinks(repo: StoredRepo, number: number): Json {
  const page = `${html(repo)}/pull/${number}`;
  return { html_url: page, diff_url: `${page}.diff`, patch_url: `${page}.patch` };
}

/** One of GitHub's examples, which are about octocat/Hello-World, made to be about this repository. */
function fromExample(name: string, repo: StoredRepo, replacements: [string, string][] = []): Json {
  let text = JSON.stringify(githubExample(name)).replaceAll('octocat/Hello-World', fullName(repo));
  for (const [from, to] of replacements) text = text.replaceAll(`/${from}`, `/${to}`);
  return JSON.parse(text) as Json;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
