import type { StoredRepo } from './github-state.js';
import type { RecordedRequest } from './loopback.js';

/** The representation a request asks for with its `accept` header. */
export type Media = 'json' | 'diff' | 'object' | 'sha';

/** What a route is asked. */
export interface RestCall {
  readonly repo: StoredRepo;
  readonly params: Readonly<Record<string, string>>;
  readonly request: RecordedRequest;
  readonly media: Media;
  /** Login of the account the token belongs to. */
  readonly viewer: string;
  /** Time for what is created, ISO 8601 in UTC. */
  readonly now: string;
}

/** An answer: `body` is sent as JSON unless `mediaType` is given, then it is text or bytes. */
export interface RestAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly mediaType?: string;
  /**
   * What is validated in place of the body: GitHub sends `head.repo: null` for a deleted fork, which its description
   * does not allow.
   */
  readonly describedAs?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The text of a file on another server, to which the answer leads. */
  readonly elsewhere?: string;
}

/** GitHub's error body. */
export function githubError(status: number, message: string, more: Record<string, unknown> = {}): RestAnswer {
  return {
    status,
    body: { message, ...more, documentation_url: 'https://docs.github.com/rest', status: String(status) },
  };
}
