import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { isMarked, type Mark, type MarkFields, withMark } from '../../safety/mark.js';
import { askGraphQl, askRest, createOnce } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { type Failed, failedBy, GitHubError } from '../client/errors.js';
import { commentOnce } from './comment-once.js';

/** An issue that is kept up to date over many runs. Texts went through outbound cleaning (D24). */
export interface ReportIssue {
  readonly repository: Repository;
  /** Finds the issue again. */
  readonly mark: Mark;
  readonly title: string;
  readonly body: string;
  /** Given to a new issue only; names of labels that exist. */
  readonly labels: readonly string[];
  /**
   * What happens to an issue that is there: its title and body are replaced, or the body is added as a comment, whose
   * own mark tells it from those of other runs.
   */
  readonly ifFound: { readonly kind: 'update' } | { readonly kind: 'comment'; readonly mark: Mark };
}

/** What became of it. */
type IssueResult =
  /** `url` is the comment's where one was added; `created` tells of the issue. */
  | { readonly kind: 'published'; readonly number: number; readonly url: string; readonly created: boolean }
  | Failed;

/**
 * Brings the open issue with the mark up to date, or opens one. It is looked for among the issues the current token
 * opened, so that nobody can put theirs in its place; a closed one is done with. A creation whose answer was lost is
 * looked for before it is tried once more (memory-and-security C5 70). Rejects only for an aborted signal.
 */
export async function findOrCreateIssue(
  client: GitHubClient,
  issue: ReportIssue,
  signal: AbortSignal,
): Promise<IssueResult> {
  try {
    const found = await findIssue(client, issue, signal);
    if (found === undefined) {
      const { number, url } = await createOnce({
        create: () => create(client, issue, signal),
        find: () => findIssue(client, issue, signal),
      });
      return { kind: 'published', number, url, created: true };
    }
    return await bringUpToDate(client, { issue, found }, signal);
  } catch (thrown) {
    if (!(thrown instanceof GitHubError)) throw thrown;
    if (thrown.status !== 410) return failedBy(thrown, OTHERWISE);
    return {
      kind: 'failed',
      message: thrown.message,
      remedy: 'Switch on issues in the settings of the repository.',
    };
  }
}

const OTHERWISE = 'The report is in the job summary.';

interface FoundIssue {
  readonly number: number;
  readonly url: string;
}

interface Known {
  readonly issue: ReportIssue;
  readonly found: FoundIssue;
}

async function bringUpToDate(
  client: GitHubClient,
  { issue, found }: Known,
  signal: AbortSignal,
): Promise<IssueResult> {
  const { number, url } = found;
  switch (issue.ifFound.kind) {
    case 'update':
      await update(client, { issue, found }, signal);
      return { kind: 'published', number, url, created: false };
    case 'comment': {
      const { repository, body, ifFound } = issue;
      const comment = { repository, number, body, mark: ifFound.mark };
      const result = await commentOnce(client, comment, signal);
      return result.kind === 'failed'
        ? result
        : { kind: 'published', number, url: result.url, created: false };
    }
  }
}

const ISSUES_QUERY = `query ($owner: String!, $name: String!, $states: [IssueState!]!, $after: String) {
  repository(owner: $owner, name: $name) {
    issues(first: 50, after: $after, states: $states, orderBy: { field: UPDATED_AT, direction: DESC }) {
      nodes { number url body viewerDidAuthor }
      pageInfo { endCursor hasNextPage }
    }
  }
}`;

/** The thousand open issues that changed last: one that is in use is among them. */
const MAX_PAGES = 20;

const issuesSchema = v.object({
  repository: v.object({
    issues: v.object({
      nodes: v.array(
        v.nullable(
          v.object({
            number: v.number(),
            url: v.string(),
            body: v.string(),
            viewerDidAuthor: v.boolean(),
          }),
        ),
      ),
      pageInfo: v.object({ endCursor: v.nullable(v.string()), hasNextPage: v.boolean() }),
    }),
  }),
});

async function findIssue(
  client: GitHubClient,
  { repository, mark }: ReportIssue,
  signal: AbortSignal,
): Promise<FoundIssue | undefined> {
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { nodes, pageInfo } = await fetchIssues(client, { repository, state: 'OPEN', after }, signal);
    const found = nodes.find((node) => node?.viewerDidAuthor && isMarked(node.body, mark));
    if (found) return found;
    after = pageInfo.endCursor;
    if (!pageInfo.hasNextPage || after === null) break;
  }
  return undefined;
}

/** Of the fifty closed issues that changed last, those with the mark that the current token opened. Throws a GitHubError. */
export async function listClosedIssues(
  client: GitHubClient,
  { repository, mark }: Pick<ReportIssue, 'repository'> & { readonly mark: MarkFields },
  signal: AbortSignal,
): Promise<readonly { readonly url: string; readonly body: string }[]> {
  const { nodes } = await fetchIssues(client, { repository, state: 'CLOSED', after: null }, signal);
  return nodes.flatMap((node) => (node?.viewerDidAuthor && isMarked(node.body, mark) ? [node] : []));
}

interface IssuesQuestion {
  readonly repository: Repository;
  readonly state: 'OPEN' | 'CLOSED';
  readonly after: string | null;
}

async function fetchIssues(
  client: GitHubClient,
  { repository, state, after }: IssuesQuestion,
  signal: AbortSignal,
): Promise<v.InferOutput<typeof issuesSchema>['repository']['issues']> {
  const answer = await askGraphQl(
    client,
    {
      query: ISSUES_QUERY,
      variables: { owner: repository.owner, name: repository.name, states: [state], after },
      schema: issuesSchema,
      what: 'the issues',
      permission: 'issues: write',
    },
    signal,
  );
  return answer.repository.issues;
}

async function create(
  client: GitHubClient,
  issue: ReportIssue,
  signal: AbortSignal,
): Promise<Pick<FoundIssue, 'number' | 'url'>> {
  const { title, labels } = issue;
  const created = await askRest(
    client,
    {
      route: 'POST /repos/{owner}/{repo}/issues',
      params: { ...repoParams(issue), title, body: markedBody(issue), labels },
      schema: v.object({ number: v.number(), html_url: v.string() }),
      what: 'the issue',
    },
    signal,
  );
  return { number: created.number, url: created.html_url };
}

async function update(client: GitHubClient, { issue, found }: Known, signal: AbortSignal): Promise<void> {
  await client.request('PATCH /repos/{owner}/{repo}/issues/{issue_number}', {
    params: {
      ...repoParams(issue),
      issue_number: found.number,
      title: issue.title,
      body: markedBody(issue),
    },
    signal,
  });
}

function repoParams({ repository }: ReportIssue) {
  return { owner: repository.owner, repo: repository.name };
}

function markedBody({ mark, body }: ReportIssue): string {
  return withMark(body, mark);
}
