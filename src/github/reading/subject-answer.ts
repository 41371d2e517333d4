import * as v from 'valibot';
import type { Actor, Base, Head } from '../../event/trigger.js';
import { isMarked } from '../../safety/mark.js';
import type { GitHubError } from '../client/errors.js';
import { checkedSchema, checksOf, type ReadChecks } from './checks.js';
import type { GitHubComment, OwnReview, PullRequestConversation, Thread } from './conversation.js';

/** An issue or pull request. Anybody can have written its titles and bodies. */
export interface FoundSubject {
  readonly title: string;
  readonly isOpen: boolean;
  /** The description. */
  readonly opening: { readonly author: string; readonly createdAt: string; readonly body: string };
  /** The newest hundred that nobody has hidden, oldest first. */
  readonly comments: readonly DatedComment[];
  readonly olderComments: number;
  /** Undefined for an issue. */
  readonly pull: PullSubject | undefined;
  /** False where there are more comments, reviews or conversations than were read. */
  readonly isComplete: boolean;
  /** The reason why only the openings of conversations were read, and no comments. */
  readonly openingsOnly?: GitHubError | undefined;
}

/** A pull request as it is now, with what people said on its lines and why it is there. */
export interface PullSubject {
  readonly head: Head;
  readonly base: Base;
  readonly changedFiles: number;
  /** Undefined where not all of them were read. */
  readonly changedPaths: readonly string[] | undefined;
  /** Everybody's, in the order of their beginning. */
  readonly threads: readonly ReviewThread[];
  /** The current token's, newest first, among the last fifty. */
  readonly reviews: readonly OwnReview[];
  /** Everybody's, oldest first, without drafts. */
  readonly allReviews: readonly {
    author: string;
    state: string;
    submittedAt: string;
    body: string;
  }[];
  /** Issues that it would close, at most twenty. */
  readonly linkedIssues: readonly LinkedIssue[] | GitHubError;
  /** Oldest first, at most a hundred. */
  readonly commits: readonly PullCommit[] | GitHubError;
  readonly commitsTotal: number;
  /** The checks of the commit that the reading names. */
  readonly checks: ReadChecks;
}

export interface DatedComment extends GitHubComment {
  /** When it was written, or changed last; ISO 8601 in UTC. */
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

type PullCommit = v.InferOutput<typeof commitSchema>;

/** An issue that a pull request would close. Title and body are its author's words. */
export type LinkedIssue = v.InferOutput<typeof linkedSchema>;

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

const commentSchema = v.object({
  url: v.string(),
  body: v.string(),
  viewerDidAuthor: v.boolean(),
  createdAt: v.string(),
  lastEditedAt: v.nullable(v.string()),
  authorAssociation: v.string(),
  author: accountSchema,
  editor: accountSchema,
  isMinimized: v.optional(v.boolean(), false),
  /** Read of openings alone. */
  thumbsDown: v.optional(nodesOf(v.object({ createdAt: v.string(), user: loginSchema }))),
});

const openingSchema = v.object({
  ...commentSchema.entries,
  diffHunk: v.string(),
  pullRequestReview: v.nullable(v.object({ url: v.string() })),
});

const threadSchema = v.object({
  id: v.string(),
  isResolved: v.boolean(),
  resolvedBy: loginSchema,
  viewerCanResolve: v.optional(v.boolean(), true),
  viewerCanUnresolve: v.optional(v.boolean(), true),
  isOutdated: v.boolean(),
  path: v.string(),
  diffSide: v.picklist(['LEFT', 'RIGHT']),
  line: v.nullable(v.number()),
  originalLine: v.nullable(v.number()),
  opening: nodesOf(openingSchema),
  latest: v.optional(nodesOf(commentSchema), { nodes: [] }),
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
  comments: v.optional(nodesOf(commentSchema), { nodes: [] }),
};

const threadsSchema = v.object({
  ...nodesOf(threadSchema).entries,
  pageInfo: v.object({ endCursor: v.nullable(v.string()), hasNextPage: v.boolean() }),
});

const commitSchema = v.pipe(
  v.object({
    oid: v.string(),
    message: v.string(),
    committedDate: v.string(),
    author: v.nullable(
      v.object({ name: v.nullable(v.string()), user: v.nullable(v.object({ login: v.string() })) }),
    ),
  }),
  // A login if GitHub knows the account, else the name that git has; it proves nothing.
  v.transform(({ oid: sha, message, committedDate: date, author }) => ({
    sha,
    message,
    date,
    author: author?.user?.login ?? author?.name ?? '',
  })),
);

const dismissalsSchema = v.optional(
  nodesOf(v.object({ actor: accountSchema, review: v.nullable(v.object({ url: v.string() })) })),
  { nodes: [] },
);

const pullSchema = v.object({
  __typename: v.literal('PullRequest'),
  headRefOid: v.string(),
  headRefName: v.string(),
  headRepository: v.nullable(v.object({ nameWithOwner: v.string() })),
  baseRefOid: v.string(),
  baseRefName: v.string(),
  changedFiles: v.number(),
  files: v.nullish(nodesOf(v.object({ path: v.string(), changeType: v.string() }))),
  ...openingEntries,
  reviewThreads: threadsSchema,
  reviews: nodesOf(reviewSchema),
  timelineItems: dismissalsSchema,
  closingIssuesReferences: v.nullish(nodesOf(linkedSchema)),
  commits: v.nullish(nodesOf(v.object({ commit: commitSchema }))),
});

const issueSchema = v.object({ __typename: v.literal('Issue'), ...openingEntries });

export const subjectSchema = v.object({
  repository: v.object({
    issueOrPullRequest: v.variant('__typename', [issueSchema, pullSchema]),
    checked: checkedSchema,
  }),
});

export const moreThreadsSchema = v.object({
  repository: v.object({ pullRequest: v.object({ reviewThreads: threadsSchema }) }),
});

const otherPullSchema = v.object({
  headRefOid: v.string(),
  author: accountSchema,
  reviewThreads: nodesOf(threadSchema),
  reviews: nodesOf(reviewSchema),
  timelineItems: dismissalsSchema,
  comments: nodesOf(commentSchema),
});

export const otherPullsSchema = v.object({
  repository: v.record(v.string(), v.nullable(otherPullSchema)),
});

type Threads = v.InferOutput<typeof threadsSchema>;

/** An answer of GitHub, with the conversations of further pages. */
export interface SubjectAnswer {
  readonly answer: v.InferOutput<typeof subjectSchema>['repository'];
  readonly threads: Threads['nodes'];
  readonly hasMoreThreads: boolean;
  /** Fields that GitHub refused by themselves. */
  readonly refused: ReadonlyMap<string, GitHubError>;
  readonly openingsOnly: GitHubError | undefined;
}

export function subjectOf(read: SubjectAnswer): FoundSubject {
  const { openingsOnly } = read;
  const subject = read.answer.issueOrPullRequest;
  const { title, closed, createdAt, body, author, comments } = subject;
  const olderComments = Math.max(0, comments.totalCount - comments.nodes.length);
  const common = {
    title,
    isOpen: !closed,
    opening: { author: author.login, createdAt, body },
    comments: comments.nodes.filter(({ isMinimized }) => !isMinimized).map(commentOf),
    olderComments,
    openingsOnly,
  };
  if (subject.__typename === 'Issue')
    return { ...common, pull: undefined, isComplete: olderComments === 0 };

  const { reviews } = subject;
  const hasAllReviews = reviews.totalCount <= reviews.nodes.length;
  const hasAll = !read.hasMoreThreads && olderComments === 0 && hasAllReviews;
  return {
    ...common,
    pull: pullOf(subject, read),
    isComplete: hasAll && openingsOnly === undefined,
  };
}

function pullOf(
  pull: v.InferOutput<typeof pullSchema>,
  { answer, threads, refused }: SubjectAnswer,
): PullSubject {
  const files = pull.files?.nodes ?? [];
  // GitHub names no path before a renaming here; the diff does.
  const isRenamed = files.some(({ changeType }) => changeType === 'RENAMED');
  const isListed = files.length === pull.changedFiles && !isRenamed;
  return {
    head: {
      sha: pull.headRefOid,
      ref: pull.headRefName,
      // A fork that is gone, or that the token does not see, is not a repository of ours.
      repository: pull.headRepository?.nameWithOwner ?? null,
    },
    base: { sha: pull.baseRefOid, ref: pull.baseRefName },
    changedFiles: pull.changedFiles,
    changedPaths: isListed ? files.map(({ path }) => path) : undefined,
    threads: threads.flatMap(threadOf),
    reviews: ownReviews(pull),
    allReviews: pull.reviews.nodes.flatMap(({ author, state, submittedAt, body }) =>
      submittedAt === null ? [] : [{ author: author.login, state, submittedAt, body }],
    ),
    linkedIssues:
      refused.get('closingIssuesReferences') ?? pull.closingIssuesReferences?.nodes ?? [],
    commits: refused.get('commits') ?? pull.commits?.nodes.map(({ commit }) => commit) ?? [],
    commitsTotal: pull.commits?.totalCount ?? 0,
    checks: checksOf(answer.checked, refused.get('checked')),
  };
}

/**
 * Reviews that the current token wrote, newest first, and whether somebody else dismissed them.
 * Nobody else's review is ever taken for one of ours, whatever it says.
 */
function ownReviews({
  reviews,
  timelineItems,
}: Pick<v.InferOutput<typeof pullSchema>, 'reviews' | 'timelineItems'>): readonly OwnReview[] {
  const submitted = reviews.nodes.filter(
    ({ viewerDidAuthor, body }) => viewerDidAuthor && isMarked(body, { kind: 'review' }),
  );
  return submitted.toReversed().map(({ url, state, body, commit, submittedAt, author }) => {
    const dismissal = timelineItems.nodes.findLast(({ review }) => review?.url === url);
    // An account that is gone cannot overrule.
    const critic = dismissal?.actor.login ?? 'ghost';
    const isOverruled = critic !== 'ghost' && critic !== author.login;
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

/** The conversations of another pull request, as far as they were read. */
export function conversationOf(
  pull: v.InferOutput<typeof otherPullSchema>,
): PullRequestConversation {
  const visible = pull.comments.nodes.filter(({ isMinimized }) => !isMinimized);
  return {
    head: pull.headRefOid,
    author: pull.author.login,
    threads: pull.reviewThreads.nodes.flatMap(threadOf),
    reviews: ownReviews(pull),
    comments: visible.map(commentOf),
  };
}

/** None where the first comment is hidden from the token. */
function threadOf(node: v.InferOutput<typeof threadSchema>): readonly ReviewThread[] {
  const [opening] = node.opening.nodes;
  if (opening === undefined) return [];
  const { id, isResolved, isOutdated, path, diffSide: side, latest } = node;
  const first = commentOf(opening);
  return [
    {
      id,
      isResolved,
      canTurn: isResolved ? node.viewerCanUnresolve : node.viewerCanResolve,
      resolvedBy: node.resolvedBy?.login,
      isOutdated,
      path,
      side,
      line: node.line ?? undefined,
      originalLine: node.originalLine ?? undefined,
      hunk: opening.diffHunk,
      first,
      reviewId: opening.pullRequestReview ? idFromUrl(opening.pullRequestReview.url) : undefined,
      replies: latest.nodes.map(commentOf).filter((reply) => reply.id !== first.id),
      repliesTotal: Math.max(0, latest.totalCount - 1),
    },
  ];
}

function commentOf(node: v.InferOutput<typeof commentSchema>): DatedComment {
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
    thumbsDown: node.thumbsDown?.nodes.flatMap((thumb) =>
      thumb.user === null ? [] : [{ login: thumb.user.login, at: thumb.createdAt }],
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
