import * as v from 'valibot';
import type { Actor, Base, Head } from '../../event/trigger.js';
import { isMarked } from '../../safety/mark.js';
import { askGraphQl, type SubjectPlace, unexpectedAnswer } from '../client/ask.js';
import type { GitHubClient } from '../client/client.js';
import { type GitHubError, GRAPHQL } from '../client/errors.js';
import type { GitHubComment, OwnReview, Thread } from './conversation.js';

/**
 * What is around an issue or pull request. Titles and bodies are somebody's words, not to be
 * trusted.
 */
export interface FoundSubject {
  readonly title: string;
  readonly isOpen: boolean;
  /** The description. */
  readonly opening: { readonly author: string; readonly createdAt: string; readonly body: string };
  /** The newest hundred, oldest first. */
  readonly comments: readonly DatedComment[];
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
  /** Everybody's, in the order of their beginning. */
  readonly threads: readonly ReviewThread[];
  /** Of the current token, newest first, among the last fifty. */
  readonly reviews: readonly OwnReview[];
  /** Everybody's, oldest first, without drafts. */
  readonly allReviews: readonly { author: string; state: string; at: string; body: string }[];
  /** Those that it would close, at most twenty. */
  readonly linkedIssues: readonly LinkedIssue[] | GitHubError;
}

/** What somebody wrote, and when it was written, or changed last; ISO 8601 in UTC. */
export interface DatedComment extends GitHubComment {
  readonly changedAt: string;
}

/** A conversation on a line of a pull request. */
export interface ReviewThread extends Thread {
  /** The line was changed after the thread began. */
  readonly isOutdated: boolean;
  /** In the diff the thread began on. */
  readonly originalLine: number | undefined;
  readonly first: DatedComment;
  readonly replies: readonly DatedComment[];
  readonly repliesTotal: number;
}

/** An issue that a pull request would close. Title and body are its author's words. */
export type LinkedIssue = v.InferOutput<typeof linkedSchema>;

const OPENING =
  'title body closed createdAt author { __typename login } comments(last: 100) { totalCount nodes { ...said } }';

/**
 * Of a thread the first comment by itself, and the newest ones, since only these matter of a long
 * one.
 */
const SUBJECT_QUERY = `query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      __typename
      ... on Issue { ${OPENING} }
      ... on PullRequest {
        ${OPENING}
        headRefOid headRefName headRepository { nameWithOwner } baseRefOid baseRefName changedFiles
        reviewThreads(first: 50, after: $after) {
          nodes {
            id isResolved isOutdated path diffSide line originalLine
            resolvedBy { login }
            opening: comments(first: 1) { nodes { ...onLine diffHunk pullRequestReview { url } } }
            latest: comments(last: 50) { totalCount nodes { ...onLine } }
          }
          pageInfo { endCursor hasNextPage }
        }
        reviews(last: 100) { totalCount nodes { url body state submittedAt viewerDidAuthor author { __typename login } commit { oid } } }
        timelineItems(last: 20, itemTypes: [REVIEW_DISMISSED_EVENT]) {
          nodes { ... on ReviewDismissedEvent { actor { __typename login } review { url } } }
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
fragment onLine on PullRequestReviewComment {
  url body viewerDidAuthor createdAt lastEditedAt authorAssociation
  author { __typename login }
  editor { __typename login }
  thumbsDown: reactions(first: 20, content: THUMBS_DOWN) { nodes { createdAt user { login } } }
}`;

/**
 * An account as events and the REST API name it: GraphQL leaves out a bot's `[bot]`, and a deleted
 * account.
 */
const accountSchema = v.pipe(
  v.nullable(v.object({ __typename: v.string(), login: v.string() })),
  v.transform((account): Actor => {
    if (account === null) return { login: 'ghost', isBot: false };
    const { __typename, login } = account;
    if (__typename !== 'Bot') return { login, isBot: false };
    return { login: `${login.replace(/\[bot\]$/, '')}[bot]`, isBot: true };
  }),
);

const loginSchema = v.nullable(v.object({ login: v.string() }));

/** The nodes of a list that the token may see. */
function nodesOf<Output>(schema: v.GenericSchema<unknown, Output>) {
  const nodes = v.pipe(
    v.array(v.nullable(schema)),
    v.transform((all) => all.filter((node) => node !== null)),
  );
  return v.object({ totalCount: v.optional(v.number(), 0), nodes });
}

/** What is read of everything that somebody wrote below an issue or pull request, or on a line. */
const saidSchema = v.object({
  url: v.string(),
  body: v.string(),
  viewerDidAuthor: v.boolean(),
  createdAt: v.string(),
  lastEditedAt: v.nullable(v.string()),
  authorAssociation: v.string(),
  author: accountSchema,
  editor: accountSchema,
  isMinimized: v.optional(v.boolean(), false),
  thumbsDown: v.optional(nodesOf(v.object({ createdAt: v.string(), user: loginSchema })), {
    nodes: [],
  }),
});

const openingSchema = v.object({
  ...saidSchema.entries,
  diffHunk: v.string(),
  pullRequestReview: v.nullable(v.object({ url: v.string() })),
});

const threadSchema = v.object({
  id: v.string(),
  isResolved: v.boolean(),
  resolvedBy: loginSchema,
  isOutdated: v.boolean(),
  path: v.string(),
  diffSide: v.picklist(['LEFT', 'RIGHT']),
  line: v.nullable(v.number()),
  originalLine: v.nullable(v.number()),
  opening: nodesOf(openingSchema),
  latest: nodesOf(saidSchema),
});

const reviewSchema = v.object({
  url: v.string(),
  body: v.string(),
  state: v.picklist(['APPROVED', 'CHANGES_REQUESTED', 'COMMENTED', 'DISMISSED', 'PENDING']),
  submittedAt: v.nullable(v.string()),
  viewerDidAuthor: v.boolean(),
  author: accountSchema,
  commit: v.nullable(v.object({ oid: v.string() })),
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
  v.transform(({ state, createdAt, lastEditedAt, repository, ...words }) => ({
    ...words,
    repository: repository.nameWithOwner,
    isOpen: state === 'OPEN',
    changedAt: lastEditedAt ?? createdAt,
  })),
);

const openingEntries = {
  title: v.string(),
  body: v.string(),
  closed: v.boolean(),
  createdAt: v.string(),
  author: accountSchema,
  comments: nodesOf(saidSchema),
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
  reviewThreads: v.object({
    ...nodesOf(threadSchema).entries,
    pageInfo: v.object({ endCursor: v.nullable(v.string()), hasNextPage: v.boolean() }),
  }),
  reviews: nodesOf(reviewSchema),
  timelineItems: nodesOf(
    v.object({ actor: accountSchema, review: v.nullable(v.object({ url: v.string() })) }),
  ),
  closingIssuesReferences: v.nullable(nodesOf(linkedSchema)),
});

const issueSchema = v.object({ __typename: v.literal('Issue'), ...openingEntries });
const subjectSchema = v.object({
  repository: v.object({ issueOrPullRequest: v.variant('__typename', [issueSchema, pullSchema]) }),
});

/** Pages of review threads: a thousand of them. */
const MAX_PAGES = 20;

/**
 * What is around an issue or pull request, in one request: the newest hundred comments that nobody
 * has hidden, and of a pull request what it is now, its review threads and the issues it would
 * close. More than fifty threads take further requests. Throws a GitHubError.
 */
export async function fetchSubject(
  client: GitHubClient,
  place: SubjectPlace & { /** Left out where nobody knows. */ readonly isPull?: boolean },
  signal: AbortSignal,
): Promise<FoundSubject> {
  const { owner, name } = place.repository;
  const permission = PERMISSIONS[`${place.isPull}`];
  let refused: GitHubError | undefined;
  const mayLack = {
    field: 'closingIssuesReferences',
    onLack: (error: GitHubError) => {
      refused = error.withPermission(['issues: read']);
    },
  };
  async function ask(after: string | null) {
    const variables = { owner, name, number: place.number, after };
    return await askGraphQl(
      client,
      { query: SUBJECT_QUERY, variables, permission, mayLack: [mayLack] },
      subjectSchema,
      signal,
    );
  }
  const subject = (await ask(null)).repository.issueOrPullRequest;
  const { title, closed, createdAt, body, author, comments } = subject;
  const olderComments = Math.max(0, comments.totalCount - comments.nodes.length);
  const about = {
    title,
    isOpen: !closed,
    opening: { author: author.login, createdAt, body },
    comments: comments.nodes.filter(({ isMinimized }) => !isMinimized).map(postOf),
    olderComments,
  };
  if (subject.__typename === 'Issue')
    return { ...about, pull: undefined, isComplete: olderComments === 0 };
  const { reviews } = subject;
  const threads = [...subject.reviewThreads.nodes];
  let { pageInfo } = subject.reviewThreads;
  for (let pages = 1; pageInfo.hasNextPage && pages < MAX_PAGES; pages += 1) {
    const more = (await ask(pageInfo.endCursor)).repository.issueOrPullRequest;
    if (more.__typename === 'Issue') throw unexpectedAnswer(GRAPHQL);
    threads.push(...more.reviewThreads.nodes);
    ({ pageInfo } = more.reviewThreads);
  }
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
      threads: threads.flatMap(threadOf),
      reviews: ownReviews(subject),
      allReviews: reviews.nodes.flatMap((review) => {
        const { state, submittedAt: at } = review;
        return at === null ? [] : [{ author: review.author.login, state, at, body: review.body }];
      }),
      linkedIssues: refused ?? subject.closingIssuesReferences?.nodes ?? [],
    },
    isComplete:
      !pageInfo.hasNextPage && olderComments === 0 && reviews.totalCount <= reviews.nodes.length,
  };
}

/** A pull request as it is now. Throws a GitHubError. */
export async function fetchPull(
  client: GitHubClient,
  { repository, number }: SubjectPlace,
  signal: AbortSignal,
): Promise<PullSubject> {
  const { pull } = await fetchSubject(client, { repository, number, isPull: true }, signal);
  if (pull === undefined) throw unexpectedAnswer(GRAPHQL);
  return pull;
}

const PERMISSIONS = {
  true: 'pull-requests: read',
  false: 'issues: read',
  undefined: 'issues: read or pull-requests: read',
};

/**
 * Reviews that the current token wrote, newest first, and whether somebody else dismissed them.
 * Nobody else's review is ever taken for one of ours, whatever it says.
 */
function ownReviews({
  reviews,
  timelineItems,
}: v.InferOutput<typeof pullSchema>): readonly OwnReview[] {
  const own = reviews.nodes.filter(
    ({ viewerDidAuthor, body }) => viewerDidAuthor && isMarked(body, { kind: 'review' }),
  );
  return own.toReversed().map(({ url, state, body, commit, submittedAt, author }) => {
    const dismissal = timelineItems.nodes.findLast(({ review }) => review?.url === url);
    // Whoever is gone is nobody who may overrule.
    const by = dismissal?.actor.login ?? 'ghost';
    const isOverruled = by !== 'ghost' && by !== author.login;
    return {
      id: idFromUrl(url),
      url,
      state,
      body,
      headSha: commit?.oid,
      submittedAt: submittedAt ?? undefined,
      isOverruled,
    };
  });
}

/**
 * Reads each issue or pull request once, whoever asks: what the prompt shows and what is learnt are
 * then one state. What is posted later is held against a reading of its own.
 */
export function readSubjectsOnce(client: GitHubClient) {
  const read = new Map<number, Promise<FoundSubject>>();
  return (place: SubjectPlace & { readonly isPull: boolean }, signal: AbortSignal) => {
    const pending = read.get(place.number) ?? fetchSubject(client, place, signal);
    read.set(place.number, pending);
    return pending;
  };
}

/** None where the first comment is hidden from the token. */
function threadOf(node: v.InferOutput<typeof threadSchema>): readonly ReviewThread[] {
  const [opening] = node.opening.nodes;
  if (opening === undefined) return [];
  const { id, isResolved, isOutdated, path, diffSide: side, latest } = node;
  const first = postOf(opening);
  return [
    {
      id,
      isResolved,
      resolvedBy: node.resolvedBy?.login,
      isOutdated,
      path,
      side,
      line: node.line ?? undefined,
      originalLine: node.originalLine ?? undefined,
      hunk: opening.diffHunk,
      first,
      reviewId: opening.pullRequestReview ? idFromUrl(opening.pullRequestReview.url) : undefined,
      replies: latest.nodes.map(postOf).filter((reply) => reply.id !== first.id),
      repliesTotal: Math.max(0, latest.totalCount - 1),
    },
  ];
}

function postOf(node: v.InferOutput<typeof saidSchema>): DatedComment {
  const { url, authorAssociation, body, createdAt, lastEditedAt, author, editor } = node;
  return {
    id: idFromUrl(url),
    url,
    author,
    authorAssociation,
    isOurs: node.viewerDidAuthor,
    body,
    createdAt,
    changedAt: lastEditedAt ?? createdAt,
    isEditedByOther: lastEditedAt !== null && author.login !== editor.login,
    thumbsDown: node.thumbsDown.nodes.flatMap(({ user, createdAt: at }) =>
      user === null ? [] : [{ login: user.login, at }],
    ),
  };
}

/**
 * The number at the end of a URL: `databaseId` is too small for today's, and older servers do not
 * have `fullDatabaseId`.
 */
export function idFromUrl(url: string): number {
  return Number(/\d+$/.exec(url)?.[0]);
}
