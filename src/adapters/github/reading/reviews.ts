import * as v from 'valibot';
import { askGraphQl } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import type { Listed } from '../client/pages.js';
import type { SubjectPlace } from '../client/subject-place.js';
import type { ReviewState } from './own-reviews.js';

/** A review by anybody: their words. */
export interface Review {
  readonly state: ReviewState;
  readonly author: string;
  /** ISO 8601. */
  readonly at: string;
  readonly body: string;
}

const REVIEWS_QUERY = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(last: 100) {
        nodes { body state submittedAt author { __typename login } }
        pageInfo { hasPreviousPage }
      }
    }
  }
}`;

const reviewSchema = v.object({
  body: v.string(),
  state: v.picklist(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING']),
  submittedAt: v.nullable(v.string()),
  author: v.nullable(v.object({ __typename: v.string(), login: v.string() })),
});

const reviewsSchema = v.object({
  repository: v.object({
    pullRequest: v.object({
      reviews: v.object({
        nodes: v.array(v.nullable(reviewSchema)),
        pageInfo: v.object({ hasPreviousPage: v.boolean() }),
      }),
    }),
  }),
});

/** The newest hundred reviews of a pull request, oldest first, without drafts. Throws a GitHubError. */
export async function fetchReviews(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  signal: AbortSignal,
): Promise<Listed<Review>> {
  const answer = await askGraphQl(
    client,
    {
      query: REVIEWS_QUERY,
      variables: { owner: repository.owner, name: repository.name, number },
      schema: reviewsSchema,
      what: 'the reviews',
      permission: 'pull-requests: read',
    },
    signal,
  );
  const { nodes, pageInfo } = answer.repository.pullRequest.reviews;
  return { items: nodes.flatMap(reviewOf), isComplete: !pageInfo.hasPreviousPage };
}

/** GraphQL leaves out a bot's `[bot]`, and a deleted account. */
function reviewOf(node: v.InferOutput<typeof reviewSchema> | null): readonly Review[] {
  if (node?.submittedAt == null) return [];
  const { state, author, submittedAt: at, body } = node;
  const isBot = author?.__typename === 'Bot';
  const login = author?.login ?? 'ghost';
  return [{ state, author: isBot ? `${login.replace(/\[bot\]$/, '')}[bot]` : login, at, body }];
}
