import { setImmediate } from 'node:timers/promises';
import { type Clock, timeLeftMs } from '../../lib/clock.js';
import { groupBy, isObject, propertyOf } from '../../lib/data.js';
import { GITHUB_SILENCE_MS } from '../../lib/defaults.js';
import type { Environment } from '../../lib/environment.js';
import { ConfigError, messageOf, networkCause } from '../../lib/errors.js';
import {
  GitHubError,
  GRAPHQL,
  graphqlError,
  httpError,
  networkError,
  withNeededWrites,
} from './errors.js';
import type { GitHubErrorReason } from './refusals.js';

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
  /**
   * The bytes of a file that GitHub keeps on another of its hosts (`GET …/tarball/{ref}`), as they
   * come. They are fetched without the token, and not fetched again after trouble. Reading them
   * throws what a request rejects with.
   */
  download(
    route: string,
    options: {
      readonly params: Readonly<Record<string, unknown>>;
      readonly signal: AbortSignal;
    },
  ): Promise<AsyncIterable<Uint8Array>>;
}

/** Errors of a query that do not reject its whole answer. */
export interface Tolerated {
  /** Anything that does not exist is null in the data. */
  readonly missingIsNull?: boolean;
  /** Fields that GitHub can refuse by themselves: each is null in the data then. */
  readonly mayLack?: readonly {
    readonly field: string;
    /** For the remedy. */
    readonly permission: string;
    onLack(error: GitHubError): void;
  }[];
  /**
   * The caller can ask for less. A query that GitHub gave up on is then `too-much`, and is not
   * asked again: GitHub bills it each time.
   */
  readonly canAskForLess?: boolean;
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
  /** Called before each pause. */
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
  /** Since the request was first sent. */
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
  const { needsWrite } = options;
  const waitForTurn = createWriteQueue(options.clock);

  return {
    async request(route, { params, accept, signal }) {
      const headers = accept === undefined ? {} : { accept };
      const isRead = route.startsWith('GET ');
      const call = { signal, canRepeat: !route.startsWith('POST '), isRead };
      return await patiently(options, call, async () => {
        if (!isRead) await waitForTurn(signal);
        try {
          const answer = await octokit.request(route, { ...params, headers, request: { signal } });
          return { body: answer.data };
        } catch (thrown) {
          throw requestError(route, needsWrite, thrown);
        }
      });
    },
    async graphql(query, { variables, signal, ...tolerated }) {
      const body = { query, variables, request: { signal } };
      const isMutation = /^\s*mutation\b/.test(query);
      const call = { signal, canRepeat: !isMutation, isRead: false };
      return await patiently(options, call, async () => {
        if (isMutation) await waitForTurn(signal);
        try {
          return graphqlData(
            await octokit.request(`POST ${options.graphqlUrl}`, body),
            tolerated,
            needsWrite,
          );
        } catch (thrown) {
          const error = requestError(GRAPHQL, needsWrite, thrown);
          if (isMutation) throw mutationError(error);
          throw tolerated.canAskForLess === true ? queryError(error) : error;
        }
      });
    },
    async download(route, { params, signal }) {
      const call = { signal, canRepeat: true, isRead: true };
      const answer = await patiently(options, call, async () => {
        try {
          const request = { signal, redirect: 'manual' } as const;
          return await octokit.request(route, { ...params, request });
        } catch (thrown) {
          throw requestError(route, needsWrite, thrown);
        }
      });
      const requestLine = route.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name]));
      const address = addressOnGitHub(answer.headers.location, options.apiUrl);
      if (address === undefined) throw notWhereExpected(requestLine);
      return fetchBytes(address, { ...options, requestLine, signal });
    },
  };
}

/**
 * GitHub keeps archives on a host below its own: `codeload.github.com` for `api.github.com`,
 * `codeload.HOST` or HOST itself on GHES. Undefined for any other address.
 */
function addressOnGitHub(location: string | undefined, apiUrl: string): URL | undefined {
  if (location === undefined || !URL.canParse(location, apiUrl)) return undefined;
  const [address, api] = [new URL(location, apiUrl), new URL(apiUrl)];
  const host = api.hostname.replace(/^api\./, '');
  const isBelow = address.hostname === host || address.hostname.endsWith(`.${host}`);
  return isBelow && address.protocol === api.protocol ? address : undefined;
}

function notWhereExpected(requestLine: string): GitHubError {
  const message = `GitHub's answer to \`${requestLine}\` leads to none of its own hosts`;
  return new GitHubError(message, { reason: 'invalid' });
}

async function* fetchBytes(
  address: URL,
  {
    fetch,
    userAgent,
    requestLine,
    signal,
  }: Pick<GitHubClientOptions, 'fetch' | 'userAgent'> & {
    readonly requestLine: string;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<Uint8Array> {
  const silence = limitSilence(GITHUB_SILENCE_MS);
  try {
    const response = await fetch(address, {
      headers: { 'user-agent': userAgent },
      redirect: 'error',
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw httpError(requestLine, { status: response.status, headers: {}, body: undefined });
    }
    for await (const part of response.body ?? []) {
      silence.heard();
      yield part;
    }
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof GitHubError) throw thrown;
    throw networkError(requestLine, networkCause(thrown));
  } finally {
    silence.end();
  }
}

interface Call {
  readonly signal: AbortSignal;
  /** Carrying the request out twice does no harm. */
  readonly canRepeat: boolean;
  readonly isRead: boolean;
}

/** Sends a request, and sends it again after passing trouble. */
async function patiently<Answer>(
  { clock, onPause }: Pick<GitHubClientOptions, 'clock' | 'onPause'>,
  { signal, canRepeat, isRead }: Call,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const startMs = clock.now().getTime();
  for (let retries = 0; ; retries += 1) {
    signal.throwIfAborted();
    try {
      return await ask();
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof GitHubError)) throw error;

      const spentMs = clock.now().getTime() - startMs;
      // A random part separates clients that were refused together.
      const ownMs = Math.round(FIRST_PAUSE_MS * PAUSE_GROWTH ** retries * (1 + clock.random() / 4));
      const pauseMs = Math.max(error.retryAfterMs ?? 0, ownMs);
      const isPassing =
        isLimitThatPasses(error, retries) ||
        (canRepeat && isTroubleThatPasses(error, retries, spentMs)) ||
        (isRead && isTooEarly(error, retries));
      if (!isPassing || pauseMs >= (timeLeftMs(signal) ?? DEFAULT_LEFT_MS - spentMs)) {
        const effort = `asked ${retries + 1} times in ${Math.round(spentMs / 1000)} s`;
        throw retries === 0 ? error : error.with({ message: `${error.message} (${effort})` });
      }
      onPause?.({ pauseMs, spentMs, error });
      await clock.sleep(pauseMs, signal);
    }
  }
}

function isLimitThatPasses({ reason }: GitHubError, retries: number): boolean {
  return reason === 'rate-limited' && retries < MAX_RETRIES.limited;
}

function isTroubleThatPasses({ reason }: GitHubError, retries: number, spentMs: number): boolean {
  return reason === 'unavailable' && retries < MAX_RETRIES.unavailable && spentMs < UNAVAILABLE_MS;
}

/** A repository or branch that is being created: GitHub refuses to read it, and soon does not. */
function isTooEarly({ reason, about, status }: GitHubError, retries: number): boolean {
  const isRefused = reason === 'invalid' && about === undefined;
  return isRefused && (status === 409 || status === 422) && retries === 0;
}

/**
 * The one queue of a client's writes. GitHub refuses many writes in a row by a limit that it does
 * not publish, and asks for a second between two ("Best practices for using the REST API"). A
 * usual run writes less than the first ten, which wait for nothing.
 */
function createWriteQueue(
  clock: GitHubClientOptions['clock'],
): (signal: AbortSignal) => Promise<void> {
  let started = 0;
  let nextMs = 0;
  return async (signal) => {
    const nowMs = clock.now().getTime();
    started += 1;
    const startMs = started <= FREE_WRITES ? nowMs : Math.max(nowMs, nextMs);
    nextMs = startMs + WRITE_DISTANCE_MS;
    if (startMs > nowMs) await clock.sleep(startMs - nowMs, signal);
  };
}

const FREE_WRITES = 10;
const WRITE_DISTANCE_MS = 1000;

/** A mutation that GitHub gave up on may have been carried out. */
function mutationError(error: unknown): unknown {
  const isGivenUp = error instanceof GitHubError && error.reason === 'too-much';
  return isGivenUp ? error.with({ reason: 'unavailable' }) : error;
}

/** GitHub gives up on a query after ten seconds, and answers in its words or with one of these. */
const GATEWAY_STATUSES: readonly (number | undefined)[] = [502, 504];

/** A query that GitHub gave up on is too much. A connection that broke says nothing about it. */
function queryError(error: unknown): unknown {
  if (!(error instanceof GitHubError) || error.reason !== 'unavailable') return error;
  const isGivenUp = GATEWAY_STATUSES.includes(error.status) || error.isInAnswer;
  return isGivenUp ? error.with({ reason: 'too-much' }) : error;
}

/** Requests after the first one. */
const MAX_RETRIES = { limited: 5, unavailable: 3 } as const;

/** The first pause of our own, in milliseconds; each further one is three times as long. */
const FIRST_PAUSE_MS = 1000;
const PAUSE_GROWTH = 3;

/** A server that does not answer costs 20 s each time: there is no third attempt after that. */
const UNAVAILABLE_MS = 40_000;

/** The limit of all pauses where no deadline is known, in milliseconds. */
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

/** A large body gets more time: 50 KB a second. */
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
    const silence = limitSilence(limitMs);
    const signals = [silence.signal, ...(init?.signal ? [init.signal] : [])];
    try {
      const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
      silence.heard();
      if (response.body === null) return response;
      const parts: Uint8Array[] = [];
      for await (const part of response.body) {
        silence.heard();
        parts.push(part);
      }
      return new Response(Buffer.concat(parts), response);
    } finally {
      silence.end();
    }
  };
}

/** The turns of the event loop in which bytes that have arrived already reach their reader. */
const READING_TURNS = 10;

/**
 * Aborts after a silence. On a busy machine the timer can be late together with bytes that have
 * arrived long ago, so these are read before the silence is judged.
 */
function limitSilence(limitMs: number) {
  const controller = new AbortController();
  let heardCount = 0;
  let hasEnded = false;
  const timer = setTimeout(() => void judge(heardCount), limitMs);

  async function judge(countBefore: number): Promise<void> {
    for (let turn = 0; turn < READING_TURNS; turn += 1) await setImmediate();
    if (hasEnded || heardCount !== countBefore) return;
    controller.abort(new Error(`no answer within ${Math.round(limitMs / 1000)} s`));
  }
  return {
    signal: controller.signal,
    heard(): void {
      heardCount += 1;
      timer.refresh();
    },
    end(): void {
      hasEnded = true;
      clearTimeout(timer);
    },
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
  if (thrown instanceof GitHubError) return thrown;
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
  { missingIsNull = false, mayLack = [] }: Tolerated,
  needsWrite: readonly string[] = [],
): unknown {
  if (!isObject(body))
    throw networkError(GRAPHQL, { code: undefined, message: 'the answer is not JSON' });
  const [data, listed] = [propertyOf(body, 'data'), propertyOf(body, 'errors')];
  const errors: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const canMiss = missingIsNull && isObject(data);
  const counted = canMiss
    ? errors.filter((error) => propertyOf(error, 'type') !== 'NOT_FOUND')
    : errors;
  if (counted.length === 0) return data;

  const errorOf = (refused: readonly unknown[]) => graphqlError(refused, headers as Environment);
  const whole = errorOf(counted);
  const refusedByField = groupBy(counted, (error) => fieldOf(error, mayLack));
  if (!isObject(data) || refusedByField.has(undefined) || !LACKS.has(whole.reason)) throw whole;
  for (const { field, permission, onLack } of mayLack) {
    const refused = refusedByField.get(field);
    if (refused !== undefined)
      onLack(errorOf(refused).withPermission(withNeededWrites(permission, needsWrite)));
  }
  return data;
}

/** A part that is refused for one of these is refused for good; other reasons pass. */
const LACKS: ReadonlySet<GitHubErrorReason> = new Set(['denied', 'missing', 'invalid']);

/** The field that an error is about. Fields can be in each other, so the innermost counts. */
function fieldOf(
  error: unknown,
  mayLack: readonly { readonly field: string }[],
): string | undefined {
  const path = propertyOf(error, 'path');
  if (!Array.isArray(path)) return undefined;
  const fields = new Set<unknown>(mayLack.map(({ field }) => field));
  return path.findLast((part): part is string => fields.has(part));
}
