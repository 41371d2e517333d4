import { connection, type GraphNode, notFound, type PageArguments } from './github-connection.js';
import { gitFields } from './github-graphql-git.js';
import { actorNode, reviewFields } from './github-graphql-reviews.js';
import { fullName, html, stableId } from './github-objects.js';
import { associationOf } from './github-review-objects.js';
import type { ContentsRight, StoredComment, StoredIssue, StoredPull, StoredRepo } from './github-state.js';

/** What GraphQL queries see. */
export interface GraphQlFake {
  /** By `owner/name`; undefined also where the token does not see it. */
  readonly findRepo: (fullName: string) => StoredRepo | undefined;
  readonly findRepoById: (id: string) => StoredRepo | undefined;
  /** Those that the token sees. */
  readonly repos: () => readonly StoredRepo[];
  readonly rightOf: (repo: StoredRepo) => ContentsRight;
  /** Login of the account the token belongs to. */
  readonly viewer: string;
  /** Time for what is created, ISO 8601 in UTC. */
  readonly now: string;
}

/** The fields of a query. */
export function queryRoot(deps: GraphQlFake): GraphNode {
  return {
    repository: ({ owner, name }: { owner: string; name: string }) => {
      const repo = deps.findRepo(`${owner}/${name}`);
      if (repo === undefined) throw notFound(`a Repository with the name '${owner}/${name}'.`);
      return repositoryNode(repo, deps);
    },
  };
}

function repositoryNode(repo: StoredRepo, deps: GraphQlFake): GraphNode {
  const subject = (kind: string, kinds: readonly ('Issue' | 'PullRequest')[]) => {
    return ({ number }: { number: number }) => {
      const found = kinds.includes('PullRequest') ? repo.pulls.get(number) : undefined;
      const issue = kinds.includes('Issue') ? repo.issues.get(number) : undefined;
      if (found !== undefined) return subjectNode('PullRequest', found, repo, deps);
      if (issue !== undefined) return subjectNode('Issue', issue, repo, deps);
      throw notFound(`${kind} with the number of ${number}.`);
    };
  };
  return {
    __typename: 'Repository',
    id: String(stableId(fullName(repo))),
    url: html(repo),
    isPrivate: repo.isPrivate,
    isArchived: repo.isArchived,
    pullRequest: subject('a PullRequest', ['PullRequest']),
    issueOrPullRequest: subject('an issue or pull request', ['Issue', 'PullRequest']),
    issues: (args: ListArguments) => {
      const nodes = [...repo.issues.values()].map((issue) => subjectNode('Issue', issue, repo, deps));
      return connection(listed(nodes, args), args);
    },
    ...gitFields(repo, deps.rightOf(repo)),
  };
}

interface ListArguments extends PageArguments {
  readonly states?: readonly string[] | null;
  readonly orderBy?: { readonly field: string; readonly direction: string } | null;
}

/** In the wanted states and order; by number, which is by age, where none is wanted. */
function listed(nodes: readonly GraphNode[], { states, orderBy }: ListArguments): readonly GraphNode[] {
  const found = nodes.filter((node) => !states || states.includes(String(node['state'])));
  const isByUpdate = orderBy?.field === 'UPDATED_AT';
  const key = (node: GraphNode) => (isByUpdate ? String(node['updatedAt']) : '');
  const sorted = found.toSorted(
    (a, b) => key(a).localeCompare(key(b)) || Number(a['number']) - Number(b['number']),
  );
  return orderBy?.direction === 'DESC' ? sorted.toReversed() : sorted;
}

function subjectNode(
  kind: 'Issue' | 'PullRequest',
  subject: StoredIssue | StoredPull,
  repo: StoredRepo,
  deps: GraphQlFake,
): GraphNode {
  const nodes = repo.comments
    .filter((comment) => comment.issue === subject.number)
    .map((comment) => commentNode(comment, repo, deps));
  return {
    __typename: kind,
    id: `${kind}_${subject.number}`,
    number: subject.number,
    title: subject.title,
    author: actorNode(subject.author),
    createdAt: '2026-01-02T03:04:05Z',
    body: subject.body ?? '',
    state: stateOf(subject, repo),
    closed: stateOf(subject, repo) !== 'OPEN',
    viewerDidAuthor: subject.author === deps.viewer,
    updatedAt: repo.talk.touched.get(subject.number) ?? '2026-01-02T03:04:05Z',
    url: `${html(repo)}/${kind === 'Issue' ? 'issues' : 'pull'}/${subject.number}`,
    comments: (args: PageArguments) => connection(nodes, args),
    ...('head' in subject ? reviewFields(repo, subject, deps) : {}),
  };
}

function stateOf(subject: StoredIssue | StoredPull, repo: StoredRepo): string {
  if ('state' in subject) return subject.state.toUpperCase();
  return repo.talk.closedIssues.has(subject.number) ? 'CLOSED' : 'OPEN';
}

function commentNode(comment: StoredComment, repo: StoredRepo, { viewer }: GraphQlFake): GraphNode {
  const isEdited = comment.updatedAt !== comment.createdAt;
  const page = repo.pulls.has(comment.issue) ? 'pull' : 'issues';
  return {
    __typename: 'IssueComment',
    id: `IC_${comment.id}`,
    body: comment.body,
    author: actorNode(comment.author),
    authorAssociation: associationOf(repo, comment.author),
    viewerDidAuthor: comment.author === viewer,
    createdAt: comment.createdAt,
    updatedAt: comment.updatedAt,
    lastEditedAt: isEdited ? comment.updatedAt : null,
    editor: isEdited ? actorNode(comment.editor ?? comment.author) : null,
    isMinimized: false,
    url: `${html(repo)}/${page}/${comment.issue}#issuecomment-${comment.id}`,
  };
}
