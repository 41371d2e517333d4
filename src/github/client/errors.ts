import * as v from 'valibot';
import type { Environment } from '../../lib/environment.js';
import { AxeError, type NetworkCause } from '../../lib/errors.js';

/**
 * Why GitHub did not do what was asked. `denied` wants another token or permission, `rate-limited`
 * patience, `unavailable` another attempt, `invalid` another request; `missing` may also hide a
 * missing permission.
 */
export type GitHubErrorReason =
  | 'denied'
  | 'rate-limited'
  | 'missing'
  | 'too-large'
  | 'invalid'
  | 'unavailable';

/** A request to GitHub that failed. The message names the request, the answer and the status. */
export class GitHubError extends AxeError {
  override readonly name = 'GitHubError';
  readonly reason: GitHubErrorReason;
  /** HTTP status; undefined where no answer came, or where GraphQL refused inside a 200. */
  readonly status: number | undefined;
  /** How long GitHub asks us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    about: { reason: GitHubErrorReason; status?: number; retryAfterMs?: number; remedy?: string },
  ) {
    super(message, about);
    this.reason = about.reason;
    this.status = about.status;
    this.retryAfterMs = about.retryAfterMs;
  }

  /** The same error in other words. */
  with({
    message = this.message,
    remedy = this.remedy,
  }: {
    message?: string;
    remedy?: string;
  }): GitHubError {
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

/** The request line of all queries: what is asked is in the query, so people are not shown it. */
export const GRAPHQL = 'POST /graphql';

/**
 * The error for an answer with a status of 400 and above. `needsWrite`: permissions that are needed
 * with `write` anyway, so that people add a line once.
 */
export function httpError(
  requestLine: string,
  {
    status,
    headers,
    body,
  }: { readonly status: number; readonly headers: Environment; readonly body: unknown },
  needsWrite: readonly string[] = [],
): GitHubError {
  const text = answerText(body);
  const reason = reasonOf(requestLine, status, headers, text);
  const retryAfterMs = reason === 'rate-limited' ? waitOf(headers) : undefined;
  const needed = permissionsOf(requestLine, needsWrite);
  const asked = requestLine === GRAPHQL ? '' : ` to \`${requestLine}\``;
  return new GitHubError(`GitHub answered ${status}${asked}${text === '' ? '' : `: ${text}`}`, {
    reason,
    status,
    retryAfterMs,
    remedy: statusRemedy(status, requestLine) ?? remedyOf(reason, needed, retryAfterMs),
  });
}

function statusRemedy(status: number, requestLine: string): string | undefined {
  if (status === 401) return BAD_TOKEN;
  return status === 404 && requestLine === GRAPHQL ? NO_GRAPHQL : undefined;
}

/** The error for a GraphQL answer with `errors`. */
export function graphqlError(errors: readonly unknown[], headers: Environment): GitHubError {
  const parsed = errors.map((error) => v.parse(graphqlErrorSchema, error));
  const text = parsed.map((error) => error.message).join('; ');
  const reason = graphqlReason(new Set(parsed.map((error) => error.type)), text);
  const retryAfterMs = reason === 'rate-limited' ? waitOf(headers) : undefined;
  const remedy = remedyOf(reason, undefined, retryAfterMs);
  return new GitHubError(`GitHub refused: ${shorten(text)}`, { reason, retryAfterMs, remedy });
}

const graphqlErrorSchema = v.fallback(
  v.object({ message: v.fallback(v.string(), 'unknown error'), type: v.fallback(v.string(), '') }),
  { message: 'unknown error', type: '' },
);

/** The error for a request that brought no answer. */
export function networkError(requestLine: string, cause: NetworkCause): GitHubError {
  const [what, address] =
    requestLine === GRAPHQL
      ? ['', 'GITHUB_GRAPHQL_URL']
      : [` \`${requestLine}\``, 'GITHUB_API_URL'];
  return new GitHubError(`GitHub did not answer${what}: ${cause.message}`, {
    reason: cause.isMistake === true ? 'invalid' : 'unavailable',
    remedy:
      cause.remedy ?? `Check the network, \`HTTPS_PROXY\` and \`${address}\`, and run it again.`,
  });
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

function reasonOf(
  requestLine: string,
  status: number,
  headers: Environment,
  text: string,
): GitHubErrorReason {
  const isLimit =
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    RATE_LIMIT.test(text);
  // GitHub tells limits with 429 or 403 (REST API, "Rate limits").
  if (status === 429 || (status === 403 && isLimit)) return 'rate-limited';
  if (
    status === 406 ||
    status === 413 ||
    /too[_ ]large|exceeded the maximum|\bnot_available\b/i.test(text)
  )
    return 'too-large';
  if (status === 401 || status === 403 || status === 451) return 'denied';
  // A server without a GraphQL API hides nothing.
  if (status === 404 && requestLine === GRAPHQL) return 'invalid';
  // What is gone for good (410), such as issues that are switched off, is not hidden from the
  // token.
  if (status === 404) return 'missing';
  return status >= 500 || status === 408 ? 'unavailable' : 'invalid';
}

const RATE_LIMIT = /\brate limit|abuse detection/i;

/** Types are not documented, and not every refusal has one; so the words count too. */
function graphqlReason(types: ReadonlySet<string>, text: string): GitHubErrorReason {
  if (types.has('RATE_LIMITED') || RATE_LIMIT.test(text)) return 'rate-limited';
  if (
    types.has('FORBIDDEN') ||
    types.has('INSUFFICIENT_SCOPES') ||
    text.includes('not accessible by')
  ) {
    return 'denied';
  }
  if (types.has('NOT_FOUND')) return 'missing';
  return /something went wrong|timed out|timeout/i.test(text) ? 'unavailable' : 'invalid';
}

/** A minute where GitHub names no time, as its documentation asks. */
const DEFAULT_WAIT_MS = 60_000;

/** From `retry-after` in seconds, else until `x-ratelimit-reset` by the server's own clock. */
function waitOf(headers: Environment): number {
  const retryAfter = headers['retry-after'] ?? '';
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  if (headers['x-ratelimit-remaining'] !== '0') return DEFAULT_WAIT_MS;
  const waitMs = Number(headers['x-ratelimit-reset']) * 1000 - Date.parse(headers['date'] ?? '');
  return Number.isNaN(waitMs) ? DEFAULT_WAIT_MS : Math.max(waitMs, 0);
}

const NO_GRAPHQL = 'There is no GraphQL API at `GITHUB_GRAPHQL_URL`: check that variable.';
const BAD_TOKEN = 'The token is not valid (any more); check the `github-token` input.';

/** What helps, in one sentence; undefined where nothing is known to. */
function remedyOf(
  reason: GitHubErrorReason,
  permissions: readonly string[] | undefined,
  retryAfterMs = 0,
): string | undefined {
  switch (reason) {
    case 'denied':
      if (permissions === undefined)
        return 'The token of the `github-token` input is not allowed to do this.';
      return permissionRemedy(reason, permissions);
    case 'missing':
      return permissions && permissionRemedy(reason, permissions);
    case 'rate-limited':
      return `The token sends more requests than GitHub allows; GitHub asks for a pause of ${Math.ceil(retryAfterMs / 1000)} s.`;
    case 'unavailable':
      return 'GitHub is having problems (https://www.githubstatus.com); run it again later.';
    case 'invalid':
    case 'too-large':
      return undefined;
  }
}

/**
 * The permissions of which a request takes one, by its route; GraphQL's are given by whoever asks.
 */
function permissionsOf(
  requestLine: string,
  needsWrite: readonly string[],
): readonly string[] | undefined {
  const [method = '', path = ''] = requestLine.split(' ');
  const level = method === 'GET' ? 'read' : 'write';
  const scopes = ROUTE_SCOPES.find(([pattern]) => pattern.test(path))?.[1];
  return scopes?.map((scope) => `${scope}: ${needsWrite.includes(scope) ? 'write' : level}`);
}

/**
 * The first that fits (REST API, "Permissions required for GitHub Apps"). A search itself needs
 * `metadata` alone; what it finds is what the token may read.
 */
const ROUTE_SCOPES: readonly (readonly [RegExp, readonly string[]])[] = [
  [/^\/search\/code\b/, ['contents']],
  [/^\/search\/issues\b/, ['issues', 'pull-requests']],
  [/^\/repos\/[^/]+\/[^/]+\/(?:check-runs|commits\/.+\/check-runs)\b/, ['checks']],
  [/^\/repos\/[^/]+\/[^/]+\/commits\/.+\/status(?:es)?$/, ['statuses']],
  [/^\/repos\/[^/]+\/[^/]+\/actions\b/, ['actions']],
  [/^\/repos\/[^/]+\/[^/]+\/issues$/, ['issues']],
  [/^\/repos\/[^/]+\/[^/]+\/(?:pulls|commits\/[^/]+\/pulls)\b/, ['pull-requests']],
  [/^\/repos\/[^/]+\/[^/]+\/(?:issues|labels)\b/, ['issues', 'pull-requests']],
  [/^\/repos\/[^/]+\/[^/]+\/(contents|compare|git|commits)\b/, ['contents']],
];
