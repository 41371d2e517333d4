import { type Clock, timeLeftMs } from '../../lib/clock.js';
import { propertyOf } from '../../lib/data.js';
import { GITHUB_SILENCE_MS } from '../../lib/defaults.js';
import type { Environment } from '../../lib/environment.js';
import { ConfigError, messageOf, networkCause } from '../../lib/errors.js';
import { GitHubError, GRAPHQL, graphqlError, httpError, networkError } from './errors.js';

/**
 * The one door to GitHub. Both calls reject with a {@link GitHubError}, or with the signal's reason
 * once it is aborted.
 */
export interface GitHubClient {
  /**
   * `route` is a method and a path template, `GET /repos/{owner}/{repo}`. `params` fill the
   * placeholders; the rest becomes the query string (GET) or the JSON body. `accept` is the media
   * type asked for, GitHub's JSON unless said otherwise. The body is parsed JSON, text, or an
   * ArrayBuffer where the answer is neither.
   */
  request(
    route: string,
    options: {
      readonly params?: Readonly<Record<string, unknown>>;
      readonly accept?: string;
      readonly signal: AbortSignal;
    },
  ): Promise<{ readonly body: unknown }>;
  /** The answer's `data`. An answer with `errors` is rejected. */
  graphql(
    query: string,
    options: Tolerated & {
      readonly variables: Readonly<Record<string, unknown>>;
      readonly signal: AbortSignal;
    },
  ): Promise<unknown>;
}

/** Errors of a query that do not reject its whole answer. */
export interface Tolerated {
  /** What does not exist is null in the data. */
  readonly missingIsNull?: boolean;
  /**
   * A field that may be refused by itself: it is null in the data then, and `onLack` is told why.
   */
  readonly mayLack?: { readonly field: string; onLack(error: GitHubError): void };
}

interface GitHubClientOptions {
  readonly token: string;
  /** `https://api.github.com`, or `https://HOST/api/v3` on GHES (`GITHUB_API_URL`). */
  readonly apiUrl: string;
  /**
   * `https://api.github.com/graphql`, or `https://HOST/api/graphql` on GHES (`GITHUB_GRAPHQL_URL`).
   */
  readonly graphqlUrl: string;
  readonly fetch: typeof globalThis.fetch;
  readonly userAgent: string;
  readonly clock: Pick<Clock, 'now' | 'sleep' | 'random'>;
  /** Told of each pause before it begins. */
  readonly onPause?: (pause: RetryPause) => void;
  /**
   * Permissions (`checks`) that are needed with `write` later: a refusal to read names them like
   * that at once.
   */
  readonly needsWrite?: readonly string[];
}

type Octokit = ReturnType<typeof import('@actions/github').getOctokit>;

export interface RetryPause {
  readonly pauseMs: number;
  /** How long the request takes already. */
  readonly spentMs: number;
  readonly error: GitHubError;
}

/**
 * A client over `@actions/github` that waits for no answer for ever, and asks again when GitHub is
 * in passing trouble, for reads and writes alike and until the signal's time is up (see {@link
 * timeLeftMs}): the one policy for all of GitHub's calls. What GitHub limits was not carried out,
 * so any request is made again, as late as GitHub asks. After a broken connection or a status of
 * 500 and above that is true of what may be carried out twice: not of a POST or a mutation, of
 * which only the answer may be lost.
 */
export async function createGitHubClient(options: GitHubClientOptions): Promise<GitHubClient> {
  const octokit = await createOctokit(options);
  const { clock, onPause, needsWrite } = options;

  /** `mayRepeat`: it does no harm to carry the request out twice. */
  async function patiently<Answer>(
    route: string,
    mayRepeat: boolean,
    signal: AbortSignal,
    ask: () => Promise<Answer>,
  ): Promise<Answer> {
    const startMs = clock.now().getTime();
    for (let retries = 0; ; retries += 1) {
      signal.throwIfAborted();
      try {
        return await ask();
      } catch (thrown) {
        signal.throwIfAborted();
        const error = requestError(route, needsWrite, thrown);
        if (!(error instanceof GitHubError)) throw error;
        const spentMs = clock.now().getTime() - startMs;
        // Chance parts those who were turned away together.
        const ownMs = Math.round(
          FIRST_PAUSE_MS * PAUSE_GROWTH ** retries * (1 + clock.random() / 4),
        );
        const isPassing =
          error.reason === 'rate-limited'
            ? retries < MAX_RETRIES.limited
            : error.reason === 'unavailable' &&
              mayRepeat &&
              retries < MAX_RETRIES.unavailable &&
              spentMs < UNAVAILABLE_MS;
        const pauseMs = Math.max(error.retryAfterMs ?? 0, ownMs);
        if (!isPassing || pauseMs >= (timeLeftMs(signal) ?? DEFAULT_LEFT_MS - spentMs)) {
          const asked = `asked ${retries + 1} times in ${Math.round(spentMs / 1000)} s`;
          throw retries === 0 ? error : error.with({ message: `${error.message} (${asked})` });
        }
        onPause?.({ pauseMs, spentMs, error });
        await clock.sleep(pauseMs, signal);
      }
    }
  }

  return {
    async request(route, { params, accept, signal }) {
      const headers = accept === undefined ? {} : { accept };
      return await patiently(route, !route.startsWith('POST '), signal, async () => {
        const { data } = await octokit.request(route, { ...params, headers, request: { signal } });
        return { body: data };
      });
    },
    async graphql(query, { variables, signal, ...tolerated }) {
      const body = { query, variables, request: { signal } };
      return await patiently(GRAPHQL, !/^\s*mutation\b/.test(query), signal, async () =>
        graphqlData(await octokit.request(`POST ${options.graphqlUrl}`, body), tolerated),
      );
    },
  };
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

/**
 * The package is imported late and its `context` is not read: importing it reads the event file and
 * the proxy of the environment, and throws where one is malformed. In the action both were checked
 * by then.
 */
async function createOctokit(options: GitHubClientOptions): Promise<Octokit> {
  const { getOctokit } = await import('@actions/github').catch((thrown: unknown) => {
    throw new ConfigError(`the environment cannot be used to reach GitHub: ${messageOf(thrown)}`, {
      remedy: 'Check `GITHUB_EVENT_PATH` and the proxy variables, or unset them.',
    });
  });
  return getOctokit(options.token, {
    baseUrl: options.apiUrl,
    userAgent: options.userAgent,
    log: SILENT,
    request: { fetch: timedFetch(options.fetch), log: SILENT },
  });
}

const SILENT = { debug: ignore, info: ignore, warn: ignore, error: ignore };

function ignore(): void {}

/** What is sent is given so much more time: 50 KB a second. */
const SENT_BYTES_PER_MS = 50;

/**
 * A fetch that gives up when nothing comes for a while, and longer where much is sent. It returns
 * answers that are there to the last byte: octokit takes one that breaks off in the middle for a
 * whole one.
 */
function timedFetch(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return async (input, init) => {
    const sentBytes = typeof init?.body === 'string' ? Buffer.byteLength(init.body) : 0;
    const limitMs = GITHUB_SILENCE_MS + sentBytes / SENT_BYTES_PER_MS;
    const silence = new AbortController();
    const timer = setTimeout(
      () => silence.abort(new Error(`no answer within ${Math.round(limitMs / 1000)} s`)),
      limitMs,
    );
    const signals = [silence.signal, ...(init?.signal ? [init.signal] : [])];
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
      timer.refresh();
      if (response.body === null) return response;
      const parts: Uint8Array[] = [];
      for await (const part of response.body) {
        timer.refresh();
        parts.push(part);
      }
      return new Response(Buffer.concat(parts), response);
    } finally {
      clearTimeout(timer);
    }
  };
}

/**
 * An error of octokit's, whose class is not loaded before it is needed; without a response no
 * answer came.
 */
interface RequestError extends Error {
  readonly status: number;
  readonly request: { readonly url: string };
  readonly response?: { readonly headers: Environment; readonly data: unknown };
}

function requestError(
  route: string,
  needsWrite: readonly string[] | undefined,
  thrown: unknown,
): unknown {
  if (!(thrown instanceof Error) || !('status' in thrown) || typeof thrown.status !== 'number')
    return thrown;
  const { status, request, response } = thrown as RequestError;
  const path = decodeURIComponent(new URL(request.url).pathname).replace(/^\/api\/v3(?=\/)/, '');
  const requestLine = route === GRAPHQL ? GRAPHQL : `${route.split(' ')[0]} ${path}`;
  if (response === undefined) return networkError(requestLine, networkCause(thrown));
  return httpError(
    requestLine,
    { status, headers: response.headers, body: response.data },
    needsWrite,
  );
}

/** GraphQL answers 200 to a query it could not carry out. */
function graphqlData(
  { data: body, headers }: Awaited<ReturnType<Octokit['request']>>,
  { missingIsNull = false, mayLack }: Tolerated,
): unknown {
  if (!isObject(body))
    throw networkError(GRAPHQL, { code: undefined, message: 'the answer is not JSON' });
  const [data, told] = [propertyOf(body, 'data'), propertyOf(body, 'errors')];
  const errors: readonly unknown[] = Array.isArray(told) ? told : [];
  if (errors.length === 0) return data;
  const mayMiss = missingIsNull && isObject(data);
  const left = mayMiss ? errors.filter((one) => propertyOf(one, 'type') !== 'NOT_FOUND') : errors;
  if (left.length === 0) return data;
  const error = graphqlError(left, headers as Environment);
  if (!isObject(data) || mayLack === undefined || !left.every((one) => isBelow(one, mayLack.field)))
    throw error;
  mayLack.onLack(error);
  return data;
}

function isBelow(error: unknown, name: string): boolean {
  const path = propertyOf(error, 'path');
  return Array.isArray(path) && path.includes(name);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
