import type { ContentsRight, StoredRepo } from './github-state.js';
import type { RecordedRequest } from './loopback.js';

/** Who asks, and what the token allows. */
export interface Caller {
  /** Login of the account the token belongs to. */
  readonly viewer: string;
  /** Time for what is created, ISO 8601 in UTC. */
  readonly now: string;
  /** Those that the token sees. */
  readonly repos: readonly StoredRepo[];
  rightOf(repo: StoredRepo): ContentsRight;
}

/** What a route is asked. */
export interface RestCall extends Caller {
  readonly repo: StoredRepo;
  readonly params: Readonly<Record<string, string>>;
  readonly request: RecordedRequest;
  /** The representation that the `accept` header asks for. */
  readonly media: 'json' | 'diff' | 'object' | 'sha';
}

/** An answer: `body` is sent as JSON unless `mediaType` is given, then it is text. */
export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly mediaType?: string;
  /**
   * What is validated in place of the body, where GitHub sends what its description does not allow.
   */
  readonly describedAs?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** A file on another server, to which the answer leads. */
  readonly elsewhere?: string | Uint8Array;
}

/**
 * How a subject is asked for: by method and path below the repository's; the first that fits
 * answers.
 */
export type Routes = Readonly<Record<string, (call: RestCall) => RestAnswer>>;

/** A repository that the token sees, by `owner/name`. */
export function findRepo(repos: Iterable<StoredRepo>, fullName: string): StoredRepo | undefined {
  const wanted = fullName.toLowerCase();
  return [...repos].find(({ owner, name }) => `${owner}/${name}`.toLowerCase() === wanted);
}

/** GitHub's error body. */
export function githubError(
  status: number,
  message: string,
  more: Record<string, unknown> = {},
): RestAnswer {
  return {
    status,
    body: {
      message,
      ...more,
      documentation_url: 'https://docs.github.com/rest',
      status: String(status),
    },
  };
}

/** What there is no such thing of, or what the token does not see. */
export function notFound(): RestAnswer {
  return githubError(404, 'Not Found');
}

/** What does not fit the rules for the thing it is to become. */
export function invalid(error: Readonly<Record<string, string>>): RestAnswer {
  return githubError(422, 'Validation Failed', { errors: [error] });
}

/** Something that was made, at its address. */
export function created(body: Record<string, unknown>): RestAnswer {
  return { status: 201, body, headers: { location: String(body['url']) } };
}

/**
 * One page of a list as it is shown, with the `link` header that leads to the next and the last.
 */
export function page<T>(
  { request }: RestCall,
  items: readonly T[],
  shown = (item: T): unknown => item,
) {
  const size = Math.min(Math.max(Number(request.query.get('per_page') ?? 30), 1), 100);
  const number = Math.max(Number(request.query.get('page') ?? 1), 1);
  const last = Math.max(Math.ceil(items.length / size), 1);
  const body = items.slice((number - 1) * size, number * size).map((item) => shown(item));
  if (number >= last) return { status: 200, body };
  const link = (to: number, rel: string) => {
    const query = new URLSearchParams(request.query);
    query.set('page', String(to));
    return `<http://${request.headers['host']}${request.path}?${query}>; rel="${rel}"`;
  };
  return {
    status: 200,
    body,
    headers: { link: `${link(number + 1, 'next')}, ${link(last, 'last')}` },
  };
}
