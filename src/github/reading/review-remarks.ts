import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { askGraphQl } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { isWriter } from './permission.js';

/** A comment on a line that somebody with write access wrote in a review. */
export interface ReviewRemark {
  readonly pull: number;
  readonly url: string;
  readonly path: string;
  readonly body: string;
  /** The line was changed after the comment, and the pull request was merged. */
  readonly isActedOn: boolean;
}

/** Accounts whose permission is asked for. */
const MAX_ACCOUNTS = 20;

/** About (1 + 30 + 30 × 20) / 100 = 6 points of the 1,000 an hour that a job's token has. */
const REMARKS_QUERY = `query ($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    pullRequests(first: 30, orderBy: { field: UPDATED_AT, direction: DESC }) {
      nodes {
        number
        state
        reviewThreads(first: 20) {
          nodes {
            isOutdated
            path
            comments(first: 5) {
              nodes {
                url
                body
                createdAt
                authorAssociation
                viewerDidAuthor
                author { __typename login }
              }
            }
          }
        }
      }
    }
  }
}`;

const nodesOf = <Node extends v.GenericSchema>(node: Node) =>
  v.fallback(v.object({ nodes: v.array(node) }), { nodes: [] });

const remarksSchema = v.object({
  repository: v.object({
    pullRequests: nodesOf(
      v.object({
        number: v.number(),
        state: v.string(),
        reviewThreads: nodesOf(
          v.object({
            isOutdated: v.boolean(),
            path: v.string(),
            comments: nodesOf(
              v.object({
                url: v.string(),
                body: v.string(),
                createdAt: v.string(),
                authorAssociation: v.string(),
                viewerDidAuthor: v.boolean(),
                author: v.nullable(v.object({ __typename: v.string(), login: v.string() })),
              }),
            ),
          }),
        ),
      }),
    ),
  }),
});

const WRITING_ASSOCIATIONS = ['OWNER', 'MEMBER', 'COLLABORATOR'];

/**
 * The comments on lines of the pull requests that were updated last, written after `since` by people
 * with write access: not by bots, not by this token's account. Without an answer about an account,
 * its comments are left out. Throws a GitHubError.
 */
export async function fetchReviewRemarks(
  client: GitHubClient,
  { repository, since }: { readonly repository: Repository; readonly since: Date },
  signal: AbortSignal,
): Promise<readonly ReviewRemark[]> {
  const { owner, name } = repository;
  const answer = await askGraphQl(
    client,
    { query: REMARKS_QUERY, variables: { owner, name }, permission: 'pull-requests: read' },
    remarksSchema,
    signal,
  );
  const remarks = answer.repository.pullRequests.nodes.flatMap((pull) =>
    pull.reviewThreads.nodes.flatMap((thread) =>
      thread.comments.nodes.map((comment) => ({ pull, thread, comment })),
    ),
  );
  const byPeople = remarks.flatMap(({ pull, thread, comment }) => {
    const { author, authorAssociation, viewerDidAuthor, createdAt, url, body } = comment;
    const isPerson = author?.__typename === 'User' && !viewerDidAuthor;
    const isRecent = Date.parse(createdAt) >= since.getTime();
    if (!isPerson || !isRecent || !WRITING_ASSOCIATIONS.includes(authorAssociation)) return [];
    const isActedOn = thread.isOutdated && pull.state === 'MERGED';
    const remark = { pull: pull.number, url, path: thread.path, body, isActedOn };
    return [{ login: author.login, remark }];
  });

  const accounts = [...new Set(byPeople.map(({ login }) => login))].slice(0, MAX_ACCOUNTS);
  const writers = new Set<string>();
  for (const login of accounts)
    if (await isWriter(client, repository, login, signal)) writers.add(login);
  return byPeople.flatMap(({ login, remark }) => (writers.has(login) ? [remark] : []));
}
