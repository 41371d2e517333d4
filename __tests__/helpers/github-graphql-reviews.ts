import type { Caller } from './github-answers.js';
import { diffLines, splitDiff, textAt } from './github-diff.js';
import { newSince } from './github-git.js';
import { actorNode, connection, forbidden, type GraphNode, missing } from './github-graph.js';
import { associationOf, fullName, html, pageOf } from './github-json.js';
import type { StoredPull, StoredRepo, StoredReview, StoredReviewComment } from './github-state.js';

const CHANGE_TYPES = {
  added: 'ADDED',
  removed: 'DELETED',
  modified: 'MODIFIED',
  renamed: 'RENAMED',
} as const;

/** The fields of a pull request that show its commits, its reviews and what it closes. */
export function reviewFields(repo: StoredRepo, pull: StoredPull, caller: Caller): GraphNode {
  const { viewer } = caller;
  const reviews = repo.talk.reviews.filter((one) => one.pull === pull.number);
  const visible = reviews.filter(({ state, author }) => state !== 'PENDING' || author === viewer);
  const dismissals = reviews.flatMap((review) => {
    if (review.dismissedBy === undefined) return [];
    const actor = actorNode(review.dismissedBy);
    const event = { __typename: 'ReviewDismissedEvent', id: `RDE_${review.id}`, actor };
    return [{ ...event, review: reviewNode(repo, review, viewer) }];
  });
  const drafts = new Set(reviews.filter(({ state }) => state === 'PENDING').map(({ id }) => id));
  const threads = repo.talk.reviewComments.filter(
    (one) => one.pull === pull.number && one.inReplyTo === undefined && !drafts.has(one.review),
  );
  return {
    headRefOid: pull.head.sha,
    headRefName: pull.head.ref,
    headRepository: pull.head.repository === null ? null : { nameWithOwner: pull.head.repository },
    baseRefOid: pull.base.sha,
    baseRefName: pull.base.ref,
    changedFiles: splitDiff(pull.diff).length,
    files: connection(() =>
      splitDiff(pull.diff).map(({ filename, status }) => ({
        path: filename,
        changeType: CHANGE_TYPES[status],
      })),
    ),
    reviews: connection(() => visible.map((review) => reviewNode(repo, review, viewer))),
    timelineItems: connection(() => dismissals),
    reviewThreads: connection(() =>
      threads.map((first) => threadNode(repo, { pull, first }, caller)),
    ),
    closingIssuesReferences: connection(() => closedBy(repo, pull)),
    commits: connection(() =>
      newSince(repo.git, pull.base.sha, pull.head.sha)
        .toReversed()
        .map(({ sha, message, author, committer }) => ({
          __typename: 'PullRequestCommit',
          id: `PRC_${sha}`,
          commit: {
            __typename: 'Commit',
            oid: sha,
            message,
            committedDate: committer.date,
            author: { name: author.name, user: { login: author.name } },
          },
        })),
    ),
  };
}

/** What can be done to a conversation on a line. Both take the right to write contents. */
export function threadMutations(caller: Caller): GraphNode {
  const change = (isResolved: boolean) => {
    return ({ input: { threadId } }: { input: { readonly threadId: string } }) => {
      for (const repo of caller.repos) {
        const { reviewComments, resolved } = repo.talk;
        const starts = reviewComments.filter(({ inReplyTo }) => inReplyTo === undefined);
        const first = starts.find(({ id }) => `PRRT_${id}` === threadId);
        const pull = repo.pulls.get(first?.pull ?? 0);
        if (first === undefined || pull === undefined) continue;
        if (caller.rightOf(repo) !== 'write') throw forbidden();
        if (isResolved) resolved.set(first.id, caller.viewer);
        else resolved.delete(first.id);
        return { thread: threadNode(repo, { pull, first }, caller) };
      }
      throw missing(`a node with the global id of '${threadId}'.`);
    };
  };
  return { resolveReviewThread: change(true), unresolveReviewThread: change(false) };
}

function reviewNode(repo: StoredRepo, review: StoredReview, viewer: string): GraphNode {
  return {
    __typename: 'PullRequestReview',
    id: `PRR_${review.id}`,
    url: pageOf.review(repo, review),
    body: review.body,
    state: review.state,
    author: actorNode(review.author),
    viewerDidAuthor: review.author === viewer,
    submittedAt: review.submittedAt,
    commit: { __typename: 'Commit', oid: review.commit },
  };
}

/** A thread follows its line while the pull request's diff shows it; then it is outdated. */
function threadNode(
  repo: StoredRepo,
  { pull, first }: { readonly pull: StoredPull; readonly first: StoredReviewComment },
  caller: Caller,
): GraphNode {
  const { viewer } = caller;
  const { reviewComments, resolved } = repo.talk;
  const comments = [first, ...reviewComments.filter(({ inReplyTo }) => inReplyTo === first.id)];
  const line = lineNow(pull, first);
  const resolver = resolved.get(first.id);
  return {
    __typename: 'PullRequestReviewThread',
    id: `PRRT_${first.id}`,
    isResolved: resolver !== undefined,
    viewerCanResolve: resolver === undefined && caller.rightOf(repo) === 'write',
    viewerCanUnresolve: resolver !== undefined && caller.rightOf(repo) === 'write',
    resolvedBy: resolver === undefined ? null : actorNode(resolver),
    isOutdated: line === null,
    path: first.path,
    diffSide: first.side,
    line,
    startLine:
      line === null || first.startLine === undefined ? null : first.startLine + line - first.line,
    originalLine: first.line,
    comments: connection(() => comments.map((comment) => commentNode(repo, comment, viewer))),
  };
}

function lineNow(pull: StoredPull, comment: StoredReviewComment): number | null {
  if (textAt(pull.diff, comment) === comment.text) return comment.line;
  const hunks = diffLines(pull.diff).get(comment.path) ?? [];
  const lines = hunks.flatMap((hunk) => [...hunk[comment.side]]);
  return lines.find(([, text]) => text === comment.text)?.[0] ?? null;
}

function commentNode(repo: StoredRepo, comment: StoredReviewComment, viewer: string): GraphNode {
  const { side, line, text } = comment;
  // An answer comes with a review of its own, which a test does not put there.
  const review =
    comment.inReplyTo === undefined && repo.talk.reviews.find(({ id }) => id === comment.review);
  const reactions = repo.talk.reactions.filter(
    ({ on, of }) => on === 'review-comment' && of === comment.id,
  );
  return {
    __typename: 'PullRequestReviewComment',
    id: `PRRC_${comment.id}`,
    url: pageOf.reviewComment(repo, comment),
    body: comment.body,
    pullRequestReview: review ? reviewNode(repo, review, viewer) : null,
    // The commented line alone, as the end of its hunk.
    diffHunk: `@@ -${line} +${line} @@\n${side === 'LEFT' ? '-' : '+'}${text}`,
    author: actorNode(comment.author),
    authorAssociation: associationOf(repo, comment.author),
    viewerDidAuthor: comment.author === viewer,
    createdAt: comment.createdAt,
    lastEditedAt: comment.editedAt,
    editor: comment.editedAt === null ? null : actorNode(comment.editor ?? comment.author),
    // Only 👎 is asked for.
    reactions: connection(() =>
      reactions
        .filter(({ content }) => content === '-1')
        .map(({ id, createdAt, author }) => ({
          id: `REA_${id}`,
          createdAt,
          user: actorNode(author),
        })),
    ),
  };
}

/** Issues of the repository that the description says it closes. */
function closedBy(repo: StoredRepo, pull: StoredPull): GraphNode[] {
  const mentions = (pull.body ?? '').matchAll(
    /\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?) #(\d+)/gi,
  );
  const numbers = new Set([...mentions].map(([, number]) => Number(number)));
  return [...numbers]
    .flatMap((number) => repo.issues.get(number) ?? [])
    .map(({ number, title, body, author }) => ({
      __typename: 'Issue',
      id: `Issue_${number}`,
      number,
      title,
      body: body ?? '',
      state: repo.talk.closedIssues.has(number) ? 'CLOSED' : 'OPEN',
      createdAt: '2026-01-02T03:04:05Z',
      lastEditedAt: repo.talk.edited.get(number) ?? null,
      url: `${html(repo)}/issues/${number}`,
      author: actorNode(author),
      repository: { __typename: 'Repository', nameWithOwner: fullName(repo) },
    }));
}
