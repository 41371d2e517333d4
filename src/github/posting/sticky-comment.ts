import * as v from 'valibot';
import type { Repository } from '../../event/trigger.js';
import { isMarked, type Mark } from '../../safety/mark.js';
import { askGraphQl, createOnce, notUnderstood } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { GitHubError } from '../client/errors.js';

/** The comment to create or bring up to date. */
export interface StickyComment {
  readonly repository: Repository;
  /** Of the issue or pull request. */
  readonly number: number;
  /** What `body` begins with. */
  readonly mark: Mark;
  /** Made by `framedBody`. */
  readonly body: string;
  /** Nothing can have posted it yet, so it is not looked for first. */
  readonly isNew?: boolean;
}

/** What became of a sticky comment. */
export type StickyResult =
  | { readonly kind: 'published'; readonly url: string; readonly created: boolean }
  | { readonly kind: 'failed'; readonly message: string; readonly remedy: string };

/**
 * Updates the agent's sticky comment, or creates it. It is looked for among the comments the current token wrote,
 * so nobody can have theirs overwritten or claim ours (memory-and-security C8 98). A creation whose answer was lost
 * is looked for before it is tried once more (C5 70). Rejects only for an aborted signal.
 */
export async function publishSticky(
  client: GitHubClient,
  comment: StickyComment,
  signal: AbortSignal,
): Promise<StickyResult> {
  try {
    const url = comment.isNew === true ? undefined : await updateExisting(client, comment, signal);
    if (url !== undefined) return { kind: 'published', url, created: false };
    const created = await createOnce({
      create: () => create(client, comment, signal),
      find: async () => (await findSticky(client, comment, signal))?.url,
    });
    return { kind: 'published', url: created, created: true };
  } catch (thrown) {
    if (thrown instanceof GitHubError) return failed(thrown);
    throw thrown;
  }
}

/** Undefined if there is no comment, or it was deleted while we looked. */
async function updateExisting(
  client: GitHubClient,
  comment: StickyComment,
  signal: AbortSignal,
): Promise<string | undefined> {
  const found = await findSticky(client, comment, signal);
  if (found === undefined) return undefined;
  try {
    return await update(client, { comment, id: found.id }, signal);
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === 'missing') return undefined;
    throw thrown;
  }
}

interface FoundComment {
  readonly id: string;
  readonly url: string;
}

const commentFields = `comments(last: 100, before: $before) {
  nodes { url body viewerDidAuthor }
  pageInfo { startCursor hasPreviousPage }
}`;

/** The newest comments first: a sticky comment that is in use is near the end. */
const FIND_QUERY = `query ($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    subject: issueOrPullRequest(number: $number) {
      ... on Issue { ${commentFields} }
      ... on PullRequest { ${commentFields} }
    }
  }
}`;

const findSchema = v.object({
  repository: v.object({
    subject: v.object({
      comments: v.object({
        nodes: v.array(
          v.nullable(v.object({ url: v.string(), body: v.string(), viewerDidAuthor: v.boolean() })),
        ),
        pageInfo: v.object({ startCursor: v.nullable(v.string()), hasPreviousPage: v.boolean() }),
      }),
    }),
  }),
});

async function findSticky(
  client: GitHubClient,
  { repository, number, mark }: StickyComment,
  signal: AbortSignal,
): Promise<FoundComment | undefined> {
  let page: CommentPage | undefined;
  do {
    page = await fetchPage(client, { repository, number, before: page?.startCursor ?? null }, signal);
    const found = page.comments.findLast((comment) => comment.isOurs && isMarked(comment.body, mark));
    if (found !== undefined) return found;
  } while (page.startCursor !== null);
  return undefined;
}

interface CommentPage {
  /** Oldest first. */
  readonly comments: readonly (FoundComment & { readonly body: string; readonly isOurs: boolean })[];
  /** Where the page before this one ends; null if there is none. */
  readonly startCursor: string | null;
}

interface PageRequest extends Pick<StickyComment, 'repository' | 'number'> {
  readonly before: string | null;
}

async function fetchPage(
  client: GitHubClient,
  { repository, number, before }: PageRequest,
  signal: AbortSignal,
): Promise<CommentPage> {
  const question = {
    query: FIND_QUERY,
    variables: { owner: repository.owner, name: repository.name, number, before },
    schema: findSchema,
    what: 'the comments',
    permission: 'issues: write or pull-requests: write',
  };
  const { nodes, pageInfo } = (await askGraphQl(client, question, signal)).repository.subject.comments;
  const comments = nodes.flatMap((node) => {
    const id = commentId(node?.url ?? '');
    if (node === null || id === undefined) return [];
    return [{ id, url: node.url, body: node.body, isOurs: node.viewerDidAuthor }];
  });
  return { comments, startCursor: pageInfo.hasPreviousPage ? pageInfo.startCursor : null };
}

/** From the URL: `databaseId` is too small for today's numbers, and older servers do not have `fullDatabaseId`. */
function commentId(url: string): string | undefined {
  return /#issuecomment-(\d+)$/.exec(url)?.[1];
}

const writtenSchema = v.object({ html_url: v.string() });

async function update(
  client: GitHubClient,
  { comment, id }: { readonly comment: StickyComment; readonly id: string },
  signal: AbortSignal,
): Promise<string> {
  const { owner, name: repo } = comment.repository;
  const { body } = await client.request('PATCH /repos/{owner}/{repo}/issues/comments/{comment_id}', {
    params: { owner, repo, comment_id: id, body: comment.body },
    signal,
  });
  return writtenUrl(body, `PATCH /repos/${owner}/${repo}/issues/comments/${id}`);
}

async function create(client: GitHubClient, comment: StickyComment, signal: AbortSignal): Promise<string> {
  const { owner, name: repo } = comment.repository;
  const { body } = await client.request('POST /repos/{owner}/{repo}/issues/{issue_number}/comments', {
    params: { owner, repo, issue_number: comment.number, body: comment.body },
    signal,
  });
  return writtenUrl(body, `POST /repos/${owner}/${repo}/issues/${comment.number}/comments`);
}

function writtenUrl(body: unknown, requestLine: string): string {
  const written = v.safeParse(writtenSchema, body);
  if (!written.success) throw notUnderstood(requestLine, 'the comment');
  return written.output.html_url;
}

function failed({ message, remedy }: GitHubError): StickyResult {
  const fallback = 'The answer is in the job summary; check that the issue or pull request is not locked.';
  return { kind: 'failed', message, remedy: remedy ?? fallback };
}
