import * as v from 'valibot';
import type { Base, Head } from '../../event/trigger.js';
import type { OwnReview, Post } from '../../review/seen.js';
import { askGraphQl, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import type { GitHubError } from '../client/errors.js';
import {
  accountSchema,
  actorOf,
  fetchReviewThreads,
  ownReview,
  postEntries,
  postOf,
  REVIEW_NODES,
  type ReviewThreads,
  reviewSchema,
  THREAD_FIELDS,
  THREAD_FRAGMENT,
  threadsPageSchema,
} from './reviews.js';

/** What stands around an issue or pull request. */
export interface FoundSubject {
  readonly title: string;
  readonly isOpen: boolean;
  /** What its author began with: somebody's words, not to be trusted. */
  readonly opening: { readonly author: string; readonly createdAt: string; readonly body: string };
  readonly conversation: {
    /** The newest ones, oldest first: somebody's words, not to be trusted. */
    readonly comments: readonly (Post & {
      /** When it was written, or changed last; ISO 8601 in UTC. */
      readonly changedAt: string;
    })[];
    /** Comments that are older than these. */
    readonly older: number;
  };
  /** Undefined for an issue. */
  readonly pull: PullSubject | undefined;
}

/** A pull request as it is now, with what people said on its lines and why it is there. */
export interface PullSubject {
  readonly head: Head;
  readonly base: Base;
  readonly changedFiles: number;
  readonly threads: ReviewThreads;
  /** Of the current token, newest first, among the last fifty. */
  readonly reviews: readonly OwnReview[];
  /** Everybody's, oldest first, without drafts. */
  readonly allReviews: ReturnType<typeof givenReview>;
  readonly olderReviews: number;
  /** Those that it would close, at most twenty. */
  readonly linkedIssues: readonly LinkedIssue[] | GitHubError;
}

/** An issue that a pull request would close. Title and body are its author's words. */
export type LinkedIssue = v.InferOutput<typeof linkedSchema>;

const OPENING =
  'title body closed createdAt author { __typename login } comments(last: 100) { totalCount nodes { ...said } }';

const SUBJECT_QUERY = `query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      __typename
      ... on Issue { ${OPENING} }
      ... on PullRequest {
        ${OPENING}
        headRefOid headRefName headRepository { nameWithOwner } baseRefOid baseRefName changedFiles
        reviewThreads(first: 50) { ${THREAD_FIELDS} }
        reviews(last: 50) { totalCount ${REVIEW_NODES} }
        timelineItems(last: 20, itemTypes: [REVIEW_DISMISSED_EVENT]) {
          nodes { ... on ReviewDismissedEvent { actor { login } review { url } } }
        }
        closingIssuesReferences(first: 20) {
          nodes { number title body state createdAt lastEditedAt author { login } repository { nameWithOwner } }
        }
      }
    }
  }
}
fragment said on IssueComment {
  url body viewerDidAuthor createdAt lastEditedAt isMinimized authorAssociation
  author { __typename login }
  editor { __typename login }
}
${THREAD_FRAGMENT}`;

const commentSchema = v.object({ ...postEntries, isMinimized: v.boolean() });

/** `repository` is `owner/name` and may be another one; `author` is a login without a bot's `[bot]`. */
const linkedSchema = v.pipe(
  v.object({
    number: v.number(),
    title: v.string(),
    body: v.string(),
    state: v.picklist(['OPEN', 'CLOSED']),
    createdAt: v.string(),
    lastEditedAt: v.nullable(v.string()),
    author: v.nullable(v.object({ login: v.string() })),
    repository: v.object({ nameWithOwner: v.string() }),
  }),
  v.transform(({ state, createdAt, lastEditedAt, author, repository, ...words }) => ({
    ...words,
    repository: repository.nameWithOwner,
    isOpen: state === 'OPEN',
    author: author?.login ?? 'ghost',
    changedAt: lastEditedAt ?? createdAt,
  })),
);

const openingEntries = {
  title: v.string(),
  body: v.string(),
  closed: v.boolean(),
  createdAt: v.string(),
  author: accountSchema,
  comments: v.object({ totalCount: v.number(), nodes: v.array(v.nullable(commentSchema)) }),
};

const dismissalSchema = v.object({
  actor: v.nullable(v.object({ login: v.string() })),
  review: v.nullable(v.object({ url: v.string() })),
});

const pullSchema = v.object({
  __typename: v.literal('PullRequest'),
  headRefOid: v.string(),
  headRefName: v.string(),
  headRepository: v.nullable(v.object({ nameWithOwner: v.string() })),
  baseRefOid: v.string(),
  baseRefName: v.string(),
  changedFiles: v.number(),
  ...openingEntries,
  reviewThreads: threadsPageSchema,
  reviews: v.object({ totalCount: v.number(), nodes: v.array(v.nullable(reviewSchema)) }),
  timelineItems: v.object({ nodes: v.array(v.nullable(dismissalSchema)) }),
  closingIssuesReferences: v.nullable(v.object({ nodes: v.array(v.nullable(linkedSchema)) })),
});

const subjectSchema = v.object({
  repository: v.object({
    issueOrPullRequest: v.variant('__typename', [
      v.object({ __typename: v.literal('Issue'), ...openingEntries }),
      pullSchema,
    ]),
  }),
});

/**
 * What stands around an issue or pull request, in one request: the newest hundred comments that nobody has hidden, and of a
 * pull request what it is now, its review threads and the issues it would close. Throws a GitHubError.
 */
export async function fetchSubject(
  client: GitHubClient,
  place: SubjectPlace & { /** Left out where nobody knows. */ readonly isPull?: boolean },
  signal: AbortSignal,
): Promise<FoundSubject> {
  const { repository, number, isPull } = place;
  let refused: GitHubError | undefined;
  const answer = await askGraphQl(
    client,
    {
      query: SUBJECT_QUERY,
      variables: { owner: repository.owner, name: repository.name, number },
      schema: subjectSchema,
      what: 'the issue or pull request',
      permission:
        isPull === undefined
          ? 'issues: read or pull-requests: read'
          : isPull
            ? 'pull-requests: read'
            : 'issues: read',
      mayLack: {
        field: 'closingIssuesReferences',
        onLack: (error) => {
          refused = error.withPermission(['issues: read']);
        },
      },
    },
    signal,
  );
  const subject = answer.repository.issueOrPullRequest;
  const { totalCount, nodes } = subject.comments;
  const { title, closed, createdAt, body } = subject;
  const about = {
    title,
    isOpen: !closed,
    opening: { author: actorOf(subject.author).login, createdAt, body },
    conversation: { comments: nodes.flatMap(commentOf), older: Math.max(0, totalCount - nodes.length) },
  };
  if (subject.__typename === 'Issue') return { ...about, pull: undefined };
  const { headRefOid, headRefName, headRepository, baseRefOid, baseRefName, changedFiles } = subject;
  const linked = subject.closingIssuesReferences?.nodes ?? [];
  return {
    ...about,
    pull: {
      // A fork that is gone, or that the token does not see, is no repository of ours.
      head: { sha: headRefOid, ref: headRefName, repository: headRepository?.nameWithOwner ?? null },
      base: { sha: baseRefOid, ref: baseRefName },
      changedFiles,
      threads: await fetchReviewThreads(client, place, signal, subject),
      reviews: reviewsOf(subject),
      allReviews: subject.reviews.nodes.flatMap(givenReview),
      olderReviews: Math.max(0, subject.reviews.totalCount - subject.reviews.nodes.length),
      linkedIssues: refused ?? linked.flatMap((issue) => issue ?? []),
    },
  };
}

function givenReview(node: v.InferOutput<typeof reviewSchema> | null) {
  if (node?.submittedAt == null) return [];
  return [{ author: actorOf(node.author).login, state: node.state, at: node.submittedAt, body: node.body }];
}

/** Ours, newest first, and whether somebody else than we dismissed them. */
function reviewsOf({ reviews, timelineItems }: v.InferOutput<typeof pullSchema>): readonly OwnReview[] {
  return reviews.nodes
    .flatMap((node) =>
      ownReview(node, { kind: 'review' }).map((review) => {
        const end = timelineItems.nodes.findLast((one) => one?.review?.url === review.url);
        const by = end?.actor?.login;
        return { ...review, isOverruled: by !== undefined && by !== node?.author?.login };
      }),
    )
    .reverse();
}

/** Reads each issue or pull request once, whoever asks: what the prompt shows and what is learnt are then one state. */
export type SubjectReader = (
  place: SubjectPlace & { readonly isPull: boolean },
  signal: AbortSignal,
) => Promise<FoundSubject>;

/** What is posted later is held against a reading of its own. */
export function readSubjectsOnce(client: GitHubClient): SubjectReader {
  const read = new Map<number, Promise<FoundSubject>>();
  return (place, signal) => {
    const pending = read.get(place.number) ?? fetchSubject(client, place, signal);
    read.set(place.number, pending);
    return pending;
  };
}

function commentOf(node: v.InferOutput<typeof commentSchema> | null) {
  if (node === null || node.isMinimized) return [];
  const changedAt = node.lastEditedAt ?? node.createdAt;
  return postOf(node, 'issuecomment-').map((post) => ({ ...post, thumbsDown: [], changedAt }));
}
