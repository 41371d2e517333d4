import type { Environment } from '../../../core/environment.js';
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
export function remedyOf(refusal: Refusal): string | undefined {
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
export function isSecondLimit(text: string): boolean {
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
