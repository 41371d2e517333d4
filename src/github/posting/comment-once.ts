import * as v from 'valibot';
import { isMarked, type Mark, withMark } from '../../safety/mark.js';
import { askGraphQl, askRest, createOnce, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { type Failed, orFailed } from '../client/errors.js';

/** A comment that is to stand once in a conversation. */
export interface OneComment extends SubjectPlace {
  /** Tells this comment from all others. */
  readonly mark: Mark;
  /** Went through outbound cleaning (D24). */
  readonly body: string;
}

/** What became of a comment. */
export type CommentResult =
  | { readonly kind: 'published'; readonly url: string; readonly created: boolean }
  | Failed;

/**
 * Adds a comment to an issue or a pull request's conversation, unless one with the mark by the current token is
 * among the last hundred; looks again after an answer that did not come (memory-and-security C5 70). Rejects only for
 * an aborted signal.
 */
export async function commentOnce(
  client: GitHubClient,
  comment: OneComment,
  signal: AbortSignal,
): Promise<CommentResult> {
  return await orFailed<CommentResult>(async () => {
    const found = await findComment(client, comment, signal);
    if (found !== undefined) return { kind: 'published', url: found, created: false };
    const url = await createOnce({
      create: () => create(client, comment, signal),
      find: () => findComment(client, comment, signal),
    });
    return { kind: 'published', url, created: true };
  }, 'The answer is in the job summary; check that the issue or pull request is not locked.');
}

const commentFields = 'comments(last: 100) { nodes { url body viewerDidAuthor } }';

const COMMENTS_QUERY = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    subject: issueOrPullRequest(number: $number) {
      ... on Issue { ${commentFields} }
      ... on PullRequest { ${commentFields} }
    }
  }
}`;

const commentsSchema = v.object({
  repository: v.object({
    subject: v.object({
      comments: v.object({
        nodes: v.array(
          v.nullable(v.object({ url: v.string(), body: v.string(), viewerDidAuthor: v.boolean() })),
        ),
      }),
    }),
  }),
});

async function findComment(
  client: GitHubClient,
  { repository, number, mark }: OneComment,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answer = await askGraphQl(
    client,
    {
      query: COMMENTS_QUERY,
      variables: { owner: repository.owner, name: repository.name, number },
      schema: commentsSchema,
      what: 'the comments',
      permission: 'issues: write',
    },
    signal,
  );
  const { nodes } = answer.repository.subject.comments;
  return nodes.findLast((node) => node?.viewerDidAuthor && isMarked(node.body, mark))?.url;
}

async function create(
  client: GitHubClient,
  { repository, number, mark, body }: OneComment,
  signal: AbortSignal,
): Promise<string> {
  const created = await askRest(
    client,
    {
      route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
      params: {
        owner: repository.owner,
        repo: repository.name,
        issue_number: number,
        body: withMark(body, mark),
      },
      schema: v.object({ html_url: v.string() }),
      what: 'the comment',
    },
    signal,
  );
  return created.html_url;
}
