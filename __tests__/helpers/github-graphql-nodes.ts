import type { Caller } from './github-answers.js';
import {
  actorNode,
  connection,
  type GraphNode,
  missing,
  type PageArguments,
} from './github-graph.js';
import { rollupNode } from './github-graphql-checks.js';
import { gitFields } from './github-graphql-git.js';
import { reviewFields } from './github-graphql-reviews.js';
import { associationOf, fullName, html, pageOf, stableId } from './github-json.js';
import type { StoredComment, StoredIssue, StoredPull, StoredRepo } from './github-state.js';

/** A repository. */
export function repositoryNode(repo: StoredRepo, caller: Caller): GraphNode {
  const pull = (number: number) => {
    const found = repo.pulls.get(number);
    return found && { ...subjectNode(repo, found, caller), ...reviewFields(repo, found, caller) };
  };
  const issue = (number: number) => {
    const found = repo.issues.get(number);
    return found && subjectNode(repo, found, caller);
  };
  const git = gitFields(repo, caller.rightOf(repo)) as GraphNode & {
    object(args: object): GraphNode | null;
  };
  return {
    __typename: 'Repository',
    id: String(stableId(fullName(repo))),
    url: html(repo),
    isPrivate: repo.isPrivate,
    pullRequest: ({ number }: { number: number }) => {
      const found = pull(number);
      if (found === undefined) throw missing(`a PullRequest with the number of ${number}.`);
      return found;
    },
    issue: ({ number }: { number: number }) => {
      const found = issue(number);
      if (found === undefined) throw missing(`an Issue with the number of ${number}.`);
      return found;
    },
    issueOrPullRequest: ({ number }: { number: number }) => {
      const found = pull(number) ?? issue(number);
      if (found === undefined)
        throw missing(`an issue or pull request with the number of ${number}.`);
      return found;
    },
    issues: (args: IssueArguments) => {
      const { field, direction } = args.orderBy ?? {};
      if (field !== 'UPDATED_AT' || direction !== 'DESC')
        throw new Error('the fake knows one order only');
      const nodes = [...repo.issues.values()]
        .map((one) => subjectNode(repo, one, caller))
        .filter(({ state }) => args.states?.includes(String(state)) ?? true)
        .toSorted((a, b) => Number(b['number']) - Number(a['number']))
        .toSorted((a, b) => String(b['updatedAt']).localeCompare(String(a['updatedAt'])));
      return connection(() => nodes)(args);
    },
    pullRequests: (args: IssueArguments) => {
      const nodes = [...repo.pulls.keys()].flatMap((number): GraphNode[] => [pull(number) ?? {}]);
      return connection(() =>
        nodes.toSorted((a, b) => String(b['updatedAt']).localeCompare(String(a['updatedAt']))),
      )(args);
    },
    ...git,
    object: (args: { expression?: string; oid?: string }) => {
      const object = git.object(args);
      const sha = String(object?.['oid'] ?? args.oid ?? '');
      // A test can name a head that has no commit of its own.
      const isHead = [...repo.pulls.values()].some(({ head }) => head.sha === sha);
      const isCommit = object?.['__typename'] === 'Commit' || (object === null && isHead);
      if (!isCommit) return object;
      const commit = object ?? { __typename: 'Commit', id: sha, oid: sha };
      return { ...commit, statusCheckRollup: () => rollupNode(repo, sha) };
    },
  };
}

interface IssueArguments extends PageArguments {
  readonly states?: readonly string[] | null;
  readonly orderBy?: { readonly field: string; readonly direction: string } | null;
}

/** What an issue and a pull request have in common. */
function subjectNode(
  repo: StoredRepo,
  subject: StoredIssue | StoredPull,
  caller: Caller,
): GraphNode {
  const { number } = subject;
  const isPull = 'head' in subject;
  const isClosed = isPull ? subject.state === 'closed' : repo.talk.closedIssues.has(number);
  const comments = repo.comments.filter(({ issue }) => issue === number);
  return {
    __typename: isPull ? 'PullRequest' : 'Issue',
    id: `${isPull ? 'PullRequest' : 'Issue'}_${number}`,
    number,
    title: subject.title,
    author: actorNode(subject.author),
    createdAt: '2026-01-02T03:04:05Z',
    body: subject.body ?? '',
    state: isClosed ? 'CLOSED' : 'OPEN',
    closed: isClosed,
    viewerDidAuthor: subject.author === caller.viewer,
    updatedAt: repo.talk.touched.get(number) ?? '2026-01-02T03:04:05Z',
    url: `${html(repo)}/${isPull ? 'pull' : 'issues'}/${number}`,
    comments: connection(() => comments.map((comment) => commentNode(repo, comment, caller))),
  };
}

function commentNode(repo: StoredRepo, comment: StoredComment, { viewer }: Caller): GraphNode {
  const isEdited = comment.updatedAt !== comment.createdAt;
  return {
    __typename: 'IssueComment',
    id: `IC_${comment.id}`,
    body: comment.body,
    author: actorNode(comment.author),
    authorAssociation: associationOf(repo, comment.author),
    viewerDidAuthor: comment.author === viewer,
    createdAt: comment.createdAt,
    lastEditedAt: isEdited ? comment.updatedAt : null,
    editor: isEdited ? actorNode(comment.author) : null,
    isMinimized: false,
    url: pageOf.comment(repo, comment),
  };
}
