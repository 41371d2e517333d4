import * as v from 'valibot';
import type { OwnReview } from '../../review/seen.js';
import { isMarked, type MarkFields } from '../../safety/mark.js';
import { askGraphQl, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';

export const REVIEW_NODES =
  'nodes { url body state submittedAt viewerDidAuthor author { login } commit { oid } }';

const REVIEWS_QUERY = `query ($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(last: 50, before: $before) {
        ${REVIEW_NODES}
        pageInfo { startCursor hasPreviousPage }
      }
    }
  }
}`;

/** A thousand reviews. */
const MAX_PAGES = 20;

export const reviewSchema = v.object({
  url: v.string(),
  body: v.string(),
  state: v.picklist(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING']),
  submittedAt: v.nullable(v.string()),
  viewerDidAuthor: v.boolean(),
  author: v.nullable(v.object({ login: v.string() })),
  commit: v.nullable(v.object({ oid: v.string() })),
});

const reviewsSchema = v.object({
  repository: v.object({
    pullRequest: v.object({
      reviews: v.object({
        nodes: v.array(v.nullable(reviewSchema)),
        pageInfo: v.object({ startCursor: v.nullable(v.string()), hasPreviousPage: v.boolean() }),
      }),
    }),
  }),
});

/**
 * The reviews of a pull request that the current token wrote and that are marked so, newest first, among the last
 * thousand. Nobody else's review is ever taken for one of ours, whatever it says (memory-and-security C8 98). Throws
 * a GitHubError.
 */
export async function listOwnReviews(
  client: GitHubClient,
  { repository, number, mark }: SubjectPlace & { readonly mark: MarkFields },
  signal: AbortSignal,
): Promise<readonly OwnReview[]> {
  const found: OwnReview[] = [];
  let before: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer: v.InferOutput<typeof reviewsSchema> = await askGraphQl(
      client,
      {
        query: REVIEWS_QUERY,
        variables: { owner: repository.owner, name: repository.name, number, before },
        schema: reviewsSchema,
        what: 'the reviews',
        permission: 'pull-requests: read',
      },
      signal,
    );
    const { nodes, pageInfo } = answer.repository.pullRequest.reviews;
    found.push(...nodes.flatMap((node) => ownReview(node, mark)).reverse());
    before = pageInfo.startCursor;
    if (!pageInfo.hasPreviousPage || before === null) break;
  }
  return found;
}

/** The number at the end of a URL: `databaseId` is too small for today's, and older servers do not have `fullDatabaseId`. */
export function idFromUrl(url: string, anchor: string): number | undefined {
  const [, digits] = new RegExp(`#${anchor}(\\d+)$`).exec(url) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** A review as one that the current token wrote; none for anybody else's, or without the mark. */
export function ownReview(
  node: v.InferOutput<typeof reviewSchema> | null,
  mark: MarkFields,
): readonly OwnReview[] {
  const id = idFromUrl(node?.url ?? '', 'pullrequestreview-');
  if (node === null || id === undefined || !node.viewerDidAuthor || !isMarked(node.body, mark)) return [];
  const { url, state, body, commit, submittedAt } = node;
  return [{ id, url, state, body, headSha: commit?.oid, submittedAt: submittedAt ?? undefined }];
}
