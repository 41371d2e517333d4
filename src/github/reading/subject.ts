import * as v from 'valibot';
import type { Base, Head } from '../../event/trigger.js';
import type { OwnReview, Post } from '../../review/seen.js';
import { isMarked } from '../../safety/mark.js';
import { askGraphQl, notUnderstood, type SubjectPlace } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { type GitHubError, GRAPHQL } from '../client/errors.js';
import {
  accountSchema,
  actorOf,
  idOf,
  postEntries,
  postOf,
  type ReviewThread,
  readThreads,
  THREAD_FIELDS,
  THREAD_FRAGMENT,
  threadsPageSchema,
} from './reviews.js';

/** What is around an issue or pull request. Titles and bodies are somebody's words, not to be trusted. */
export interface FoundSubject {
  readonly title: string;
  readonly isOpen: boolean;
  /** The description. */
  readonly opening: { readonly author: string; readonly createdAt: string; readonly body: string };
  /** The newest hundred, oldest first. `changedAt`: when it was written, or changed last; ISO 8601 in UTC. */
  readonly comments: readonly (Post & { readonly changedAt: string })[];
  readonly olderComments: number;
  /** Undefined for an issue. */
  readonly pull: PullSubject | undefined;
  /** False where there are more comments, reviews or conversations than were read. */
  readonly isComplete: boolean;
}

/** A pull request as it is now, with what people said on its lines and why it is there. */
export interface PullSubject {
  readonly head: Head;
  readonly base: Base;
  readonly changedFiles: number;
  readonly threads: readonly ReviewThread[];
  /** Of the current token, newest first, among the last fifty. */
  readonly reviews: readonly OwnReview[];
  /** Everybody's, oldest first, without drafts. */
  readonly allReviews: readonly { author: string; state: string; at: string; body: string }[];
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
        reviews(last: 50) { totalCount nodes { url body state submittedAt viewerDidAuthor author { __typename login } commit { oid } } }
        timelineItems(last: 20, itemTypes: [REVIEW_DISMISSED_EVENT]) {
          nodes { ... on ReviewDismissedEvent { actor { login } review { url } } }
        }
        closingIssuesReferences(first: 20) {
          nodes { number title body state createdAt lastEditedAt author { __typename login } repository { nameWithOwner } }
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

const reviewSchema = v.object({
  url: v.string(),
  body: v.string(),
  state: v.picklist(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING']),
  submittedAt: v.nullable(v.string()),
  viewerDidAuthor: v.boolean(),
  author: accountSchema,
  commit: v.nullable(v.object({ oid: v.string() })),
});

const dismissalSchema = v.object({
  actor: v.nullable(v.object({ login: v.string() })),
  review: v.nullable(v.object({ url: v.string() })),
});

/** `repository` is `owner/name` and may be another one. */
const linkedSchema = v.pipe(
  v.object({
    number: v.number(),
    title: v.string(),
    body: v.string(),
    state: v.picklist(['OPEN', 'CLOSED']),
    createdAt: v.string(),
    lastEditedAt: v.nullable(v.string()),
    author: accountSchema,
    repository: v.object({ nameWithOwner: v.string() }),
  }),
  v.transform(({ state, createdAt, lastEditedAt, author, repository, ...words }) => ({
    ...words,
    repository: repository.nameWithOwner,
    isOpen: state === 'OPEN',
    author: actorOf(author),
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
 * What is around an issue or pull request, in one request: the newest hundred comments that nobody has hidden, and of a
 * pull request what it is now, its review threads and the issues it would close. Throws a GitHubError.
 */
export async function fetchSubject(
  client: GitHubClient,
  place: SubjectPlace & { /** Left out where nobody knows. */ readonly isPull?: boolean },
  signal: AbortSignal,
): Promise<FoundSubject> {
  const { owner, name } = place.repository;
  let refused: GitHubError | undefined;
  const answer = await askGraphQl(
    client,
    SUBJECT_QUERY,
    { owner, name, number: place.number },
    subjectSchema,
    PERMISSIONS[`${place.isPull}`],
    signal,
    {
      mayLack: {
        field: 'closingIssuesReferences',
        onLack: (error) => {
          refused = error.withPermission(['issues: read']);
        },
      },
    },
  );
  const subject = answer.repository.issueOrPullRequest;
  const { title, closed, createdAt, body, author, comments } = subject;
  const olderComments = Math.max(0, comments.totalCount - comments.nodes.length);
  const about = {
    title,
    isOpen: !closed,
    opening: { author: actorOf(author).login, createdAt, body },
    comments: comments.nodes.flatMap((node) =>
      node === null || node.isMinimized
        ? []
        : [{ ...postOf(node), changedAt: node.lastEditedAt ?? node.createdAt }],
    ),
    olderComments,
  };
  if (subject.__typename === 'Issue') return { ...about, pull: undefined, isComplete: olderComments === 0 };
  const { threads, isComplete } = await readThreads(client, place, subject.reviewThreads, signal);
  const { reviews } = subject;
  return {
    ...about,
    pull: {
      head: {
        sha: subject.headRefOid,
        ref: subject.headRefName,
        // A fork that is gone, or that the token does not see, is no repository of ours.
        repository: subject.headRepository?.nameWithOwner ?? null,
      },
      base: { sha: subject.baseRefOid, ref: subject.baseRefName },
      changedFiles: subject.changedFiles,
      threads,
      reviews: ownReviews(subject),
      allReviews: reviews.nodes.flatMap((node) => {
        if (node?.submittedAt == null) return [];
        return [
          { author: actorOf(node.author).login, state: node.state, at: node.submittedAt, body: node.body },
        ];
      }),
      linkedIssues: refused ?? subject.closingIssuesReferences?.nodes.flatMap((issue) => issue ?? []) ?? [],
    },
    isComplete: isComplete && olderComments === 0 && reviews.totalCount <= reviews.nodes.length,
  };
}

/** A pull request as it is now. Throws a GitHubError. */
export async function fetchPull(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  signal: AbortSignal,
): Promise<PullSubject> {
  const { pull } = await fetchSubject(client, { repository, number, isPull: true }, signal);
  if (pull === undefined) throw notUnderstood(GRAPHQL);
  return pull;
}

const PERMISSIONS = {
  true: 'pull-requests: read',
  false: 'issues: read',
  undefined: 'issues: read or pull-requests: read',
};

/**
 * Reviews that the current token wrote, newest first, and whether somebody else dismissed them. Nobody else's review is ever
 * taken for one of ours, whatever it says (memory-and-security C8 98).
 */
function ownReviews({ reviews, timelineItems }: v.InferOutput<typeof pullSchema>): readonly OwnReview[] {
  const own = reviews.nodes.flatMap((node) => {
    if (node === null || !node.viewerDidAuthor || !isMarked(node.body, { kind: 'review' })) return [];
    const { url, state, body, commit, submittedAt, author } = node;
    const by = timelineItems.nodes.findLast((one) => one?.review?.url === url)?.actor?.login;
    const isOverruled = by !== undefined && by !== author?.login;
    const at = submittedAt ?? undefined;
    return [{ id: idOf(url), url, state, body, headSha: commit?.oid, submittedAt: at, isOverruled }];
  });
  return own.reverse();
}

/**
 * Reads each issue or pull request once, whoever asks: what the prompt shows and what is learnt are then one state. What is
 * posted later is held against a reading of its own.
 */
export function readSubjectsOnce(client: GitHubClient) {
  const read = new Map<number, Promise<FoundSubject>>();
  return (place: SubjectPlace & { readonly isPull: boolean }, signal: AbortSignal) => {
    const pending = read.get(place.number) ?? fetchSubject(client, place, signal);
    read.set(place.number, pending);
    return pending;
  };
}
