import * as v from 'valibot';
import type { Environment } from '../../lib/environment.js';
import { AxeError } from '../../lib/errors.js';
import { describeCause, type NetworkCause } from '../../lib/network-cause.js';

interface GitHubErrorDetails {
  readonly reason: GitHubErrorReason;
  readonly requestLine: string;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly remedy?: string | undefined;
}

/** A request to GitHub that failed. The message names the request, the answer and the status. */
export class GitHubError extends AxeError {
  override readonly name = 'GitHubError';
  readonly reason: GitHubErrorReason;
  /** Method and path, `GET /repos/octocat/hello/pulls/42`. */
  readonly requestLine: string;
  /** HTTP status; undefined where no answer came, or where GraphQL refused inside a 200. */
  readonly status: number | undefined;
  /** How long GitHub asks us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: GitHubErrorDetails) {
    super(message, { remedy: details.remedy });
    this.reason = details.reason;
    this.requestLine = details.requestLine;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }

  /** The same error in other words. */
  with(words: { readonly message?: string; readonly remedy?: string | undefined }): GitHubError {
    const { message, reason, requestLine, status, retryAfterMs, remedy } = {
      ...this,
      message: this.message,
      ...words,
    };
    return new GitHubError(message, { reason, requestLine, status, retryAfterMs, remedy });
  }
}

/** An answer as it came. */
interface ResponseFacts {
  readonly requestLine: string;
  readonly status: number;
  readonly headers: Environment;
  readonly body: unknown;
  /** Permissions that are needed with `write` anyway; left out: none. */
  readonly needsWrite?: readonly string[];
}

/** The error for an answer with a status of 400 and above. */
export function httpError(answer: ResponseFacts): GitHubError {
  const { requestLine, status } = answer;
  const text = answerText(answer.body);
  const reason = reasonOf(answer, text);
  const retryAfterMs = reason === 'rate-limited' ? waitOf(answer.headers) : undefined;
  const { needsWrite = [] } = answer;
  const remedy = remedyOf({ ...answer, text, reason, retryAfterMs, needsWrite });
  return new GitHubError(`GitHub answered ${status}${to(requestLine)}${text === '' ? '' : `: ${text}`}`, {
    reason,
    requestLine,
    status,
    retryAfterMs,
    remedy,
  });
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

function isGraphQl(requestLine: string): boolean {
  return requestLine.endsWith('/graphql');
}

/** What is asked of GraphQL is in the query, so its one address says nothing to anybody. */
function to(requestLine: string): string {
  return isGraphQl(requestLine) ? '' : ` to \`${requestLine}\``;
}

/** A GraphQL answer with `errors`, which comes with status 200. */
interface QueryRefusal extends Pick<ResponseFacts, 'requestLine' | 'headers'> {
  readonly errors: readonly unknown[];
}

/** The error for a GraphQL answer with `errors`. */
export function graphqlError({ requestLine, headers, errors }: QueryRefusal): GitHubError {
  const parsed = errors.map((error) => v.parse(graphqlErrorSchema, error));
  const text = parsed.map((error) => error.message).join('; ');
  const types = new Set(parsed.map((error) => error.type));
  const reason = graphqlReason(types, text);
  const retryAfterMs = reason === 'rate-limited' ? waitOf(headers) : undefined;
  const remedy = remedyOf({
    requestLine,
    status: 403,
    headers,
    text,
    reason,
    retryAfterMs,
    needsWrite: [],
  });
  return new GitHubError(`GitHub refused: ${shorten(text)}`, {
    reason,
    requestLine,
    retryAfterMs,
    remedy,
  });
}

const graphqlErrorSchema = v.fallback(
  v.object({ message: v.fallback(v.string(), 'unknown error'), type: v.fallback(v.string(), '') }),
  { message: 'unknown error', type: '' },
);

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

function reasonOf({ requestLine, status, headers }: ResponseFacts, text: string): GitHubErrorReason {
  if (isRateLimit(status, headers, text)) return 'rate-limited';
  if (status === 406 || status === 413 || /too[_ ]large|exceeded the maximum/i.test(text)) return 'too-large';
  if (status === 401 || status === 403 || status === 451) return 'denied';
  if (status === 404 && isGraphQl(requestLine)) return 'invalid';
  if (status === 404 || status === 410 || HIDDEN_FROM_SEARCH.test(text)) return 'missing';
  return status >= 500 || status === 408 ? 'unavailable' : 'invalid';
}

/** A search answers 422 where the token does not see the repository that the query names. */
const HIDDEN_FROM_SEARCH = /repositories cannot be searched\b/i;

/** GitHub tells limits with 429 or 403 (REST API, "Rate limits"). */
function isRateLimit(status: number, headers: ResponseFacts['headers'], text: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    /\brate limit/i.test(text) ||
    isSecondLimit(text)
  );
}

/** A minute where GitHub names no time, as its documentation asks. */
const DEFAULT_WAIT_MS = 60_000;

/** From `retry-after`, in seconds or as a date, else until `x-ratelimit-reset`; both by the server's own clock. */
function waitOf(headers: ResponseFacts['headers']): number {
  const retryAfter = headers['retry-after'] ?? '';
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000;
  const nowMs = Date.parse(headers['date'] ?? '');
  const resetMs =
    headers['x-ratelimit-remaining'] === '0' ? Number(headers['x-ratelimit-reset']) * 1000 : Number.NaN;
  const waitMs = [Date.parse(retryAfter) - nowMs, resetMs - nowMs].find((ms) => !Number.isNaN(ms));
  return waitMs === undefined ? DEFAULT_WAIT_MS : Math.max(waitMs, 0);
}

/** Types are not documented, and not every refusal has one; so the words count too. */
function graphqlReason(types: ReadonlySet<string>, text: string): GitHubErrorReason {
  if (types.has('RATE_LIMITED') || /\brate limit/i.test(text) || isSecondLimit(text)) return 'rate-limited';
  if (types.has('FORBIDDEN') || types.has('INSUFFICIENT_SCOPES') || text.includes('not accessible by')) {
    return 'denied';
  }
  if (types.has('NOT_FOUND')) return 'missing';
  return /something went wrong|timed out|timeout/i.test(text) ? 'unavailable' : 'invalid';
}

/** Carries out once more what may be carried out twice, where the first answer did not come. */
export async function againIfLost<Done>(write: () => Promise<Done>): Promise<Done> {
  try {
    return await write();
  } catch (thrown) {
    if (thrown instanceof GitHubError && thrown.reason === 'unavailable') return await write();
    throw thrown;
  }
}

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

/** A request that was refused, as far as what helps depends on it. */
interface Refusal {
  readonly requestLine: string;
  readonly status: number;
  readonly headers: Environment;
  /** GitHub's own words. */
  readonly text: string;
  readonly reason: GitHubErrorReason;
  readonly retryAfterMs: number | undefined;
  /** Permissions that are needed with `write` later, whatever this request takes: people add a line once. */
  readonly needsWrite: readonly string[];
}

/** What helps, in one sentence; undefined where nothing is known to. */
function remedyOf(refusal: Refusal): string | undefined {
  switch (refusal.reason) {
    case 'denied':
      return deniedRemedy(refusal);
    case 'rate-limited':
      return limitRemedy(refusal);
    case 'missing':
      return missingRemedy(refusal);
    case 'unavailable':
      return 'GitHub is in trouble (https://www.githubstatus.com); run it again later.';
    case 'invalid':
      return refusal.status === 404
        ? 'There is no GraphQL API at `GITHUB_GRAPHQL_URL`: check that variable.'
        : undefined;
    case 'too-large':
      return undefined;
  }
}

/** A limit of pace, not of number: GitHub calls it secondary, and formerly abuse detection. */
function isSecondLimit(text: string): boolean {
  return /secondary rate limit|abuse detection/i.test(text);
}

function limitRemedy({ status, headers, text, retryAfterMs = 0 }: Refusal): string {
  const isUsedUp = !isSecondLimit(text) && (headers['x-ratelimit-remaining'] === '0' || status !== 429);
  const why = isUsedUp ? 'The token has used up its requests' : 'The token asks faster than GitHub allows';
  return `${why}; GitHub asks for a pause of ${Math.ceil(retryAfterMs / 1000)} s.`;
}

function deniedRemedy(refusal: Refusal): string {
  const { status, headers } = refusal;
  if (status === 401) return 'The token is not valid (any more); check the `github-token` input.';
  const needed =
    neededPermissions(headers['x-accepted-github-permissions'], refusal) ?? routePermissions(refusal);
  if (needed === undefined) return 'The token of the `github-token` input is not allowed to do this.';
  return `Add ${needed} under \`permissions:\` of the job.`;
}

function missingRemedy(refusal: Refusal): string | undefined {
  const needed = routePermissions(refusal);
  if (needed === undefined) return undefined;
  return `If it exists, the token cannot see it: add ${needed} under \`permissions:\` of the job.`;
}

/**
 * `issues=write; pull_requests=write` as lines of YAML: semicolons part alternatives, commas what is needed
 * together (REST API, "Troubleshooting"). `metadata` every token has.
 */
function neededPermissions(header: string | undefined, { needsWrite }: Refusal): string | undefined {
  if (header === undefined) return undefined;
  const alternatives = header.split(';').map((alternative) =>
    alternative
      .split(',')
      .map((permission) => permission.trim().split('='))
      .filter(([scope = '']) => scope !== '' && scope !== 'metadata')
      .map(([name = '', level = 'read']) => {
        const scope = name.replaceAll('_', '-');
        return `\`${scope}: ${needsWrite.includes(scope) ? 'write' : level}\``;
      })
      .join(' and '),
  );
  const named = alternatives.filter((alternative) => alternative !== '');
  return named.length === 0 ? undefined : named.join(' or ');
}

/** For answers without the header, which GHES does not always send. */
function routePermissions({ requestLine, needsWrite }: Refusal): string | undefined {
  const [method = '', path = ''] = requestLine.split(' ');
  const level = method === 'GET' ? 'read' : 'write';
  const scope = ROUTE_SCOPES.find(([pattern]) => pattern.test(path))?.[1];
  return scope?.map((name) => `\`${name}: ${needsWrite.includes(name) ? 'write' : level}\``).join(' or ');
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
  [/^\/repos\/[^/]+\/[^/]+\/pulls\b/, ['pull-requests']],
  [/^\/repos\/[^/]+\/[^/]+\/issues\b/, ['issues', 'pull-requests']],
  [/^\/repos\/[^/]+\/[^/]+\/(contents|compare|git|commits)\b/, ['contents']],
];
