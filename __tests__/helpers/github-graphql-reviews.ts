import { connection, type GraphNode, type PageArguments } from './github-connection.js';
import { diffLines } from './github-diff-lines.js';
import type { GraphQlFake } from './github-graphql-nodes.js';
import { fullName, html } from './github-objects.js';
import { associationOf, reviewCommentPage, reviewPage } from './github-review-objects.js';
import type { StoredReview, StoredReviewComment } from './github-review-state.js';
import { textAt } from './github-reviews.js';
import type { StoredPull, StoredRepo } from './github-state.js';
import { splitDiff } from './unified-diff.js';

/** The fields of a pull request that show its reviews and what it closes. */
export function reviewFields(repo: StoredRepo, pull: StoredPull, deps: GraphQlFake): GraphNode {
  const { reviews, reviewComments } = repo.talk;
  return {
    headRefOid: pull.head.sha,
    headRefName: pull.head.ref,
    headRepository: pull.head.repository === null ? null : { nameWithOwner: pull.head.repository },
    baseRefOid: pull.base.sha,
    baseRefName: pull.base.ref,
    changedFiles: splitDiff(pull.diff).length,
    reviews: (args: PageArguments) => {
      const visible = reviews.filter(
        (one) => one.pull === pull.number && (one.state !== 'PENDING' || one.author === deps.viewer),
      );
      return connection(
        visible.map((review) => reviewNode(repo, review, deps)),
        args,
      );
    },
    timelineItems: (args: PageArguments) =>
      connection(
        reviews
          .filter((one) => one.pull === pull.number && one.dismissedBy !== undefined)
          .map((review) => ({
            __typename: 'ReviewDismissedEvent',
            id: `RDE_${review.id}`,
            actor: actorNode(review.dismissedBy ?? ''),
            review: reviewNode(repo, review, deps),
          })),
        args,
      ),
    reviewThreads: (args: PageArguments) => {
      const first = reviewComments.filter((one) => one.pull === pull.number && one.inReplyTo === undefined);
      return connection(
        first
          .filter((one) => isSubmitted(repo, one))
          .map((one) => threadNode(repo, { pull, first: one }, deps)),
        args,
      );
    },
    closingIssuesReferences: (args: PageArguments) => connection(closedBy(repo, pull), args),
  };
}

/** GraphQL names a bot without the `[bot]` that the REST API adds. */
export function actorNode(login: string): GraphNode {
  return {
    __typename: login.endsWith('[bot]') ? 'Bot' : 'User',
    login: login.replace(/\[bot\]$/, ''),
  };
}

function reviewNode(repo: StoredRepo, review: StoredReview, { viewer }: GraphQlFake): GraphNode {
  return {
    __typename: 'PullRequestReview',
    id: `PRR_${review.id}`,
    url: reviewPage(repo, review),
    body: review.body,
    state: review.state,
    author: actorNode(review.author),
    viewerDidAuthor: review.author === viewer,
    submittedAt: review.submittedAt,
    commit: { __typename: 'Commit', id: `O_${review.commit}`, oid: review.commit },
  };
}

/** A thread follows its line while the pull request's diff shows it; then it is outdated. */
export function threadNode(
  repo: StoredRepo,
  { pull, first }: { readonly pull: StoredPull; readonly first: StoredReviewComment },
  deps: GraphQlFake,
): GraphNode {
  const { reviewComments, resolved } = repo.talk;
  const comments = [first, ...reviewComments.filter(({ inReplyTo }) => inReplyTo === first.id)];
  const line = lineNow(pull, first);
  const resolver = resolved.get(first.id);
  return {
    __typename: 'PullRequestReviewThread',
    id: `PRRT_${first.id}`,
    isResolved: resolver !== undefined,
    resolvedBy: resolver === undefined ? null : actorNode(resolver),
    isOutdated: line === null,
    path: first.path,
    diffSide: first.side,
    line,
    startLine: line === null || first.startLine === undefined ? null : first.startLine + line - first.line,
    originalLine: first.line,
    comments: (args: PageArguments) =>
      connection(
        comments.map((comment) => commentNode(repo, comment, deps)),
        args,
      ),
  };
}

function reviewOf(repo: StoredRepo, comment: StoredReviewComment, deps: GraphQlFake): GraphNode | null {
  const review = comment.inReplyTo === undefined && repo.talk.reviews.find(({ id }) => id === comment.review);
  return review ? reviewNode(repo, review, deps) : null;
}

function lineNow(pull: StoredPull, comment: StoredReviewComment): number | null {
  if (textAt(pull.diff, comment) === comment.text) return comment.line;
  const hunks = diffLines(pull.diff).get(comment.path) ?? [];
  const lines = hunks.flatMap((hunk) => [...hunk[comment.side]]);
  return lines.find(([, text]) => text === comment.text)?.[0] ?? null;
}

function commentNode(repo: StoredRepo, comment: StoredReviewComment, deps: GraphQlFake): GraphNode {
  const { viewer } = deps;
  const reactions = repo.talk.reactions.filter(({ on, of }) => on === 'review-comment' && of === comment.id);
  return {
    __typename: 'PullRequestReviewComment',
    id: `PRRC_${comment.id}`,
    url: reviewCommentPage(repo, comment),
    body: comment.body,
    // An answer comes with a review of its own, which the fake does not keep.
    pullRequestReview: reviewOf(repo, comment, deps),
    diffHunk: hunkOf(comment),
    author: actorNode(comment.author),
    authorAssociation: associationOf(repo, comment.author),
    viewerDidAuthor: comment.author === viewer,
    createdAt: comment.createdAt,
    lastEditedAt: comment.editedAt,
    editor: comment.editedAt === null ? null : actorNode(comment.editor ?? comment.author),
    // Only 👎 is asked for.
    reactions: (args: PageArguments) => {
      const nodes = reactions
        .filter(({ content }) => content === '-1')
        .map((one) => ({ id: `REA_${one.id}`, createdAt: one.createdAt, user: actorNode(one.author) }));
      return connection(nodes, args);
    },
  };
}

/** The commented line alone, as the end of its hunk. */
function hunkOf({ side, line, text }: StoredReviewComment): string {
  return `@@ -${line} +${line} @@\n${side === 'LEFT' ? '-' : '+'}${text}`;
}

function isSubmitted(repo: StoredRepo, comment: StoredReviewComment): boolean {
  return repo.talk.reviews.find(({ id }) => id === comment.review)?.state !== 'PENDING';
}

/** Issues of the repository that the description says it closes. */
function closedBy(repo: StoredRepo, pull: StoredPull): GraphNode[] {
  const mentions = (pull.body ?? '').matchAll(/\b(?:close[sd]?|fix(?:es|ed)?|resolve[sd]?) #(\d+)/gi);
  const numbers = new Set([...mentions].map(([, number]) => Number(number)));
  return [...numbers].flatMap((number) => {
    const issue = repo.issues.get(number);
    if (issue === undefined) return [];
    return [
      {
        __typename: 'Issue',
        id: `Issue_${number}`,
        number,
        title: issue.title,
        body: issue.body ?? '',
        state: repo.talk.closedIssues.has(number) ? 'CLOSED' : 'OPEN',
        createdAt: '2026-01-02T03:04:05Z',
        lastEditedAt: repo.talk.edited.get(number) ?? null,
        url: `${html(repo)}/issues/${number}`,
        author: actorNode(issue.author),
        repository: { __typename: 'Repository', id: fullName(repo), nameWithOwner: fullName(repo) },
      },
    ];
  });
}
