import type { Clock } from '../../lib/clock.js';
import type { Environment } from '../../lib/environment.js';
import { ConfigError, messageOf } from '../../lib/errors.js';
import { networkCause } from '../../lib/network-cause.js';
import { timeLeftMs } from '../../lib/time-limit.js';
import { GitHubError, graphqlError, httpError, networkError } from './errors.js';
import { timedFetch } from './timed-fetch.js';

/** What a request to GitHub's REST API carries beside its route. */
interface RequestOptions {
  /** Fills the route's `{placeholders}`; the rest becomes the query string (GET) or the JSON body. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** Media type asked for; GitHub's JSON unless said otherwise. */
  readonly accept?: string;
  readonly signal: AbortSignal;
}

/** What a GraphQL query carries. */
interface GraphQlOptions {
  readonly variables: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  /** What does not exist is null in the data; otherwise one missing thing rejects the whole answer. */
  readonly missingIsNull?: boolean;
  readonly mayLack?: MayLack;
}

/** A field that may be refused by itself: it is null in the data then, and whoever asked is told why. */
export interface MayLack {
  readonly field: string;
  onLack(error: GitHubError): void;
}

/** An answer with a status below 400. The body is parsed by whoever asked. */
export interface GitHubResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Environment;
  /** Parsed JSON, text, or an ArrayBuffer where the answer is neither. */
  readonly body: unknown;
}

/**
 * The one door to GitHub. Both calls reject with a {@link GitHubError}, or with the signal's reason once it is
 * aborted.
 */
export interface GitHubClient {
  /** `route` is a method and a path template, `GET /repos/{owner}/{repo}`. */
  request(route: string, options: RequestOptions): Promise<GitHubResponse>;
  /** The answer's `data`. An answer with `errors` is rejected. */
  graphql(query: string, options: GraphQlOptions): Promise<unknown>;
}

/** What {@link createGitHubClient} needs to know. */
interface GitHubClientOptions {
  readonly token: string;
  /** `https://api.github.com`, or `https://HOST/api/v3` on GHES (`GITHUB_API_URL`). */
  readonly apiUrl: string;
  /** `https://api.github.com/graphql`, or `https://HOST/api/graphql` on GHES (`GITHUB_GRAPHQL_URL`). */
  readonly graphqlUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly userAgent: string;
  readonly clock: Pick<Clock, 'timer' | 'now' | 'sleep' | 'random'>;
  /** Told of each pause before it begins. */
  readonly onPause?: ((pause: RetryPause) => void) | undefined;
  /** Permissions (`checks`) that are needed with `write` later: a refusal to read names them like that at once. */
  readonly needsWrite?: readonly string[];
}

const GRAPHQL = 'POST /graphql';

type Octokit = ReturnType<typeof import('@actions/github').getOctokit>;
type OctokitResponse = Awaited<ReturnType<Octokit['request']>>;

/** A pause before a request is made again. */
export interface RetryPause {
  readonly pauseMs: number;
  /** How long the request takes already. */
  readonly spentMs: number;
  readonly error: GitHubError;
}

/**
 * A client over `@actions/github` that waits for no answer for ever, and asks again when GitHub is in passing trouble, for
 * reads and writes alike and until the signal's time is up (see {@link timeLeftMs}): the one policy for all of GitHub's
 * calls (D41). What GitHub limits was not carried out, so any request is made again, as late as GitHub asks. After a broken
 * connection or a status of 500 and above that is true of what may be carried out twice: not of a POST or a mutation, of
 * which only the answer may be lost.
 */
export async function createGitHubClient(options: GitHubClientOptions): Promise<GitHubClient> {
  const octokit = await createOctokit(options);
  return {
    async request(route, { params, accept, signal }) {
      const asking = { ...options, route, signal, mayRepeat: !route.startsWith('POST ') };
      return await patiently(asking, async () => {
        const response = await send(asking, () =>
          octokit.request(route, {
            ...params,
            ...(accept === undefined ? {} : { headers: { accept } }),
            request: { signal },
          }),
        );
        return { status: response.status, headers: textHeaders(response.headers), body: response.data };
      });
    },
    async graphql(query, { variables, signal, ...tolerated }) {
      const asking = { ...options, route: GRAPHQL, signal, mayRepeat: !/^\s*mutation\b/.test(query) };
      return await patiently(asking, async () => {
        const answer = await send(asking, () =>
          octokit.request(`POST ${options.graphqlUrl}`, { query, variables, request: { signal } }),
        );
        return graphqlData(answer, tolerated);
      });
    },
  };
}

/**
 * The package is imported late and its `context` is not read: importing it reads the event file and the proxy of the
 * environment, and throws where one is malformed. In the action both were checked by then.
 */
async function createOctokit(options: GitHubClientOptions): Promise<Octokit> {
  const { getOctokit } = await import('@actions/github').catch((thrown: unknown) => {
    throw new ConfigError(`the environment cannot be used to reach GitHub: ${messageOf(thrown)}`, {
      remedy: 'Check `GITHUB_EVENT_PATH` and the proxy variables, or unset them.',
    });
  });
  return getOctokit(options.token, {
    baseUrl: options.apiUrl.replace(/\/+$/, ''),
    userAgent: options.userAgent,
    log: SILENT,
    request: { fetch: timedFetch(options.fetch, options.clock), log: SILENT },
  });
}

const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}

/** Ends with the signal, and makes a {@link GitHubError} of whatever goes wrong. */
async function send(
  { signal, ...sent }: Asking,
  attempt: () => Promise<OctokitResponse>,
): Promise<OctokitResponse> {
  signal.throwIfAborted();
  let stopListening = ignore;
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    stopListening = () => signal.removeEventListener('abort', onAbort);
  });
  try {
    return await Promise.race([attempt(), aborted]);
  } catch (thrown) {
    signal.throwIfAborted();
    throw requestError(sent, thrown);
  } finally {
    stopListening();
  }
}

/** Reads the error by shape: the library's error classes are not loaded before they are needed. */
function requestError({ route, needsWrite = [] }: Omit<Asking, 'signal'>, thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !('status' in thrown) || typeof thrown.status !== 'number') return thrown;
  const requestLine = requestLineOf(route, thrown);
  const response = 'response' in thrown ? thrown.response : undefined;
  if (typeof response !== 'object' || response === null) {
    return networkError(requestLine, networkCause(thrown));
  }
  const headers = 'headers' in response ? response.headers : {};
  const body = 'data' in response ? response.data : undefined;
  return httpError({
    requestLine,
    status: thrown.status,
    headers: textHeaders(headers),
    body,
    needsWrite,
  });
}

/** `GET /repos/octocat/hello/pulls/42`, the URL of the request that failed without its host. */
function requestLineOf(route: string, thrown: Error): string {
  const [method = 'GET', template = ''] = route.split(' ');
  const request = 'request' in thrown ? thrown.request : undefined;
  if (typeof request !== 'object' || request === null || !('url' in request)) return `${method} ${template}`;
  return `${method} ${pathOf(String(request.url))}`;
}

function pathOf(url: string): string {
  const path = new URL(url).pathname.replace(/^\/api\/v3(?=\/)/, '');
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function textHeaders(headers: unknown): Record<string, string> {
  if (typeof headers !== 'object' || headers === null) return {};
  const entries = Object.entries(headers).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** GraphQL answers 200 to a query it could not carry out. */
function graphqlData(
  { data: body, headers }: OctokitResponse,
  { missingIsNull = false, mayLack }: Pick<GraphQlOptions, 'missingIsNull' | 'mayLack'>,
): unknown {
  if (!isObject(body)) throw networkError(GRAPHQL, { code: undefined, message: 'the answer is not JSON' });
  const data = 'data' in body ? body.data : undefined;
  const errors: readonly unknown[] = 'errors' in body && Array.isArray(body.errors) ? body.errors : [];
  if (errors.length === 0) return data;
  if (missingIsNull && isObject(data) && errors.every(isNotFound)) return data;
  const error = graphqlError({ requestLine: GRAPHQL, headers: textHeaders(headers), errors });
  if (!isObject(data) || mayLack === undefined || !errors.every((one) => isBelow(one, mayLack.field)))
    throw error;
  mayLack.onLack(error);
  return data;
}

function isBelow(error: unknown, field: string): boolean {
  return isObject(error) && 'path' in error && Array.isArray(error.path) && error.path.includes(field);
}

function isNotFound(error: unknown): boolean {
  return isObject(error) && 'type' in error && error.type === 'NOT_FOUND';
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A request that is made. */
interface Asking extends Pick<GitHubClientOptions, 'clock' | 'onPause' | 'needsWrite'> {
  readonly route: string;
  readonly signal: AbortSignal;
  /** Whether it does no harm to carry the request out twice. */
  readonly mayRepeat: boolean;
}

/** Requests after the first one. */
const MAX_RETRIES = { limited: 5, unavailable: 3 } as const;

/** The first pause of our own, in milliseconds; each further one is three times as long. */
const FIRST_PAUSE_MS = 1000;
const PAUSE_GROWTH = 3;

/** Whoever does not answer costs 20 s each time: nothing is asked for the third time after that. */
const UNAVAILABLE_MS = 40_000;

/** How long is waited where nobody has said how much time there is, in milliseconds. */
const DEFAULT_LEFT_MS = 120_000;

async function patiently<Answer>(asking: Asking, ask: () => Promise<Answer>): Promise<Answer> {
  const { clock, signal, onPause } = asking;
  const startMs = clock.now().getTime();
  const unknownEndMs = startMs + DEFAULT_LEFT_MS;
  for (let retries = 0; ; retries += 1) {
    try {
      return await ask();
    } catch (thrown) {
      if (!(thrown instanceof GitHubError)) throw thrown;
      const nowMs = clock.now().getTime();
      const pauseMs = pauseAfter(thrown, { ...asking, retries, spentMs: nowMs - startMs });
      const leftMs = timeLeftMs(signal) ?? unknownEndMs - nowMs;
      if (pauseMs === undefined || pauseMs >= leftMs) throw withRetries(thrown, retries, nowMs - startMs);
      onPause?.({ pauseMs, spentMs: nowMs - startMs, error: thrown });
      await clock.sleep(pauseMs, signal);
      signal.throwIfAborted();
    }
  }
}

/** How long to wait before the request is made again, in milliseconds; undefined where it is not. */
function pauseAfter(
  { reason, retryAfterMs = 0 }: GitHubError,
  { retries, mayRepeat, spentMs, clock }: Asking & { readonly retries: number; readonly spentMs: number },
): number | undefined {
  // Chance parts those who were turned away together.
  const ownMs = Math.round(FIRST_PAUSE_MS * PAUSE_GROWTH ** retries * (1 + clock.random() / 4));
  switch (reason) {
    case 'rate-limited':
      return retries < MAX_RETRIES.limited ? Math.max(retryAfterMs, ownMs) : undefined;
    case 'unavailable':
      return mayRepeat && retries < MAX_RETRIES.unavailable && spentMs < UNAVAILABLE_MS ? ownMs : undefined;
    case 'denied':
    case 'missing':
    case 'too-large':
    case 'invalid':
      return undefined;
  }
}

/** An error that also says how often it was met. */
function withRetries(error: GitHubError, retries: number, spentMs: number): GitHubError {
  if (retries === 0) return error;
  const seconds = Math.round(spentMs / 1000);
  return error.with({ message: `${error.message} (asked ${retries + 1} times in ${seconds} s)` });
}
