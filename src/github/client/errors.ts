import * as v from 'valibot';
import { AxeError } from '../../axe/errors.js';

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
  readonly asked: string;
  readonly status?: number;
  readonly retryAfterMs?: number;
  readonly remedy?: string;
}

/** A request to GitHub that failed. The message names the request, the answer and the status. */
export class GitHubError extends AxeError {
  override readonly name = 'GitHubError';
  readonly reason: GitHubErrorReason;
  /** Method and path, `GET /repos/octocat/hello/pulls/42`. */
  readonly asked: string;
  /** HTTP status; undefined where no answer came, or where GraphQL refused inside a 200. */
  readonly status: number | undefined;
  /** How long GitHub asks us to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, details: GitHubErrorDetails) {
    super(message, details.remedy === undefined ? {} : { remedy: details.remedy });
    this.reason = details.reason;
    this.asked = details.asked;
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
  }
}

/** An answer as it came. */
interface Answer {
  readonly asked: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body: unknown;
}

/** The error for an answer with a status of 400 and above. */
export function httpError(answer: Answer): GitHubError {
  const { asked, status } = answer;
  const text = answerText(answer.body);
  const reason = reasonOf(answer, text);
  const retryAfterMs = reason === 'rate-limited' ? waitOf(answer.headers) : undefined;
  const remedy = remedyOf(answer, reason, retryAfterMs);
  return new GitHubError(`GitHub answered ${status} to \`${asked}\`${text === '' ? '' : `: ${text}`}`, {
    reason,
    asked,
    status,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(remedy === undefined ? {} : { remedy }),
  });
}

/** The error for a request that brought no answer. */
export function networkError(asked: string, text: string): GitHubError {
  return new GitHubError(`GitHub did not answer \`${asked}\`: ${text}`, {
    reason: 'unavailable',
    asked,
    remedy: 'Check the network, `HTTPS_PROXY` and `GITHUB_API_URL`, and run it again.',
  });
}

/** A GraphQL answer with `errors`, which comes with status 200. */
interface Refusal extends Pick<Answer, 'asked' | 'headers'> {
  readonly errors: readonly unknown[];
}

/** The error for a GraphQL answer with `errors`. */
export function graphqlError({ asked, headers, errors }: Refusal): GitHubError {
  const parsed = errors.map((error) => v.parse(graphqlErrorSchema, error));
  const text = parsed.map((error) => error.message).join('; ');
  const types = new Set(parsed.map((error) => error.type));
  const reason = graphqlReason(types, text);
  const retryAfterMs = reason === 'rate-limited' ? waitOf(headers) : undefined;
  const remedy = remedyOf({ asked, status: 403, headers: {}, body: undefined }, reason, retryAfterMs);
  return new GitHubError(`GitHub refused \`${asked}\`: ${shorten(text)}`, {
    reason,
    asked,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(remedy === undefined ? {} : { remedy }),
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
  const line = text.replace(/\s+/gu, ' ').trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

function reasonOf({ status, headers }: Answer, text: string): GitHubErrorReason {
  if (isRateLimit(status, headers, text)) return 'rate-limited';
  if (status === 406 || status === 413 || /too[_ ]large|exceeded the maximum/i.test(text)) return 'too-large';
  if (status === 401 || status === 403 || status === 451) return 'denied';
  if (status === 404 || status === 410 || HIDDEN_FROM_SEARCH.test(text)) return 'missing';
  return status >= 500 || status === 408 ? 'unavailable' : 'invalid';
}

/** A search answers 422 where the token does not see the repository that the query names. */
const HIDDEN_FROM_SEARCH = /repositories cannot be searched\b/i;

/** GitHub tells limits with 429 or 403 (REST API, "Rate limits"). */
function isRateLimit(status: number, headers: Answer['headers'], text: string): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return (
    headers['retry-after'] !== undefined ||
    headers['x-ratelimit-remaining'] === '0' ||
    /rate limit|abuse detection/i.test(text)
  );
}

/** A minute where GitHub names no time, as its documentation asks. */
const DEFAULT_WAIT_MS = 60_000;

/** From `retry-after`, else until `x-ratelimit-reset` by the server's own clock. */
function waitOf(headers: Answer['headers']): number {
  const seconds = Number(headers['retry-after']);
  if (Number.isFinite(seconds) && seconds >= 0) return seconds * 1000;
  const resetMs = Number(headers['x-ratelimit-reset']) * 1000;
  const nowMs = Date.parse(headers['date'] ?? '');
  const waitMs = resetMs - nowMs;
  if (headers['x-ratelimit-remaining'] !== '0' || Number.isNaN(waitMs)) return DEFAULT_WAIT_MS;
  return Math.max(waitMs, 0);
}

/** Types are not documented, and not every refusal has one; so the words count too. */
function graphqlReason(types: ReadonlySet<string>, text: string): GitHubErrorReason {
  if (types.has('RATE_LIMITED') || /rate limit|abuse detection/i.test(text)) return 'rate-limited';
  if (types.has('FORBIDDEN') || types.has('INSUFFICIENT_SCOPES') || text.includes('not accessible by')) {
    return 'denied';
  }
  if (types.has('NOT_FOUND')) return 'missing';
  return /something went wrong|timed out|timeout/i.test(text) ? 'unavailable' : 'invalid';
}

function remedyOf(
  answer: Answer,
  reason: GitHubErrorReason,
  retryAfterMs: number | undefined,
): string | undefined {
  switch (reason) {
    case 'denied':
      return deniedRemedy(answer);
    case 'rate-limited':
      return retryAfterMs === undefined
        ? 'The token has used up its requests; run it again later.'
        : `The token has used up its requests; GitHub asks for a pause of ${Math.ceil(retryAfterMs / 1000)} s.`;
    case 'missing':
      return missingRemedy(answer);
    case 'unavailable':
      return 'GitHub is in trouble (https://www.githubstatus.com); run it again later.';
    case 'too-large':
    case 'invalid':
      return undefined;
  }
}

function deniedRemedy({ asked, status, headers }: Answer): string {
  if (status === 401) return 'The token is not valid (any more); check the `github-token` input.';
  const wanted = wantedPermissions(headers['x-accepted-github-permissions']) ?? routePermissions(asked);
  if (wanted === undefined) return 'The token of the `github-token` input may not do this.';
  return `Add ${wanted} under \`permissions:\` of the job.`;
}

function missingRemedy({ asked }: Answer): string | undefined {
  const wanted = routePermissions(asked);
  if (wanted === undefined) return undefined;
  return `If it exists, the token cannot see it: add ${wanted} under \`permissions:\` of the job.`;
}

/**
 * `issues=write; pull_requests=write` as lines of YAML: semicolons part alternatives, commas what is needed
 * together (REST API, "Troubleshooting"). `metadata` every token has.
 */
function wantedPermissions(header: string | undefined): string | undefined {
  if (header === undefined) return undefined;
  const alternatives = header.split(';').map((alternative) =>
    alternative
      .split(',')
      .map((permission) => permission.trim().split('='))
      .filter(([scope = '']) => scope !== '' && scope !== 'metadata')
      .map(([scope = '', level = 'read']) => `\`${scope.replaceAll('_', '-')}: ${level}\``)
      .join(' and '),
  );
  const named = alternatives.filter((alternative) => alternative !== '');
  return named.length === 0 ? undefined : named.join(' or ');
}

/** For answers without the header, which GHES does not always send. */
function routePermissions(asked: string): string | undefined {
  const [method = '', path = ''] = asked.split(' ');
  const level = method === 'GET' ? 'read' : 'write';
  const scope = ROUTE_SCOPES.find(([pattern]) => pattern.test(path))?.[1];
  return scope?.map((name) => `\`${name}: ${level}\``).join(' or ');
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
