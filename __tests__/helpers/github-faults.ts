import { ROUTE_NAMES } from './github-routes.js';
import type { RecordedRequest } from './loopback.js';

/** What answers in place of the fake's own answer. */
export interface FaultAnswer {
  /** A status, or what happens to the connection instead: no answer at all, or cut off. */
  readonly status: number | 'stall' | 'disconnect';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** The request takes effect anyway: created, but answered with an error. */
  readonly afterEffect?: boolean;
}

/** An answer other than the fake's own, and the requests it meets. */
export interface Fault extends FaultAnswer {
  /**
   * Method and path template, `GET /repos/{owner}/{repo}/pulls/{pull_number}`, or `POST /graphql`.
   */
  readonly route: string;
  /** Only requests whose `accept` header contains this, for example `diff`. */
  readonly accept?: string;
  /** Only requests whose body contains this, for example the name of a mutation. */
  readonly contains?: string;
  /** How many requests it lets pass before; default 0. */
  readonly skip?: number;
  /** How many requests it meets; default 1. */
  readonly times?: number;
}

/** No faults yet; `take` gives the one that meets a request, which is then used up by one. */
export function createFaults() {
  const faults: { readonly fault: Fault; skip: number; left: number }[] = [];
  return {
    add(fault: Fault): void {
      if (fault.route !== 'POST /graphql' && !ROUTE_NAMES.includes(fault.route)) {
        throw new Error(`the fake has no route ${fault.route}; it has: ${ROUTE_NAMES.join(', ')}`);
      }
      faults.push({ fault, skip: fault.skip ?? 0, left: fault.times ?? 1 });
    },
    /** Everything is as usual again. */
    clear(): void {
      faults.length = 0;
    },
    take(request: RecordedRequest, route: string | undefined): Fault | undefined {
      for (const one of faults) {
        const { accept = '', contains = '' } = one.fault;
        if (one.left === 0 || one.fault.route !== route) continue;
        if (!(request.headers['accept'] ?? '').includes(accept)) continue;
        if (!request.bytes.toString().includes(contains)) continue;
        if (one.skip > 0) {
          one.skip -= 1;
          continue;
        }
        one.left -= 1;
        return one.fault;
      }
      return undefined;
    },
  };
}

/** GitHub's refusal of too many requests at once. */
export function secondaryRateLimit(retryAfterS = 60): FaultAnswer {
  return {
    status: 403,
    headers: { 'retry-after': String(retryAfterS) },
    body: {
      message:
        'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
      documentation_url:
        'https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits',
      status: '403',
    },
  };
}

/**
 * GitHub's refusal of a GraphQL request once the points of an hour are used up; the time is in
 * seconds since 1970.
 */
export function graphQlRateLimit(resetAtS: number): FaultAnswer {
  const error = {
    type: 'RATE_LIMITED',
    message: 'API rate limit exceeded for installation ID 1234567.',
  };
  const limit = { 'x-ratelimit-limit': '1000', 'x-ratelimit-remaining': '0' };
  const headers = { ...limit, 'x-ratelimit-reset': String(resetAtS) };
  return { status: 200, headers, body: { errors: [error] } };
}

/**
 * What GitHub says to a commit on top of one that is not the newest; the two spaces are GitHub's.
 */
export function staleMessage(expected: string): string {
  return `Expected branch to point to "${expected}" but it did not.  Pull and try again.`;
}

/** The page of GitHub's load balancer. */
export const BAD_GATEWAY: FaultAnswer = {
  status: 502,
  body: '<html><body>502 Bad Gateway</body></html>',
};

/** The page of the load balancer although the request was carried out. */
export const BAD_GATEWAY_AFTER_EFFECT: FaultAnswer = { ...BAD_GATEWAY, afterEffect: true };

/** The request is carried out and the connection breaks before the answer. */
export const ANSWER_LOST: FaultAnswer = { status: 'disconnect', afterEffect: true };
