import * as v from 'valibot';
import type { Repository } from '../axe/trigger.js';
import { askGraphQl } from './ask.js';
import type { GitHubClient } from './client.js';
import { isMarked } from './own-reviews.js';

/** Whose reviews are looked for. */
export interface ReviewedPullsRequest {
  readonly repository: Repository;
  /** A line of the review begins with it, as for `listOwnReviews`. */
  readonly marker: string;
  /** No more pull requests than these. */
  readonly limit: number;
}

/** A pull request that the current token has reviewed. */
export interface ReviewedPull {
  readonly number: number;
  readonly state: 'OPEN' | 'CLOSED' | 'MERGED';
  /** The commit of our last review; undefined where that is gone. */
  readonly headSha: string | undefined;
  /** Of our last review, ISO 8601 in UTC. */
  readonly reviewedAt: string;
}

const PULLS_QUERY = `query ($owner: String!, $name: String!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequests(first: 25, after: $after, orderBy: { field: UPDATED_AT, direction: DESC }) {
      nodes {
        number state
        reviews(last: 20) { nodes { body viewerDidAuthor state submittedAt commit { oid } } }
      }
      pageInfo { endCursor hasNextPage }
    }
  }
}`;

/** The two hundred pull requests that changed last. */
const MAX_PAGES = 8;

const pullSchema = v.object({
  number: v.number(),
  state: v.picklist(['OPEN', 'CLOSED', 'MERGED']),
  reviews: v.object({
    nodes: v.array(
      v.nullable(
        v.object({
          body: v.string(),
          viewerDidAuthor: v.boolean(),
          state: v.string(),
          submittedAt: v.nullable(v.string()),
          commit: v.nullable(v.object({ oid: v.string() })),
        }),
      ),
    ),
  }),
});

const pullsSchema = v.object({
  repository: v.object({
    pullRequests: v.object({
      nodes: v.array(v.nullable(pullSchema)),
      pageInfo: v.object({ endCursor: v.nullable(v.string()), hasNextPage: v.boolean() }),
    }),
  }),
});

/**
 * The pull requests that changed last among those we reviewed, found by our marker in the last twenty reviews of
 * each; at most two hundred pull requests are looked at. Throws a GitHubError.
 */
export async function fetchReviewedPulls(
  client: GitHubClient,
  { repository, marker, limit }: ReviewedPullsRequest,
  signal: AbortSignal,
): Promise<readonly ReviewedPull[]> {
  const found: ReviewedPull[] = [];
  let after: string | null = null;
  for (let page = 0; page < MAX_PAGES && found.length < limit; page += 1) {
    const answer: v.InferOutput<typeof pullsSchema> = await askGraphQl(
      client,
      {
        query: PULLS_QUERY,
        variables: { owner: repository.owner, name: repository.name, after },
        schema: pullsSchema,
        what: 'the pull requests',
        permission: 'pull-requests: read',
      },
      signal,
    );
    const { nodes, pageInfo } = answer.repository.pullRequests;
    found.push(...nodes.flatMap((node) => reviewedPull(node, marker)));
    after = pageInfo.endCursor;
    if (!pageInfo.hasNextPage || after === null) break;
  }
  return found.slice(0, limit);
}

function reviewedPull(
  node: v.InferOutput<typeof pullSchema> | null,
  marker: string,
): readonly ReviewedPull[] {
  const last = node?.reviews.nodes.findLast(
    (review) => review?.viewerDidAuthor && isMarked(review.body, marker),
  );
  const reviewedAt = last?.submittedAt ?? undefined;
  if (!node || !last || reviewedAt === undefined) return [];
  return [{ number: node.number, state: node.state, headSha: last.commit?.oid, reviewedAt }];
}
