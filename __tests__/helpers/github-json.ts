import { splitDiff } from './github-diff.js';
import type { GitObject } from './github-git.js';
import { githubExample } from './github-openapi.js';
import type {
  StoredCheckRun,
  StoredComment,
  StoredIssue,
  StoredPull,
  StoredReaction,
  StoredRepo,
  StoredReview,
  StoredReviewComment,
  StoredStatus,
} from './github-state.js';

type Json = Record<string, unknown>;

/** `owner/name`. */
export function fullName({ owner, name }: StoredRepo): string {
  return `${owner}/${name}`;
}

/** Address of a repository in the REST API. */
export function api(repo: StoredRepo): string {
  return `https://api.github.com/repos/${fullName(repo)}`;
}

/** Address of a repository in the browser. */
export function html(repo: StoredRepo): string {
  return `https://github.com/${fullName(repo)}`;
}

/** Addresses in the browser of what is said, also for GraphQL. */
export const pageOf = {
  comment: (repo: StoredRepo, { issue, id }: StoredComment) =>
    `${html(repo)}/${repo.pulls.has(issue) ? 'pull' : 'issues'}/${issue}#issuecomment-${id}`,
  review: (repo: StoredRepo, { pull, id }: StoredReview) =>
    `${html(repo)}/pull/${pull}#pullrequestreview-${id}`,
  reviewComment: (repo: StoredRepo, { pull, id }: StoredReviewComment) =>
    `${html(repo)}/pull/${pull}#discussion_r${id}`,
};

/** The same name has the same id in every run. */
export function stableId(name: string): number {
  let id = 7;
  for (const char of name) id = (id * 31 + (char.codePointAt(0) ?? 0)) % 1_000_000_007;
  return id;
}

/** What GitHub shows next to the name of an account. */
export function associationOf(repo: StoredRepo, login: string): string {
  if (login === repo.owner) return 'OWNER';
  const role = repo.roles.get(login) ?? 'none';
  return role === 'none' || role === 'read' || role === 'missing' ? 'NONE' : 'COLLABORATOR';
}

/**
 * One of GitHub's examples, which are about octocat/Hello-World and number 1347, made to be about
 * this.
 */
export function exampleOf(repo: StoredRepo, name: string, number = 1347): Json {
  const text = JSON.stringify(githubExample(name))
    .replaceAll('octocat/Hello-World', fullName(repo))
    .replaceAll('/1347', `/${number}`);
  return JSON.parse(text) as Json;
}

/** An account. */
export function userJson(login: string): Json {
  const example = (githubExample('issue-comment') as { user: Json }).user;
  const user = JSON.parse(
    JSON.stringify(example).replaceAll('octocat', encodeURIComponent(login)),
  ) as Json;
  return { ...user, login, id: stableId(login), type: login.endsWith('[bot]') ? 'Bot' : 'User' };
}

/** A repository. */
export function repoJson(repo: StoredRepo): Json {
  return {
    ...exampleOf(repo, 'full-repository-default-response'),
    id: stableId(fullName(repo)),
    name: repo.name,
    full_name: fullName(repo),
    owner: userJson(repo.owner),
    private: repo.isPrivate,
    visibility: repo.isPrivate ? 'private' : 'public',
    archived: false,
    default_branch: repo.defaultBranch,
    language: null,
    template_repository: null,
    organization: null,
    parent: undefined,
    source: undefined,
    fork: false,
  };
}

/** What an issue and a pull request have in common. */
function subjectJson(repo: StoredRepo, subject: StoredIssue | StoredPull): Json {
  return {
    number: subject.number,
    title: subject.title,
    body: subject.body,
    user: userJson(subject.author),
    locked: 'locked' in subject && subject.locked,
    active_lock_reason: null,
    assignee: null,
    assignees: [],
    labels: labelsJson(repo, subject.number),
    milestone: null,
    comments: repo.comments.filter(({ issue }) => issue === subject.number).length,
  };
}

/** A pull request. */
export function pullJson(repo: StoredRepo, pull: StoredPull): Json {
  const files = splitDiff(pull.diff);
  const example = exampleOf(repo, 'pull-request', pull.number);
  const { repository } = pull.head;
  const [owner = 'ghost', name = ''] = repository?.split('/') ?? [];
  const side = (shown: unknown, { ref, sha }: { ref: string; sha: string }, login: string) => ({
    ...(shown as Json),
    label: `${login}:${ref}`,
    ref,
    sha,
    user: userJson(login),
  });
  return {
    ...example,
    ...subjectJson(repo, pull),
    state: pull.state,
    draft: false,
    merged: pull.mergedAt !== undefined,
    merged_at: pull.mergedAt ?? null,
    merged_by: null,
    closed_at: null,
    requested_reviewers: [],
    requested_teams: [],
    changed_files: files.length,
    additions: files.reduce((sum, { additions }) => sum + additions, 0),
    deletions: files.reduce((sum, { deletions }) => sum + deletions, 0),
    base: { ...side(example['base'], pull.base, repo.owner), repo: repoJson(repo) },
    head: {
      ...side(example['head'], pull.head, owner),
      repo:
        repository === null
          ? null
          : { ...repoJson({ ...repo, owner, name }), fork: repository !== fullName(repo) },
    },
  };
}

/** An issue; a pull request is one too. */
export function issueJson(repo: StoredRepo, issue: StoredIssue | StoredPull): Json {
  const isPull = 'base' in issue;
  const isClosed = isPull ? issue.state === 'closed' : repo.talk.closedIssues.has(issue.number);
  const page = `${html(repo)}/pull/${issue.number}`;
  const links = { html_url: page, diff_url: `${page}.diff`, patch_url: `${page}.patch` };
  return {
    ...exampleOf(repo, 'issue', issue.number),
    ...subjectJson(repo, issue),
    state: isClosed ? 'closed' : 'open',
    closed_by: null,
    pull_request: isPull ? { url: `${api(repo)}/pulls/${issue.number}`, ...links } : undefined,
  };
}

/** A comment below an issue or pull request. */
export function commentJson(repo: StoredRepo, comment: StoredComment): Json {
  return {
    ...exampleOf(repo, 'issue-comment'),
    id: comment.id,
    url: `${api(repo)}/issues/comments/${comment.id}`,
    html_url: pageOf.comment(repo, comment),
    issue_url: `${api(repo)}/issues/${comment.issue}`,
    body: comment.body,
    user: userJson(comment.author),
    created_at: comment.createdAt,
    updated_at: comment.updatedAt,
  };
}

/** The files of a pull request or comparison. */
export function diffEntriesJson(repo: StoredRepo, diff: string, headSha: string): Json[] {
  return splitDiff(diff).map((file) => {
    const path = encodeURI(file.filename);
    return {
      sha: headSha,
      filename: file.filename,
      status: file.status,
      additions: file.additions,
      deletions: file.deletions,
      changes: file.additions + file.deletions,
      blob_url: `${html(repo)}/blob/${headSha}/${path}`,
      raw_url: `${html(repo)}/raw/${headSha}/${path}`,
      contents_url: `${api(repo)}/contents/${path}?ref=${headSha}`,
      patch: file.patch,
      previous_filename: file.previousFilename,
    };
  });
}

/** What a folder listing and a single file have in common. */
export function contentEntryJson(repo: StoredRepo, object: GitObject, ref: string): Json {
  const isFile = object.kind !== 'tree';
  const path = encodeURI(object.path);
  const self = `${api(repo)}/contents/${path}?ref=${ref}`;
  const git = `${api(repo)}/git/${isFile ? 'blobs' : 'trees'}/${object.sha}`;
  const page = `${html(repo)}/${isFile ? 'blob' : 'tree'}/${ref}/${path}`;
  const fileType = object.mode === '120000' ? 'symlink' : 'file';
  return {
    type: isFile ? fileType : 'dir',
    name: object.path.split('/').at(-1) ?? '',
    path: object.path,
    sha: object.sha,
    size: object.bytes.length,
    url: self,
    html_url: page,
    git_url: git,
    download_url: isFile
      ? `https://raw.githubusercontent.com/${fullName(repo)}/${ref}/${path}`
      : null,
    _links: { self, git, html: page },
  };
}

/** A review. */
export function reviewJson(repo: StoredRepo, review: StoredReview): Json {
  const page = pageOf.review(repo, review);
  const pull = `${api(repo)}/pulls/${review.pull}`;
  return {
    ...exampleOf(repo, 'pull-request-review'),
    id: review.id,
    node_id: `PRR_${review.id}`,
    user: userJson(review.author),
    body: review.body,
    state: review.state,
    html_url: page,
    pull_request_url: pull,
    _links: { html: { href: page }, pull_request: { href: pull } },
    submitted_at: review.submittedAt ?? undefined,
    commit_id: review.commit,
    author_association: associationOf(repo, review.author),
  };
}

/** A comment on a line. */
export function reviewCommentJson(repo: StoredRepo, comment: StoredReviewComment): Json {
  const self = `${api(repo)}/pulls/comments/${comment.id}`;
  const page = pageOf.reviewComment(repo, comment);
  const pull = `${api(repo)}/pulls/${comment.pull}`;
  return {
    ...exampleOf(repo, 'pull-request-review-comment'),
    url: self,
    id: comment.id,
    node_id: `PRRC_${comment.id}`,
    pull_request_review_id: comment.review,
    path: comment.path,
    commit_id: comment.commit,
    original_commit_id: comment.commit,
    in_reply_to_id: comment.inReplyTo,
    user: userJson(comment.author),
    body: comment.body,
    created_at: comment.createdAt,
    updated_at: comment.editedAt ?? comment.createdAt,
    html_url: page,
    pull_request_url: pull,
    author_association: associationOf(repo, comment.author),
    line: comment.line,
    side: comment.side,
    start_line: comment.startLine ?? null,
    start_side: comment.startSide ?? null,
    _links: { self: { href: self }, html: { href: page }, pull_request: { href: pull } },
  };
}

/** A reaction. */
export function reactionJson({ id, author, content, createdAt }: StoredReaction): Json {
  return { id, node_id: `REA_${id}`, user: userJson(author), content, created_at: createdAt };
}

/** A label. */
export function labelJson(repo: StoredRepo, name: string): Json {
  return {
    id: stableId(`${fullName(repo)}/${name}`),
    node_id: `LA_${stableId(name)}`,
    url: `${api(repo)}/labels/${encodeURIComponent(name)}`,
    name,
    description: null,
    color: 'ededed',
    default: false,
  };
}

/** The labels of an issue or pull request. */
export function labelsJson(repo: StoredRepo, number: number): Json[] {
  return (repo.talk.labelsOf.get(number) ?? []).map((name) => labelJson(repo, name));
}

/** A check run. */
export function checkRunJson(repo: StoredRepo, run: StoredCheckRun): Json {
  const shown = exampleOf(repo, 'check-run');
  const self = `${api(repo)}/check-runs/${run.id}`;
  const page = `${html(repo)}/runs/${run.id}`;
  return {
    ...shown,
    id: run.id,
    head_sha: run.headSha,
    external_id: run.externalId,
    url: self,
    html_url: page,
    details_url:
      run.job === undefined ? page : `${html(repo)}/actions/runs/${run.id}/job/${run.job}`,
    status: run.status,
    conclusion: run.conclusion,
    completed_at: run.status === 'completed' ? shown['completed_at'] : null,
    output: {
      title: run.title,
      summary: run.summary,
      text: null,
      annotations_count: run.annotations.length,
      annotations_url: `${self}/annotations`,
    },
    name: run.name,
    app: { ...(shown['app'] as Json), slug: run.app },
    pull_requests: [],
  };
}

/** A status within the combined one. */
export function statusJson(
  repo: StoredRepo,
  { id, sha, state, description, context }: StoredStatus,
): Json {
  const [shown] = exampleOf(repo, 'combined-commit-status')['statuses'] as Json[];
  return {
    ...shown,
    url: `${api(repo)}/statuses/${sha}`,
    id,
    state,
    description,
    context,
    target_url: null,
  };
}
