/** The number of items to ask for at once, of each list. */
export interface PageSize {
  readonly comments: number;
  readonly threads: number;
  readonly replies: number;
}

/**
 * GitHub bills the pages of all lists, full or not: 1 + 3 × 40 for the conversations with their
 * openings, replies and thumbs, and 7 more, is 128, and 150 would be the second point (GraphQL API,
 * "Rate limits and query limits").
 */
export const FULL_PAGE: PageSize = { comments: 100, threads: 40, replies: 50 };

/** The size for conversations without their replies, which cost most. */
export const OPENINGS_PAGE: PageSize = { comments: 2, threads: 20, replies: 2 };

const PLACE = '$owner: String!, $name: String!, $number: Int!';
const PAGE = '$threads: Int!, $after: String';

const OPENING = 'title body closed createdAt author { __typename login }';
const COMMENTS = 'comments(last: $comments) { totalCount nodes { ...belowSubject } }';
const COMMITS_OF_PULL =
  'headRefOid headRefName headRepository { nameWithOwner } baseRefOid baseRefName changedFiles';

const FILES = 'files(first: 50) { nodes { path changeType } }';

const THREAD = `id isResolved isOutdated path diffSide line originalLine
  viewerCanResolve viewerCanUnresolve
  resolvedBy { login }
  opening: comments(first: 1) {
    nodes { ...onLine diffHunk pullRequestReview { url } ...thumbs }
  }`;

/** The opening comment and the newest replies, since only these matter in a long conversation. */
const THREADS = `reviewThreads(first: $threads, after: $after) {
  nodes { ${THREAD} latest: comments(last: $replies) { totalCount nodes { ...onLine } } }
  pageInfo { endCursor hasNextPage }
}`;

const OPENINGS = `reviewThreads(first: $threads, after: $after) {
  nodes { ${THREAD} }
  pageInfo { endCursor hasNextPage }
}`;

const REVIEW =
  'url body state submittedAt viewerDidAuthor author { __typename login } commit { oid }';

const DISMISSALS = `timelineItems(last: 20, itemTypes: [REVIEW_DISMISSED_EVENT]) {
  nodes { ... on ReviewDismissedEvent { actor { __typename login } review { url } } }
}`;

const LINKED_ISSUES = `closingIssuesReferences(first: 20) {
  nodes {
    number title body state createdAt lastEditedAt
    author { __typename login }
    repository { nameWithOwner }
  }
}`;

const COMMITS = `commits(first: $comments) {
  totalCount
  nodes { commit { oid message committedDate author { name user { login } } } }
}`;

const CHECKS = `statusCheckRollup {
  contexts(first: $checks, after: $afterCheck) {
    nodes {
      __typename
      ... on CheckRun {
        name externalId conclusion status title summary detailsUrl
        checkSuite { app { slug } workflowRun { event } }
      }
      ... on StatusContext { context state description }
    }
    pageInfo { endCursor hasNextPage }
  }
}`;

const BELOW_SUBJECT = `fragment belowSubject on IssueComment {
  url body viewerDidAuthor createdAt lastEditedAt isMinimized authorAssociation
  author { __typename login }
  editor { __typename login }
}`;

/** Thumbs are read only of openings: below the replies they would cost 25 points more. */
const ON_LINE = `fragment onLine on PullRequestReviewComment {
  url body viewerDidAuthor createdAt lastEditedAt authorAssociation
  author { __typename login }
  editor { __typename login }
}
fragment thumbs on PullRequestReviewComment {
  thumbsDown: reactions(first: 20, content: THUMBS_DOWN) { nodes { createdAt user { login } } }
}`;

const WHOLE_PULL = `${OPENING} ${COMMENTS} ${COMMITS_OF_PULL} ${FILES} ${THREADS}
      reviews(last: $comments) { totalCount nodes { ${REVIEW} } }
      ${DISMISSALS} ${LINKED_ISSUES} ${COMMITS}`;

export const ISSUE_QUERY = `query (${PLACE}, $comments: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest: issue(number: $number) { __typename ${OPENING} ${COMMENTS} }
  }
}
${BELOW_SUBJECT}`;

/** A pull request, and the checks of a commit. */
export const PULL_QUERY = `query (
  ${PLACE}, $comments: Int!, ${PAGE}, $replies: Int!,
  $head: GitObjectID!, $checks: Int!, $afterCheck: String
) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest: pullRequest(number: $number) { __typename ${WHOLE_PULL} }
    checked: object(oid: $head) { ... on Commit { ${CHECKS} } }
  }
}
${BELOW_SUBJECT}
${ON_LINE}`;

/** For a tool whose model gives a number and does not say of what. */
export const EITHER_QUERY = `query (${PLACE}, $comments: Int!, ${PAGE}, $replies: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      __typename
      ... on Issue { ${OPENING} ${COMMENTS} }
      ... on PullRequest { ${WHOLE_PULL} }
    }
  }
}
${BELOW_SUBJECT}
${ON_LINE}`;

/** Everything a review cannot do without: the findings, and the state of their conversations. */
export const OPENINGS_QUERY = `query (${PLACE}, ${PAGE}) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest: pullRequest(number: $number) {
      __typename ${OPENING} ${COMMITS_OF_PULL} ${OPENINGS}
      reviews(last: $threads) { totalCount nodes { ${REVIEW} } }
    }
  }
}
${ON_LINE}`;

/**
 * The newest of what was said on other pull requests. Each costs 1 + 3 × 20 lists for its
 * conversations and 3 more, so five of them cost three points.
 */
export function otherPullsQuery(count: number): string {
  const indexes = Array.from({ length: count }, (_, index) => index);
  const numbers = indexes.map((index) => `$pull${index}: Int!`).join(', ');
  const pulls = indexes.map(
    (index) => `pull${index}: pullRequest(number: $pull${index}) { ...answered }`,
  );
  return `query ($owner: String!, $name: String!, ${numbers}) {
  repository(owner: $owner, name: $name) { ${pulls.join(' ')} }
}
fragment answered on PullRequest {
  headRefOid
  author { __typename login }
  reviewThreads(last: 20) {
    nodes { ${THREAD} latest: comments(last: 50) { totalCount nodes { ...onLine } } }
  }
  reviews(last: 20) { totalCount nodes { ${REVIEW} } }
  ${DISMISSALS}
  comments(last: 20) { totalCount nodes { ...belowSubject } }
}
${BELOW_SUBJECT}
${ON_LINE}`;
}

export const MORE_THREADS_QUERY = `query (${PLACE}, ${PAGE}, $replies: Int!) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${THREADS} } }
}
${ON_LINE}`;

export const MORE_OPENINGS_QUERY = `query (${PLACE}, ${PAGE}) {
  repository(owner: $owner, name: $name) { pullRequest(number: $number) { ${OPENINGS} } }
}
${ON_LINE}`;

export const CHECKS_QUERY = `query (
  $owner: String!, $name: String!, $head: GitObjectID!, $checks: Int!, $afterCheck: String
) {
  repository(owner: $owner, name: $name) {
    checked: object(oid: $head) { ... on Commit { ${CHECKS} } }
  }
}`;
