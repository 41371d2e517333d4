import type { Clock, Timer } from '../../../core/clock.js';
import { GITHUB_SILENCE_MS } from '../../../core/defaults.js';
import type { Environment } from '../../../core/environment.js';
import { ConfigError, messageOf } from '../../../core/errors.js';
import { networkCause } from '../../../core/network-cause.js';
import { type Chunks, readBytes } from '../../../core/response.js';
import { type GitHubError, graphqlError, httpError, networkError } from './errors.js';

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
  readonly clock: Pick<Clock, 'timer'>;
  /** Permissions (`checks`) that are needed with `write` later: a refusal to read names them like that at once. */
  readonly needsWrite?: readonly string[];
}

const GRAPHQL = 'POST /graphql';

type Octokit = ReturnType<typeof import('@actions/github').getOctokit>;
type OctokitResponse = Awaited<ReturnType<Octokit['request']>>;

/**
 * A client over `@actions/github` that makes each request once and waits for no answer for ever.
 */
export async function createGitHubClient(options: GitHubClientOptions): Promise<GitHubClient> {
  const { needsWrite = [] } = options;
  const octokit = await createOctokit(options);
  return {
    async request(route, { params, accept, signal }) {
      const response = await send({ route, signal, needsWrite }, () =>
        octokit.request(route, {
          ...params,
          ...(accept === undefined ? {} : { headers: { accept } }),
          request: { signal },
        }),
      );
      return { status: response.status, headers: textHeaders(response.headers), body: response.data };
    },
    async graphql(query, { variables, signal, ...tolerated }) {
      const answer = await send({ route: GRAPHQL, signal, needsWrite }, () =>
        octokit.request(`POST ${options.graphqlUrl}`, { query, variables, request: { signal } }),
      );
      return graphqlData(answer, tolerated);
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
  { signal, ...sent }: Sent & { readonly signal: AbortSignal },
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

interface Sent {
  readonly route: string;
  readonly needsWrite: readonly string[];
}

/** Reads the error by shape: the library's error classes are not loaded before they are needed. */
function requestError({ route, needsWrite }: Sent, thrown: unknown): unknown {
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

/** What is sent is given so much more time: 50 KB a second. */
const SENT_BYTES_PER_MS = 50;

/**
 * A fetch that gives up when nothing comes for a while, and longer where much is sent. It returns answers that are there
 * to the last byte: octokit takes one that breaks off in the middle for a whole one. For octokit only an `AbortError` is an
 * abort; any other reason of the signal it would take for a broken connection.
 */
export function timedFetch(
  fetch: typeof globalThis.fetch,
  clock: Pick<Clock, 'timer'>,
): typeof globalThis.fetch {
  return async (input, init) => {
    const silence = watchSilence(clock, GITHUB_SILENCE_MS + sizeOf(init?.body) / SENT_BYTES_PER_MS);
    const outer = init?.signal ?? undefined;
    const signal = outer === undefined ? silence.signal : AbortSignal.any([outer, silence.signal]);
    try {
      const response = await fetch(input, { ...init, signal });
      silence.heard();
      if (response.body === null) return response;
      return new Response(await readBytes(listening(response.body, silence)), response);
    } catch (thrown) {
      if (outer?.aborted === true) throw new DOMException('the request was aborted', 'AbortError');
      if (silence.signal.aborted)
        throw new Error(`no answer within ${Math.round(silence.limitMs() / 1000)} s`);
      throw thrown;
    } finally {
      silence.end();
    }
  };
}

interface Silence {
  /** Aborted when it has lasted too long. */
  readonly signal: AbortSignal;
  /** Something came, so the time begins anew. */
  heard(): void;
  /** How long it may last now, in milliseconds. */
  limitMs(): number;
  end(): void;
}

function watchSilence(clock: Pick<Clock, 'timer'>, firstLimitMs: number): Silence {
  const controller = new AbortController();
  let limitMs = firstLimitMs;
  let timer = start();
  return {
    signal: controller.signal,
    heard() {
      timer.clear();
      limitMs = GITHUB_SILENCE_MS;
      timer = start();
    },
    limitMs: () => limitMs,
    end: () => timer.clear(),
  };

  function start(): Timer {
    const started = clock.timer(limitMs);
    started.signal.addEventListener('abort', () => controller.abort(), { once: true });
    return started;
  }
}

async function* listening(chunks: Chunks, silence: Silence): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    silence.heard();
  }
}

/** octokit sends text. */
function sizeOf(body: RequestInit['body']): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : 0;
}
