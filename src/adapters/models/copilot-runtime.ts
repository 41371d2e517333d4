import { join } from 'node:path';
import { COPILOT_STEP_TIMEOUT_MS, COPILOT_STOP_TIMEOUT_MS } from '../../core/defaults.js';
import { AxeError, messageOf, ProviderError } from '../../core/errors.js';
import { type OfferedModel, parseModelList } from './copilot-list.js';
import type { CopilotClient, CopilotSdk, CopilotSession } from './copilot-sdk.js';
import type { CopilotPorts, RunFolder } from './copilot-token.js';
import { field } from './json.js';

/** What a runtime is started from. */
interface RuntimeParts {
  readonly sdk: CopilotSdk;
  readonly token: string;
  /** In the place of GitHub's address; undefined for that. */
  readonly baseUrl: string | undefined;
  /** Sends what leaves for the service. */
  readonly fetch: typeof globalThis.fetch;
  readonly ports: Pick<CopilotPorts, 'childEnv' | 'createFolder' | 'newId'>;
}

/** What came of asking for the list of models. */
type ModelListing =
  | { readonly kind: 'listed'; readonly models: readonly OfferedModel[] }
  | { readonly kind: 'refused'; readonly status: number; readonly text: string; readonly headers: Headers }
  | { readonly kind: 'failed'; readonly error: unknown };

/** GitHub's runtime, as a way to the service. */
export interface CopilotRuntime {
  /** The models that the token may ask. Throws a ProviderError if the runtime cannot be started. */
  list(): Promise<ModelListing>;
  /** Sends a request for a model; the address is replaced by the service's. */
  send(model: string, path: string, init: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

/** A request of the runtime's, whose place ours takes. */
interface Exchange {
  take(request: Request): void;
}

/** What the service is asked on its own account is answered like this, so that nothing but our request is sent. */
function refusal(): Response {
  return Response.json({ error: { message: 'sent by axe-action' } }, { status: 400 });
}

/**
 * A runtime that is started with the first request and kept for the run. It authenticates and addresses requests; what
 * they say is ours. Every request of it comes through the SDK's request handler: the list of models is sent on, and in
 * the place of a session's first request ours is sent. The prompt never reaches the runtime. One that ended is replaced
 * with the next request.
 */
export function createCopilotRuntime(parts: RuntimeParts): CopilotRuntime {
  const { sdk, fetch, ports } = parts;
  const interactionId = ports.newId();
  const waiting = new Map<string, Exchange>();
  let listing: ModelListing | undefined;
  let started: Promise<Started> | undefined;
  let hasAnswered = false;
  const latest = (): ModelListing | undefined => listing;

  class Handler extends sdk.CopilotRequestHandler {
    sendRequest(request: Request, context: { readonly sessionId?: string }): Promise<Response> {
      return answer(request, context.sessionId ?? '');
    }
  }

  async function answer(request: Request, sessionId: string): Promise<Response> {
    if (request.method === 'GET' && new URL(request.url).pathname.endsWith('/models')) {
      return await sendList(request);
    }
    waiting.get(sessionId)?.take(request);
    waiting.delete(sessionId);
    return refusal();
  }

  async function sendList({ url, headers }: Request): Promise<Response> {
    const signal = AbortSignal.timeout(COPILOT_STEP_TIMEOUT_MS);
    try {
      const response = await fetch(url, { headers: Object.fromEntries(headers), signal });
      const text = await response.text();
      const { status } = response;
      listing = response.ok
        ? { kind: 'listed', models: parseModelList(text) }
        : { kind: 'refused', status, text, headers: response.headers };
      return new Response(text, { status, headers: { 'content-type': 'application/json' } });
    } catch (error) {
      listing = { kind: 'failed', error };
      throw error;
    }
  }

  async function client(): Promise<CopilotClient> {
    started ??= start(parts, new Handler());
    const mine = started;
    try {
      return (await mine).client;
    } catch (thrown) {
      if (started === mine) started = undefined;
      throw thrown;
    }
  }

  /** Does something with the runtime; one that fails is replaced with the next request. */
  async function use<T>(work: (client: CopilotClient) => Promise<T>): Promise<T> {
    const running = await client();
    const mine = started;
    try {
      return await withinLimit(work(running));
    } catch (thrown) {
      if (started === mine) {
        started = undefined;
        listing = undefined;
        void mine?.then(stop).catch(() => undefined);
      }
      throw runtimeError(thrown);
    }
  }

  async function list(): Promise<ModelListing> {
    if (listing?.kind === 'listed') return listing;
    return await use(async (running) => {
      listing = undefined;
      // Its error says less than the answer that came through the handler.
      const failed = await running.listModels().then(
        () => undefined,
        (thrown: unknown) => ({ thrown }),
      );
      const found = latest();
      if (found !== undefined) return found;
      throw failed?.thrown ?? new Error('it did not ask for the list of models');
    });
  }

  async function send(model: string, path: string, init: RequestInit): Promise<Response> {
    const signal = init.signal ?? undefined;
    signal?.throwIfAborted();
    const before = await list();
    if (before.kind === 'refused') return answerOf(before);
    if (before.kind === 'failed') throw before.error;
    const request = await untilAborted(
      use((running) => nextRequest(running, model)),
      signal,
    );
    // The runtime may have asked for the list again: without one it falls back to an address of its own.
    const after = latest();
    if (after?.kind === 'refused') return answerOf(after);
    if (after?.kind === 'failed') throw after.error;
    const headers = ownHeaders(request.headers, init.headers);
    headers.set('x-initiator', hasAnswered ? 'agent' : 'user');
    headers.set('x-interaction-type', hasAnswered ? 'conversation-agent' : 'conversation-user');
    headers.set('x-interaction-id', interactionId);
    const url = addressOf(request.url, path, parts.baseUrl);
    const response = await fetch(url, { ...init, headers: Object.fromEntries(headers) });
    if (response.ok) hasAnswered = true;
    return response;
  }

  /** The request that the runtime makes of a message: its address and headers are what is wanted of it. */
  async function nextRequest(running: CopilotClient, model: string): Promise<Request> {
    const session = await running.createSession({ ...SESSION, model });
    const { sessionId } = session;
    try {
      return await new Promise<Request>((resolve, reject) => {
        waiting.set(sessionId, { take: resolve });
        session.on((event) => {
          if (field(event, 'type') !== 'session.error') return;
          reject(new Error(String(field(field(event, 'data'), 'message'))));
        });
        session.send({ prompt: '.' }).catch(reject);
      });
    } finally {
      waiting.delete(sessionId);
      // Nobody has to wait for it; what is left goes with the folder.
      void endSession(running, session).catch(() => undefined);
    }
  }

  return {
    list,
    send,
    async close() {
      const running = started;
      started = undefined;
      await running?.then(stop).catch(() => undefined);
    },
  };
}

interface Started {
  readonly client: CopilotClient;
  readonly folders: readonly RunFolder[];
}

/** Nothing but a conversation without tools: no instructions of files, no servers, no telemetry. */
const SESSION: Readonly<Record<string, unknown>> = {
  clientName: 'axe-action',
  availableTools: [],
  systemMessage: { mode: 'replace', content: '.' },
  skipCustomInstructions: true,
  enableConfigDiscovery: false,
  enableSessionTelemetry: false,
  disabledMcpServers: ['github-mcp-server'],
  infiniteSessions: { enabled: false },
};

/** The runtime's home and current folder are empty and its own, so that it finds nobody's files and leaves none. */
async function start({ sdk, token, baseUrl, ports }: RuntimeParts, requestHandler: object): Promise<Started> {
  const home = await ports.createFolder();
  const work = await ports.createFolder();
  const client = new sdk.CopilotClient({
    connection: sdk.RuntimeConnection.forStdio(),
    mode: 'empty',
    workingDirectory: work.path,
    baseDirectory: join(home.path, '.copilot'),
    logLevel: 'none',
    // False would make the runtime ignore the token of its environment as well.
    useLoggedInUser: true,
    env: {
      ...ports.childEnv,
      HOME: home.path,
      USERPROFILE: home.path,
      COPILOT_GITHUB_TOKEN: token,
      ...(baseUrl === undefined ? {} : { COPILOT_API_URL: baseUrl }),
    },
    requestHandler,
  });
  const started = { client, folders: [home, work] };
  try {
    await withinLimit(client.start());
    return started;
  } catch (thrown) {
    await stop(started);
    throw runtimeError(thrown);
  }
}

/** Ends the runtime, with force if it does not end by itself, and removes its folders. */
async function stop({ client, folders }: Started): Promise<void> {
  try {
    await within(client.stop(), COPILOT_STOP_TIMEOUT_MS);
  } catch {
    await client.forceStop().catch(() => undefined);
  }
  for (const folder of folders) await folder.remove().catch(() => undefined);
}

async function endSession(client: CopilotClient, session: CopilotSession): Promise<void> {
  await session.disconnect();
  await client.deleteSession(session.sessionId);
}

function answerOf({ status, text, headers }: Extract<ModelListing, { kind: 'refused' }>): Response {
  const kept = [...headers].filter(([name]) => /^(?:date|retry-after(?:-ms)?)$/.test(name));
  return new Response(text, { status, headers: [...kept, ['content-type', 'application/json']] });
}

/** Ours say in which form the body is; who asks is said by the runtime's. */
function ownHeaders(theirs: Headers, ours: RequestInit['headers']): Headers {
  const headers = new Headers(theirs);
  // The runtime streams its request, and may have made it for a model of another maker.
  for (const name of [...headers.keys()]) {
    if (/^(?:content-length|x-stainless-.*|anthropic-.*)$/.test(name)) headers.delete(name);
  }
  for (const [name, value] of new Headers(ours)) {
    if (/^(?:content-type|accept|anthropic-.*)$/.test(name)) headers.set(name, value);
  }
  return headers;
}

const ENDPOINT = /\/(?:chat\/completions|responses|v1\/messages)$/;

/** The service's address for a path. Throws a ProviderError if the runtime asks at an address of an unknown form. */
function addressOf(url: string, path: string, baseUrl: string | undefined): string {
  if (baseUrl !== undefined) return `${baseUrl.replace(/\/+$/, '')}${path}`;
  const { origin, pathname } = new URL(url);
  if (ENDPOINT.test(pathname)) return `${origin}${pathname.replace(ENDPOINT, '')}${path}`;
  throw new ProviderError('server', 'the Copilot runtime asked at an address of an unknown form', {
    status: 400,
    remedy: 'Install the version of the SDK that the documentation names.',
  });
}

function runtimeError(thrown: unknown): AxeError {
  if (thrown instanceof AxeError) return thrown;
  const text = messageOf(thrown);
  if (/not authenticated|no github oauth token/i.test(text)) {
    return new ProviderError('auth', 'the Copilot runtime does not accept the token', { cause: thrown });
  }
  return new ProviderError('server', `the Copilot runtime failed: ${text.slice(0, 200)}`, { cause: thrown });
}

async function withinLimit<T>(work: Promise<T>): Promise<T> {
  return await within(work, COPILOT_STEP_TIMEOUT_MS);
}

async function within<T>(work: Promise<T>, limitMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not answer within ${limitMs / 1000} s`)), limitMs);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

/** The work's result, or the signal's reason as soon as it aborts. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await work;
  let stopWaiting: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    const fail = () => reject(signal.reason);
    signal.addEventListener('abort', fail, { once: true });
    stopWaiting = () => signal.removeEventListener('abort', fail);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stopWaiting?.();
    work.catch(() => undefined);
  }
}
