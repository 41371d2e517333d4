import type { GitHubClient } from '../../../src/github/client/client.js';
import { GitHubError } from '../../../src/github/client/errors.js';
import type {
  GitHubComment,
  OwnReview,
  PullRequestConversation,
  Thread,
} from '../../../src/github/reading/conversation.js';
import { ours } from '../../helpers/seen.js';

/**
 * The account of the runs, somebody with write access, and a stranger who opened the pull request.
 */
export const BOT = 'axe[bot]';
export const WRITER = 'maria';
export const STRANGER = 'eve';

/** What goes wrong with the requests of one run. */
export type Fault = 'none' | 'unreadable' | 'lost' | 'unsure' | 'killed';

/** The job was ended in the middle of its requests. */
export class Killed extends Error {}

type Kept<T> = { -readonly [Key in keyof T]: T[Key] };
export type KeptPost = Kept<GitHubComment> & { thumbsDown: { login: string; at: string }[] };
export type KeptThread = Omit<Kept<Thread>, 'first' | 'replies'> & { posts: KeptPost[] };
export type KeptReview = Kept<OwnReview>;

/**
 * A pull request on GitHub, as far as findings show there: it takes reviews, replies and gestures,
 * and fails as it is told.
 */
export class GitHubOfFindings {
  threads: KeptThread[] = [];
  reviews: KeptReview[] = [];
  comments: KeptPost[] = [];
  head = 'sha-0';
  #ids = 0;
  #ms = Date.parse('2026-01-05T12:00:00Z');

  constructor(
    readonly canResolve: boolean,
    readonly author: string,
  ) {}

  /** Some time later: GitHub counts in whole seconds. */
  now(): Date {
    this.#ms += 2000;
    return new Date(this.#ms);
  }

  post(login: string, body: string): KeptPost {
    this.#ids += 1;
    const isBot = login === BOT;
    const of = {
      id: this.#ids,
      url: `#discussion_r${this.#ids}`,
      createdAt: this.now().toISOString(),
    };
    return { ...ours({ ...of, author: { login, isBot }, isOurs: isBot, body }), thumbsDown: [] };
  }

  seen(lineOf: (thread: KeptThread) => number | undefined): PullRequestConversation {
    return structuredClone({
      head: this.head,
      author: this.author,
      threads: this.threads.map((kept) => {
        kept.line = lineOf(kept);
        const { posts, ...thread } = kept;
        const [first, ...replies] = posts;
        return { ...thread, first: first as GitHubComment, replies };
      }),
      reviews: this.reviews.toReversed(),
      comments: this.comments,
    });
  }

  /** What a run works with; `lines` are the new files, of which a comment keeps its line. */
  client(fault: Fault, lines: ReadonlyMap<string, readonly string[]>): GitHubClient {
    let calls = 0;
    const call = <T>(work: () => T): T => {
      calls += 1;
      if (fault === 'killed' && calls > 2) throw new Killed();
      const fails = calls % 2 === 1;
      if (fault === 'lost' && fails) throw unavailable();
      const answer = work();
      if (fault === 'unsure' && fails) throw unavailable();
      return answer;
    };
    return {
      request: async (route, { params = {} }) => {
        const body = call(() => this.#answer(route, params, lines));
        return { status: 200, headers: {}, body };
      },
      graphql: async (query, { variables }) => {
        if (query.includes('esolveReviewThread')) {
          if (!this.canResolve) throw new GitHubError('no', { reason: 'denied', status: 403 });
          return call(() => this.#setThread(String(variables['id']), !query.includes('unresolve')));
        }
        return this.#pages();
      },
    };
  }

  #answer(
    route: string,
    params: Readonly<Record<string, unknown>>,
    lines: ReadonlyMap<string, readonly string[]>,
  ): unknown {
    switch (route) {
      case 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews':
        return this.#review(params, lines);
      case 'POST /repos/{owner}/{repo}/pulls/{pull_number}/comments/{comment_id}/replies': {
        const thread = this.threads.find(({ posts }) => posts[0]?.id === params['comment_id']);
        const post = this.post(BOT, String(params['body']));
        thread?.posts.push(post);
        return { id: post.id, html_url: post.url };
      }
      case 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}': {
        const review = this.reviews.find(({ id }) => id === params['review_id']);
        if (review !== undefined) review.body = String(params['body']);
        return {};
      }
      case 'PUT /repos/{owner}/{repo}/pulls/{pull_number}/reviews/{review_id}/dismissals': {
        const review = this.reviews.find(({ id }) => id === params['review_id']);
        if (review !== undefined) review.state = 'DISMISSED';
        return {};
      }
      default:
        throw new Error(`the fake knows no ${route}`);
    }
  }

  #review(
    params: Readonly<Record<string, unknown>>,
    lines: ReadonlyMap<string, readonly string[]>,
  ): unknown {
    const { id } = this.post(BOT, '');
    const comments = params['comments'] as {
      path: string;
      line: number;
      side: 'RIGHT';
      body: string;
    }[];
    const state = params['event'] === 'REQUEST_CHANGES' ? 'CHANGES_REQUESTED' : 'COMMENTED';
    const submittedAt = this.now().toISOString();
    const url = `#pullrequestreview-${id}`;
    this.reviews.push({
      id,
      url,
      state,
      body: String(params['body']),
      headSha: this.head,
      submittedAt,
    });
    for (const { path, line, side, body } of comments) {
      const first = this.post(BOT, body);
      const hunk = `@@ -1 +1 @@\n+${lines.get(path)?.[line - 1] ?? ''}`;
      const open = { isResolved: false, resolvedBy: undefined, reviewId: id, line };
      this.threads.push({ id: `t${first.id}`, path, side, hunk, posts: [first], ...open });
    }
    return { id, html_url: url };
  }

  #setThread(id: string, isResolved: boolean): unknown {
    const thread = this.threads.find((one) => one.id === id);
    if (thread !== undefined)
      Object.assign(thread, { isResolved, resolvedBy: isResolved ? BOT : undefined });
    return { done: { thread: { isResolved } } };
  }

  /** What is looked up after an answer that did not come. */
  #pages(): unknown {
    const pageInfo = {
      endCursor: null,
      startCursor: null,
      hasNextPage: false,
      hasPreviousPage: false,
    };
    const node = (post: KeptPost) => ({
      url: post.url,
      body: post.body,
      viewerDidAuthor: post.isOurs,
      createdAt: post.createdAt,
      lastEditedAt: null,
      authorAssociation: 'NONE',
      author: { __typename: 'User', login: post.author.login },
      editor: null,
      thumbsDown: { nodes: [] },
      diffHunk: '',
      pullRequestReview: null,
    });
    const threads = this.threads.map(({ posts, id, path }) => ({
      id,
      isResolved: false,
      resolvedBy: null,
      isOutdated: false,
      path,
      diffSide: 'RIGHT',
      line: 1,
      startLine: null,
      originalLine: 1,
      opening: { nodes: posts.slice(0, 1).map(node) },
      latest: { totalCount: posts.length, nodes: posts.map(node) },
    }));
    const reviews = this.reviews.map(({ url, body, state, submittedAt, headSha }) => {
      const ours = { viewerDidAuthor: true, author: { login: BOT }, commit: { oid: headSha } };
      return { url, body, state, submittedAt, ...ours };
    });
    const pages = {
      reviewThreads: { nodes: threads, pageInfo },
      reviews: { nodes: reviews, pageInfo },
    };
    return { repository: { pullRequest: { headRefOid: this.head, ...pages } } };
  }
}

function unavailable(): GitHubError {
  return new GitHubError('no answer', { reason: 'unavailable' });
}
