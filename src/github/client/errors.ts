import * as v from 'valibot';
import type { Environment } from '../../lib/environment.js';
import { AxeError, describeCause, type NetworkCause } from '../../lib/errors.js';

/**
 * Why GitHub did not do what was asked. `denied` wants another token or permission, `rate-limited` patience,
 * `unavailable` another attempt, `invalid` another request; `missing` may also hide a missing permission.
 */
export type GitHubErrorReason =
  | 'denied'
  | 'rate-limited'
  | 'missing'
  | 'too-large'
  | 'invalid'
  | 'unavailable';

interface GitHubErrorDetails {
  readonly reason: GitHubErrorReason;
  /** Method and path, `GET /repos/octocat/hello/pulls/42`. */
  readonly requestLine: string;
  /** HTTP status; undefined where no answer came, or where GraphQL refused inside a 200. */
  readonly status?: number | undefined;
  /** How long GitHub asks us to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly remedy?: string | undefined;
}

/** A request to GitHub that failed. The message names the request, the answer and the status. */
export class GitHubError extends AxeError {
  override readonly name = 'GitHubError';
  readonly reason: GitHubErrorReason;
  readonly requestLine: string;
  readonly status: number | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { reason, requestLine, status, retryAfterMs, remedy }: GitHubErrorDetails) {
    super(message, { remedy });
    this.reason = reason;
    this.requestLine = requestLine;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
  }

  /** The same error in other words. */
  with({ message = this.message, remedy = this.remedy }: { message?: string; remedy?: string }): GitHubError {
    return new GitHubError(message, { ...this, remedy });
  }

  /** The same error, whose remedy names the permission where that may be missing. */
  withPermission(permissions: readonly string[]): GitHubError {
    if (this.status === 401 || (this.reason !== 'denied' && this.reason !== 'missing')) return this;
    return this.with({ remedy: permissionRemedy(this.reason, permissions) });
  }
}

/** What does not exist may only be hidden from the token. */
function permissionRemedy(reason: 'denied' | 'missing', permissions: readonly string[]): string {
  const named = permissions.map((permission) => `\`${permission}\``).join(' or ');
  const add = `dd ${named} under \`permissions:\` of the job.`;
  return reason === 'denied' ? `A${add}` : `If it exists, the token cannot see it: a${add}`;
}

/** An answer of GitHub's that says no, in a status of 400 and above or inside a 200 of GraphQL. */
interface Refusal {
  readonly requestLine: string;
  readonly status?: number;
  readonly headers: Environment;
  /** Permissions that are needed with `write` anyway: people add a line once. Left out: none. */
  readonly needsWrite?: readonly string[];
}

/** The error for an answer with a status of 400 and above. */
export function httpError({ body, ...refusal }: Refusal & { status: number; body: unknown }): GitHubError {
  const { requestLine, status } = refusal;
  const text = answerText(body);
  const message = `GitHub answered ${status}${isGraphQl(requestLine) ? '' : ` to \`${requestLine}\``}`;
  return refusedError(`${message}${text === '' ? '' : `: ${text}`}`, reasonOf(refusal, text), refusal, text);
}

/** The error for a GraphQL answer with `errors`. */
export function graphqlError({ errors, ...refusal }: Refusal & { errors: readonly unknown[] }): GitHubError {
  const parsed = errors.map((error) => v.parse(graphqlErrorSchema, error));
  const text = parsed.map((error) => error.message).join('; ');
  const reason = graphqlReason(new Set(parsed.map((error) => error.type)), text);
  return refusedError(`GitHub refused: ${shorten(text)}`, reason, refusal, text);
}

const graphqlErrorSchema = v.fallback(
  v.object({ message: v.fallback(v.string(), 'unknown error'), type: v.fallback(v.string(), '') }),
  { message: 'unknown error', type: '' },
);

function refusedError(
  message: string,
  reason: GitHubErrorReason,
  refusal: Refusal,
  text: string,
): GitHubError {
  const { requestLine, status, headers } = refusal;
  const retryAfterMs = reason === 'rate-limited' ? waitOf(headers) : undefined;
  const remedy = remedyOf(reason, refusal, text, retryAfterMs);
  return new GitHubError(message, { reason, requestLine, status, retryAfterMs, remedy });
}

/** The error for a request that brought no answer. */
export function networkError(requestLine: string, cause: NetworkCause): GitHubError {
  const what = isGraphQl(requestLine) ? '' : ` \`${requestLine}\``;
  return new GitHubError(`GitHub did not answer${what}: ${describeCause(cause)}`, {
    reason: cause.isMistake === true ? 'invalid' : 'unavailable',
    requestLine,
    remedy: cause.remedy ?? 'Check the network, `HTTPS_PROXY` and `GITHUB_API_URL`, and run it again.',
  });
}

/** What is asked of GraphQL is in the query, so its one address says nothing to anybody. */
function isGraphQl(requestLine: string): boolean {
  return requestLine.endsWith('/graphql');
}

const errorBodySchema = v.object({
  message: v.string(),
  errors: v.fallback(v.array(v.unknown()), []),
});

/** GitHub's own words, with the fields it complains about; a page of HTML is not shown. */
function answerText(body: unknown): string {
  const parsed = v.safeParse(errorBodySchema, body);
  if (!parsed.success) return typeof body === 'string' && !body.includes('<') ? shorten(body) : '';
  const details = parsed.output.errors.map((error) =>
    typeof error === 'string' ? error : JSON.stringify(error),
  );
  return shorten([parsed.output.message, ...details].join('; '));
}

const MAX_TEXT = 300;

function shorten(text: string): string {
  // GitHub's sentences end with a stop, and more may follow.
  const line = text.replace(/\s+/gu, ' ').trim().replace(/\.+$/, '');
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

function reasonOf({ requestLine, status = 0, headers }: Refusal, text: string): GitHubErrorReason {
  const isLimit =
    headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0' || RATE_LIMIT.test(text);
  // GitHub tells limits with 429 or 403 (REST API, "Rate limits").
  if (status === 429 || (status === 403 && isLimit)) return 'rate-limited';
  if (status === 406 || status === 413 || /too[_ ]large|exceeded the maximum/i.test(text)) return 'too-large';
  if (status === 401 || status === 403 || status === 451) return 'denied';
  if (status === 404 && isGraphQl(requestLine)) return 'invalid';
  if (status === 404 || status === 410 || HIDDEN_FROM_SEARCH.test(text)) return 'missing';
  return status >= 500 || status === 408 ? 'unavailable' : 'invalid';
}

/** A search answers 422 where the token does not see the repository that the query names. */
const HIDDEN_FROM_SEARCH = /repositories cannot be searched\b/i;

/** A limit of pace, not of number, is a secondary one, and formerly abuse detection. */
const PACE_LIMIT = /secondary rate limit|abuse detection/i;
const RATE_LIMIT = /\brate limit|abuse detection/i;

/** Types are not documented, and not every refusal has one; so the words count too. */
function graphqlReason(types: ReadonlySet<string>, text: string): GitHubErrorReason {
  if (types.has('RATE_LIMITED') || RATE_LIMIT.test(text)) return 'rate-limited';
  if (types.has('FORBIDDEN') || types.has('INSUFFICIENT_SCOPES') || text.includes('not accessible by')) {
    return 'denied';
  }
  if (types.has('NOT_FOUND')) return 'missing';
  return /something went wrong|timed out|timeout/i.test(text) ? 'unavailable' : 'invalid';
}

/** A minute where GitHub names no time, as its documentation asks. */
const DEFAULT_WAIT_MS = 60_000;

/** From `retry-after`, in seconds or as a date, else until `x-ratelimit-reset`; both by the server's own clock. */
function waitOf(headers: Environment): number {
  const retryAfter = headers['retry-after'] ?? '';
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const nowMs = Date.parse(headers['date'] ?? '');
  const resetMs =
    headers['x-ratelimit-remaining'] === '0' ? Number(headers['x-ratelimit-reset']) * 1000 : Number.NaN;
  const waitMs = [Date.parse(retryAfter) - nowMs, resetMs - nowMs].find((ms) => !Number.isNaN(ms));
  return waitMs === undefined ? DEFAULT_WAIT_MS : Math.max(waitMs, 0);
}

/** What helps, in one sentence; undefined where nothing is known to. */
function remedyOf(
  reason: GitHubErrorReason,
  { requestLine, status, headers, needsWrite = [] }: Refusal,
  text: string,
  retryAfterMs = 0,
): string | undefined {
  switch (reason) {
    case 'denied': {
      if (status === 401) return 'The token is not valid (any more); check the `github-token` input.';
      const needed = permissionsOf(requestLine, needsWrite);
      if (needed !== undefined) return permissionRemedy(reason, needed);
      return 'The token of the `github-token` input is not allowed to do this.';
    }
    case 'missing': {
      const needed = permissionsOf(requestLine, needsWrite);
      return needed && permissionRemedy(reason, needed);
    }
    case 'rate-limited': {
      const isUsedUp = !PACE_LIMIT.test(text) && (headers['x-ratelimit-remaining'] === '0' || status !== 429);
      const why = isUsedUp
        ? 'The token has used up its requests'
        : 'The token sends requests faster than GitHub allows';
      return `${why}; GitHub asks for a pause of ${Math.ceil(retryAfterMs / 1000)} s.`;
    }
    case 'unavailable':
      return 'GitHub is having problems (https://www.githubstatus.com); run it again later.';
    case 'invalid':
      return status === 404
        ? 'There is no GraphQL API at `GITHUB_GRAPHQL_URL`: check that variable.'
        : undefined;
    case 'too-large':
      return undefined;
  }
}

/** The permissions of which a request takes one, by its route; GraphQL's are given by whoever asks. */
function permissionsOf(requestLine: string, needsWrite: readonly string[]): readonly string[] | undefined {
  const [method = '', path = ''] = requestLine.split(' ');
  const level = method === 'GET' ? 'read' : 'write';
  const scopes = ROUTE_SCOPES.find(([pattern]) => pattern.test(path))?.[1];
  return scopes?.map((scope) => `${scope}: ${needsWrite.includes(scope) ? 'write' : level}`);
}

/**
 * The first that fits (REST API, "Permissions required for GitHub Apps"). A search itself needs `metadata` alone; what it
 * finds is what the token may read.
 */
const ROUTE_SCOPES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/search\/code\b/, ['contents']],
  [/^\/search\/issues\b/, ['issues', 'pull-requests']],
  [/^\/repos\/[^/]+\/[^/]+\/(?:check-runs|commits\/.+\/check-runs)\b/, ['checks']],
  [/^\/repos\/[^/]+\/[^/]+\/commits\/.+\/status(?:es)?$/, ['statuses']],
  [/^\/repos\/[^/]+\/[^/]+\/actions\b/, ['actions']],
  [/^\/repos\/[^/]+\/[^/]+\/issues$/, ['issues']],
  [/^\/repos\/[^/]+\/[^/]+\/labels\b/, ['issues', 'pull-requests']],
  [/^\/repos\/[^/]+\/[^/]+\/(?:pulls|commits\/[^/]+\/pulls)\b/, ['pull-requests']],
  [/^\/repos\/[^/]+\/[^/]+\/issues\b/, ['issues', 'pull-requests']],
  [/^\/repos\/[^/]+\/[^/]+\/(contents|compare|git|commits)\b/, ['contents']],
];
