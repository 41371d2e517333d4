import * as v from 'valibot';
import type { Environment } from '../../lib/environment.js';
import { AxeError, type NetworkCause } from '../../lib/errors.js';
import {
  type GitHubErrorReason,
  knownRefusal,
  type Refusal,
  type RefusalSubject,
} from './refusals.js';

interface Failure {
  readonly reason: GitHubErrorReason;
  readonly about?: RefusalSubject | undefined;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly remedy?: string | undefined;
  readonly isInAnswer?: boolean;
}

/** A request to GitHub that failed. The message names the request, the answer and the status. */
export class GitHubError extends AxeError {
  override readonly name = 'GitHubError';
  readonly reason: GitHubErrorReason;
  /** A refusal that callers know; see the table of refusals. */
  readonly about: RefusalSubject | undefined;
  /** HTTP status; undefined where no answer came, or where GraphQL refused inside a 200. */
  readonly status: number | undefined;
  /** The wait that GitHub asks for, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** GraphQL refused inside a 200, so the request arrived. */
  readonly isInAnswer: boolean;

  constructor(message: string, failure: Failure) {
    super(message, failure.remedy === undefined ? {} : { remedy: failure.remedy });
    this.reason = failure.reason;
    this.about = failure.about;
    this.status = failure.status;
    this.retryAfterMs = failure.retryAfterMs;
    this.isInAnswer = failure.isInAnswer ?? false;
  }

  /** Repeats the error with another message, remedy or reason. */
  with({
    message = this.message,
    remedy = this.remedy,
    reason = this.reason,
  }: {
    message?: string;
    remedy?: string | undefined;
    reason?: GitHubErrorReason;
  }): GitHubError {
    return new GitHubError(message, { ...this, reason, remedy });
  }

  /**
   * Repeats the error with a remedy that names the permission, if one can be missing: `issues:
   * read`, or several with ` or ` or ` and `.
   */
  withPermission(permission: string): GitHubError {
    const canBeMissing = this.reason === 'denied' || this.reason === 'missing';
    if (this.status === 401 || this.about !== undefined || !canBeMissing) return this;
    return this.with({ remedy: permissionRemedy(this.reason, permission) });
  }
}

/** Something that seems to be missing can be hidden from the token. */
function permissionRemedy(reason: 'denied' | 'missing', permission: string): string {
  const named = permission.replace(/[\w-]+: \w+/g, '`$&`');
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
  const known = knownRefusal(text);
  const reason = reasonOf(requestLine, { status, headers }, known?.reason);
  const retryAfterMs = reason === 'rate-limited' ? waitOf(headers) : undefined;
  const needed = permissionsOf(requestLine, needsWrite);
  const special = specialRefusal(reason, known);
  const request = requestLine === GRAPHQL ? '' : ` to \`${requestLine}\``;
  return new GitHubError(`GitHub answered ${status}${request}${text === '' ? '' : `: ${text}`}`, {
    reason,
    about: special?.about,
    status,
    retryAfterMs,
    remedy:
      statusRemedy(status, requestLine) ??
      special?.remedy ??
      remedyOf(reason, needed, retryAfterMs),
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
  const known = knownRefusal(text);
  const types = new Set(parsed.map((error) => error.type));
  const reason = graphqlReason(types, known?.reason);
  const special = specialRefusal(reason, known);
  const retryAfterMs = reason === 'rate-limited' ? waitOf(headers) : undefined;
  const remedy = special?.remedy ?? remedyOf(reason, undefined, retryAfterMs);
  const message = `GitHub refused: ${shorten(text)}`;
  const { about } = special ?? {};
  return new GitHubError(message, { reason, about, retryAfterMs, remedy, isInAnswer: true });
}

/** A refusal that callers know, with the table's remedy. A limit is only a limit, whatever it names. */
function specialRefusal(reason: GitHubErrorReason, { about, help }: Partial<Refusal> = {}) {
  if (about === undefined || reason === 'rate-limited') return undefined;
  return { about, remedy: help && `${help.remedy}.` };
}

const graphqlErrorSchema = v.fallback(
  v.object({ message: v.fallback(v.string(), 'unknown error'), type: v.fallback(v.string(), '') }),
  { message: 'unknown error', type: '' },
);

/** The error for a request that brought no answer. */
export function networkError(requestLine: string, cause: NetworkCause): GitHubError {
  const isQuery = requestLine === GRAPHQL;
  const address = isQuery ? 'GITHUB_GRAPHQL_URL' : 'GITHUB_API_URL';
  const request = isQuery ? '' : ` \`${requestLine}\``;
  return new GitHubError(`GitHub did not answer${request}: ${cause.message}`, {
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

/** `known`: the reason that the table gives for the words. */
function reasonOf(
  requestLine: string,
  { status, headers }: { readonly status: number; readonly headers: Environment },
  known: GitHubErrorReason | undefined,
): GitHubErrorReason {
  // GitHub answers limits with 429, 403 or, to what is written too fast, 422.
  const isSpent = headers['retry-after'] !== undefined || headers['x-ratelimit-remaining'] === '0';
  const isLimit = known === 'rate-limited' && (status === 403 || status === 422);
  if (status === 429 || isLimit || (status === 403 && isSpent)) return 'rate-limited';
  if (status === 401) return 'denied';

  const isRefused = status === 403 || status === 409 || status === 422;
  if (isRefused && (known === 'moved' || known === 'denied')) return known;
  if (status === 406 || status === 413 || known === 'too-large') return 'too-large';
  if (status === 403 || status === 451) return 'denied';
  // A server without a GraphQL API hides nothing.
  if (status === 404 && requestLine === GRAPHQL) return 'invalid';
  // A 410 is gone for good, such as issues that are switched off, and hides nothing.
  if (status === 404) return 'missing';
  return status >= 500 || status === 408 ? 'unavailable' : 'invalid';
}

/**
 * Types are not documented, and not every refusal has one, so the words count too; `known` is the
 * reason that the table gives for them.
 */
function graphqlReason(
  types: ReadonlySet<string>,
  known: GitHubErrorReason | undefined,
): GitHubErrorReason {
  const typed = REASONS_BY_TYPE.find(([type]) => types.has(type))?.[1];
  return typed ?? known ?? 'invalid';
}

const REASONS_BY_TYPE: readonly (readonly [string, GitHubErrorReason])[] = [
  ['RATE_LIMITED', 'rate-limited'],
  ['RESOURCE_LIMITS_EXCEEDED', 'too-much'],
  ['STALE_DATA', 'moved'],
  ['FORBIDDEN', 'denied'],
  ['INSUFFICIENT_SCOPES', 'denied'],
  ['NOT_FOUND', 'missing'],
];

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

/** The remedy for a kind of refusal; undefined if we know none. */
function remedyOf(
  reason: GitHubErrorReason,
  permission: string | undefined,
  retryAfterMs = 0,
): string | undefined {
  switch (reason) {
    case 'denied':
      if (permission === undefined)
        return 'The token of the `github-token` input is not allowed to do this.';
      return permissionRemedy(reason, permission);
    case 'missing':
      return permission && permissionRemedy(reason, permission);
    case 'rate-limited':
      return `The token sends more requests than GitHub allows; GitHub asks for a pause of ${Math.ceil(retryAfterMs / 1000)} s.`;
    case 'unavailable':
      return 'GitHub is having problems (https://www.githubstatus.com); run it again later.';
    case 'too-much':
      return 'Resolve conversations that are done, or continue in a new pull request.';
    case 'moved':
    case 'invalid':
    case 'too-large':
      return undefined;
  }
}

/** By the route of a request; each query names its own. */
function permissionsOf(requestLine: string, needsWrite: readonly string[]): string | undefined {
  const [method = '', path = ''] = requestLine.split(' ');
  const level = method === 'GET' ? 'read' : 'write';
  const scopes = ROUTE_SCOPES.find(([pattern]) => pattern.test(path))?.[1];
  const permission = scopes?.map((scope) => `${scope}: ${level}`).join(' or ');
  return permission && withNeededWrites(permission, needsWrite);
}

/** People add a line once, so a permission to read is named as the one to write that they need. */
export function withNeededWrites(permission: string, needsWrite: readonly string[]): string {
  return permission.replace(/([\w-]+): read/g, (read, scope: string) =>
    needsWrite.includes(scope) ? `${scope}: write` : read,
  );
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
