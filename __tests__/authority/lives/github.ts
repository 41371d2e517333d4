import type { GitHubClient } from '../../../src/github/client/client.js';
import { GitHubError } from '../../../src/github/client/errors.js';
import type { Wire } from './wire.js';

/** The number of the pull request. */
export const PULL = 12;

/** The account of all runs; GraphQL leaves out its `[bot]`. */
export const BOT = 'axe[bot]';
/** Has write access. */
export const WRITER = 'maria';
/** Has write access too, and opens pull requests. */
export const AUTHOR = 'ada';
/** Has none. */
export const STRANGER = 'eve';

const WRITERS: readonly string[] = [WRITER, AUTHOR];

/** A comment, or a reply in a conversation. */
export interface Post {
  readonly id: number;
  readonly login: string;
  readonly at: string;
  body: string;
  /** The account that changed it last; left out: nobody did. */
  editor?: string;
  thumbs: { readonly login: string; readonly at: string }[];
}

export interface Conversation {
  readonly id: string;
  readonly path: string;
  readonly reviewId: number;
  /** The text of the line on which it began. */
  readonly code: string;
  /** In the newest commit; undefined where the line is not there. */
  line: number | undefined;
  resolvedBy: string | undefined;
  posts: Post[];
}

export interface Review {
  readonly id: number;
  readonly login: string;
  readonly at: string;
  readonly head: string;
  state: 'COMMENTED' | 'CHANGES_REQUESTED' | 'DISMISSED';
  body: string;
  /** The account that dismissed it. */
  dismissedBy?: string;
}

interface Check {
  readonly id: number;
  readonly name: string;
  readonly head: string;
  conclusion: string | null;
  title: string;
}

type Params = Readonly<Record<string, unknown>>;

/**
 * A pull request on GitHub, as far as findings appear there: it takes reviews, replies, gestures and
 * checks, and answers the client's own requests.
 */
export class PullRequestOnGitHub {
  conversations: Conversation[] = [];
  readonly reviews: Review[] = [];
  readonly comments: Post[] = [];
  readonly checks: Check[] = [];
  head = '';
  #ids = 0;
  #ms = Date.parse('2026-01-05T12:00:00Z');

  constructor(
    readonly author: string,
    /** The token may resolve and open conversations. */
    readonly canResolve: boolean,
    /** The text of a line of a commit. */
    readonly lineOf: (commit: string, path: string, line: number) => string,
  ) {}

  /** Some time later: GitHub counts in whole seconds. */
  now(): Date {
    this.#ms += 2000;
    return new Date(this.#ms);
  }

  newId(): number {
    this.#ids += 1;
    return this.#ids;
  }

  post(login: string, body: string): Post {
    return { id: this.newId(), login, at: this.now().toISOString(), body, thumbs: [] };
  }

  /** The newest check of an agent on a commit. */
  checkOf(agent: string, head: string): Check | undefined {
    return this.checks.findLast((check) => check.name === agent && check.head === head);
  }

  client(wire: Wire): GitHubClient {
    return {
      request: async (route, { params = {} }) => {
        if (route.startsWith('GET ')) return { body: this.#read(route, params) };
        return { body: wire.call(() => this.#write(route, params)) };
      },
      download: async (route) => {
        throw new GitHubError(`${route}: nothing to download`, { reason: 'missing' });
      },
      graphql: async (query, { variables }) => {
        if (!query.includes('esolveReviewThread')) return { repository: this.#subject() };
        if (!this.canResolve)
          throw new GitHubError('not accessible', { reason: 'denied', status: 403 });
        const isResolved = !query.includes('unresolve');
        return wire.call(() => this.#setResolved(String(variables['id']), isResolved));
      },
    };
  }

  #read(route: string, params: Params): unknown {
    if (route.endsWith('/permission')) {
      const mayWrite = WRITERS.includes(String(params['username']));
      return { permission: mayWrite ? 'write' : 'read', role_name: '' };
    }
    const named = this.checks.filter(
      ({ name, head }) => name === params['check_name'] && head === params['ref'],
    );
    return { check_runs: named.map(checkAnswer) };
  }

  #write(route: string, params: Params): unknown {
    const body = String(params['body']);
    const review = this.reviews.find(({ id }) => id === params['review_id']);
    switch (route.replace('/repos/{owner}/{repo}', '')) {
      case 'POST /pulls/{pull_number}/reviews':
        return this.#addReview(params);
      case 'POST /pulls/{pull_number}/comments/{comment_id}/replies': {
        const isMeant = ({ posts: [first] }: Conversation) => first?.id === params['comment_id'];
        const post = this.post(BOT, body);
        this.conversations.find(isMeant)?.posts.push(post);
        return { id: post.id, html_url: urlOf(post.id) };
      }
      case 'PUT /pulls/{pull_number}/reviews/{review_id}':
        if (review !== undefined) review.body = body;
        return {};
      case 'PUT /pulls/{pull_number}/reviews/{review_id}/dismissals':
        if (review !== undefined) Object.assign(review, { state: 'DISMISSED', dismissedBy: BOT });
        return {};
      case 'POST /check-runs': {
        const head = String(params['head_sha']);
        return this.#setCheck({ id: this.newId(), name: String(params['name']), head }, params);
      }
      case 'PATCH /check-runs/{check_run_id}': {
        const check = this.checks.find(({ id }) => id === params['check_run_id']);
        return check === undefined ? {} : this.#setCheck(check, params);
      }
      default:
        throw new Error(`the pull request knows no ${route}`);
    }
  }

  #addReview(params: Params): unknown {
    const id = this.newId();
    const state = params['event'] === 'REQUEST_CHANGES' ? 'CHANGES_REQUESTED' : 'COMMENTED';
    const head = String(params['commit_id']);
    const at = this.now().toISOString();
    this.reviews.push({ id, login: BOT, at, head, state, body: String(params['body']) });

    const comments = params['comments'] as readonly { path: string; line: number; body: string }[];
    for (const { path, line, body } of comments) {
      const first = this.post(BOT, body);
      this.conversations.push({
        id: `thread-${first.id}`,
        path,
        line,
        reviewId: id,
        code: this.lineOf(head, path, line),
        resolvedBy: undefined,
        posts: [first],
      });
    }
    return { id, html_url: urlOf(id) };
  }

  #setCheck(check: Pick<Check, 'id' | 'name' | 'head'>, params: Params): unknown {
    const { title = '' } = (params['output'] ?? {}) as { readonly title?: string };
    const set = { ...check, title, conclusion: (params['conclusion'] as string) ?? null };
    const index = this.checks.findIndex(({ id }) => id === check.id);
    this.checks.splice(index < 0 ? this.checks.length : index, 1, set);
    return checkAnswer(set);
  }

  #setResolved(id: string, isResolved: boolean): unknown {
    const conversation = this.conversations.find((each) => each.id === id);
    if (conversation !== undefined) conversation.resolvedBy = isResolved ? BOT : undefined;
    return { done: { thread: { isResolved } } };
  }

  /** The pull request as GraphQL gives it. */
  #subject() {
    const dismissed = this.reviews.filter(({ dismissedBy }) => dismissedBy !== undefined);
    return {
      issueOrPullRequest: {
        __typename: 'PullRequest',
        title: 'Load keys',
        body: '',
        closed: false,
        createdAt: '2026-01-05T11:00:00Z',
        author: accountNode(this.author),
        headRefOid: this.head,
        headRefName: 'keys',
        headRepository: { nameWithOwner: 'octocat/hello' },
        baseRefOid: 'base',
        baseRefName: 'main',
        changedFiles: 1,
        comments: list(this.comments.map(postNode)),
        reviewThreads: {
          ...list(this.conversations.map((each) => this.#threadNode(each))),
          pageInfo: { endCursor: null, hasNextPage: false },
        },
        reviews: list(this.reviews.map(reviewNode)),
        timelineItems: list(
          dismissed.map(({ id, dismissedBy = '' }) => ({
            actor: accountNode(dismissedBy),
            review: { url: urlOf(id) },
          })),
        ),
      },
      checked: null,
    };
  }

  #threadNode({ id, path, line, code, reviewId, resolvedBy, posts }: Conversation) {
    // Under a first comment that was deleted GitHub shows the next one.
    const openings = posts.slice(0, 1).map((post) => ({
      ...postNode(post),
      diffHunk: `@@ -1 +1 @@\n+${code}`,
      pullRequestReview: { url: urlOf(reviewId) },
    }));
    return {
      id,
      path,
      isResolved: resolvedBy !== undefined,
      resolvedBy: resolvedBy === undefined ? null : { login: resolvedBy.replace('[bot]', '') },
      isOutdated: line === undefined,
      diffSide: 'RIGHT',
      line: line ?? null,
      originalLine: line ?? null,
      opening: list(openings),
      latest: list(posts.map(postNode)),
    };
  }
}

const urlOf = (id: number) => `https://github.com/octocat/hello/pull/${PULL}#r${id}`;

function list<Node>(nodes: readonly Node[]) {
  return { totalCount: nodes.length, nodes };
}

function accountNode(login: string) {
  const isBot = login.endsWith('[bot]');
  return { __typename: isBot ? 'Bot' : 'User', login: login.replace('[bot]', '') };
}

function postNode({ id, login, at, body, editor, thumbs }: Post) {
  return {
    url: urlOf(id),
    body,
    viewerDidAuthor: login === BOT,
    createdAt: at,
    lastEditedAt: editor === undefined ? null : at,
    authorAssociation: 'NONE',
    author: accountNode(login),
    editor: editor === undefined ? null : accountNode(editor),
    thumbsDown: list(
      thumbs.map((thumb) => ({ createdAt: thumb.at, user: { login: thumb.login } })),
    ),
  };
}

function reviewNode({ id, login, at, head, state, body }: Review) {
  return {
    url: urlOf(id),
    body,
    state,
    submittedAt: at,
    viewerDidAuthor: login === BOT,
    author: accountNode(login),
    commit: { oid: head },
  };
}

function checkAnswer({ id, name, conclusion, title }: Check) {
  return {
    id,
    html_url: urlOf(id),
    external_id: name,
    status: conclusion === null ? 'in_progress' : 'completed',
    conclusion,
    output: { annotations_count: 0, title },
  };
}
