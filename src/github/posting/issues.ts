import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { isMarked, type Mark, type MarkFields, withMark } from '../../safety/mark.js';
import {
  againIfLost,
  askGraphQl,
  askRest,
  createOnce,
  orGitHubError,
  repositoryParams,
  type SubjectPlace,
} from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

export type ReactionName = (typeof REACTIONS)[number];

/** An issue that is kept up to date over many runs. Its texts are sanitized already. */
interface ReportIssue {
  readonly repository: Repository;
  /** Finds the issue again. */
  readonly mark: Mark;
  readonly title: string;
  readonly body: string;
  /** Given to a new issue only; names of labels that exist. */
  readonly labels: readonly string[];
}

/**
 * Replaces title and body of the open issue with the mark, or opens one. Only issues that were
 * opened with this run's token are searched, so that nobody can pose as us; a closed one stays
 * closed. If the answer to a creation is lost, we look for the issue before we try once more.
 * `created` is false if it was open. Throws a GitHubError.
 */
export async function findOrCreateIssue(
  client: GitHubClient,
  issue: ReportIssue,
  signal: AbortSignal,
): Promise<{ readonly number: number; readonly url: string; readonly created: boolean }> {
  const { repository, title, mark, labels } = issue;
  const params = { ...repositoryParams(repository), title, body: withMark(issue.body, mark) };
  const find = async () =>
    (await findIssues(client, { ...issue, state: 'OPEN', maxPages: MAX_PAGES }, signal))[0];
  const open = await find();
  if (open !== undefined) {
    const { number, url } = open;
    const route = 'PATCH /repos/{owner}/{repo}/issues/{issue_number}';
    await client.request(route, { params: { ...params, issue_number: number }, signal });
    return { number, url, created: false };
  }

  const create = async () => {
    const route = 'POST /repos/{owner}/{repo}/issues';
    const made = await askRest(
      client,
      { route, params: { ...params, labels } },
      createdSchema,
      signal,
    );
    return { number: made.number, url: made.html_url };
  };
  const { number, url } = await createOnce(create, find);
  return { number, url, created: true };
}

const createdSchema = v.object({ number: v.number(), html_url: v.string() });

const ISSUES_QUERY = `query ($owner: String!, $name: String!, $states: [IssueState!]!, $after: String) {
  repository(owner: $owner, name: $name) {
    issues(first: 100, after: $after, states: $states, orderBy: { field: UPDATED_AT, direction: DESC }) {
      nodes { number url body viewerDidAuthor }
      pageInfo { endCursor hasNextPage }
    }
  }
}`;

/** Enough for the thousand open issues that changed last: an issue in use is among them. */
const MAX_PAGES = 10;

const issueSchema = v.object({
  number: v.number(),
  url: v.string(),
  body: v.string(),
  viewerDidAuthor: v.boolean(),
});

const issuesSchema = v.object({
  repository: v.object({
    issues: v.object({
      nodes: v.array(v.nullable(issueSchema)),
      pageInfo: v.object({ endCursor: v.nullable(v.string()), hasNextPage: v.boolean() }),
    }),
  }),
});

/**
 * Issues with the mark that this run's token opened, the last changed first. The search ends with
 * the first page of a hundred that has one. Throws a GitHubError.
 */
export async function findIssues(
  client: GitHubClient,
  {
    repository,
    mark,
    state,
    maxPages,
  }: {
    readonly repository: Repository;
    readonly mark: MarkFields;
    readonly state: 'OPEN' | 'CLOSED';
    readonly maxPages: number;
  },
  signal: AbortSignal,
): Promise<readonly v.InferOutput<typeof issueSchema>[]> {
  const { owner, name } = repository;
  let after: string | null = null;
  for (let page = 1; ; page += 1) {
    const variables = { owner, name, states: [state], after };
    const answer: v.InferOutput<typeof issuesSchema> = await askGraphQl(
      client,
      { query: ISSUES_QUERY, variables, permission: 'issues: write' },
      issuesSchema,
      signal,
    );
    const { nodes, pageInfo } = answer.repository.issues;
    const ours = nodes.flatMap((node) =>
      node?.viewerDidAuthor && isMarked(node.body, mark) ? [node] : [],
    );
    if (ours.length > 0 || page === maxPages || !pageInfo.hasNextPage) return ours;
    after = pageInfo.endCursor;
  }
}

const labelSchema = v.object({ name: v.string() });

/**
 * Adds and removes labels that the repository has; it never creates one. Names are compared as
 * GitHub does, without regard to case. A label both to add and to remove is added. The lists leave
 * out labels that needed no change. Can be repeated. Throws a GitHubError.
 */
export async function setLabels(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  { add, remove }: { readonly add: readonly string[]; readonly remove: readonly string[] },
  signal: AbortSignal,
): Promise<Record<'added' | 'removed' | 'unknown', readonly string[]>> {
  const here = repositoryParams(repository);
  const issue = { ...here, issue_number: number };
  const route = '/repos/{owner}/{repo}/issues/{issue_number}/labels';
  // An issue has at most a hundred labels.
  const onePage = { ...issue, per_page: 100 };
  const labels = await askRest(
    client,
    { route: `GET ${route}`, params: onePage },
    v.array(labelSchema),
    signal,
  );
  const present = labels.map(({ name }) => name);

  const added: string[] = [];
  const unknown: string[] = [];
  for (const name of add) {
    if (includesLabel([...present, ...added, ...unknown], name)) continue;
    // GitHub creates a label that is added and does not exist, so each is read first.
    const params = { ...here, name };
    const label = await orGitHubError(
      askRest(client, { route: LABEL, params }, labelSchema, signal),
      'missing',
    );
    if (label instanceof GitHubError) unknown.push(name);
    // The repository's spelling.
    else added.push(label.name);
  }
  if (added.length > 0)
    await againIfLost(() =>
      client.request(`POST ${route}`, { params: { ...issue, labels: added }, signal }),
    );

  const removed = present.filter(
    (name) => includesLabel(remove, name) && !includesLabel(add, name),
  );
  for (const name of removed) {
    const answer = await orGitHubError(
      client.request(`DELETE ${route}/{name}`, { params: { ...issue, name }, signal }),
    );
    // The client repeats a request whose answer was lost, and the label is gone by then.
    if (answer instanceof GitHubError && answer.about !== 'done') throw answer;
  }
  return { added, removed, unknown };
}

const LABEL = 'GET /repos/{owner}/{repo}/labels/{name}';

function includesLabel(labels: readonly string[], name: string): boolean {
  return labels.some((label) => label.toLowerCase() === name.toLowerCase());
}

/** An issue or pull request, a comment in its conversation, or a comment on a line. */
export type ReactionSubject =
  | { readonly kind: 'issue'; readonly number: number }
  | { readonly kind: 'issue-comment'; readonly id: number }
  | { readonly kind: 'review-comment'; readonly id: number };

/** GitHub keeps one reaction of each kind per account, so this can be repeated. */
export async function addReaction(
  client: GitHubClient,
  {
    repository,
    subject,
    content,
  }: {
    readonly repository: Repository;
    readonly subject: ReactionSubject;
    readonly content: ReactionName;
  },
  signal: AbortSignal,
): Promise<void> {
  const id =
    subject.kind === 'issue' ? { issue_number: subject.number } : { comment_id: subject.id };
  const params = { ...repositoryParams(repository), ...id, content };
  await againIfLost(() => client.request(ROUTES[subject.kind], { params, signal }));
}

const ROUTES: Readonly<Record<ReactionSubject['kind'], string>> = {
  issue: 'POST /repos/{owner}/{repo}/issues/{issue_number}/reactions',
  'issue-comment': 'POST /repos/{owner}/{repo}/issues/comments/{comment_id}/reactions',
  'review-comment': 'POST /repos/{owner}/{repo}/pulls/comments/{comment_id}/reactions',
};

/** The reactions GitHub knows (REST API, reactions). */
export const REACTIONS = [
  '+1',
  '-1',
  'laugh',
  'confused',
  'heart',
  'hooray',
  'rocket',
  'eyes',
] as const;
