import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Transform } from 'node:stream';
import { type Chunks, createResponse, HeaderList } from '../../../core/response.js';

/** As in fetch; a host that drops packets would take two minutes. */
const CONNECT_LIMIT_MS = 10_000;

/** What is sent unless the caller says otherwise, as fetch does. */
const DEFAULT_HEADERS = { accept: '*/*', 'accept-encoding': 'gzip, deflate, br', 'user-agent': 'node' };

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const BODILESS = new Set([204, 205, 304]);

/** A request that needs nothing of fetch. */
interface PlainRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: HeaderList;
  readonly body: string | Uint8Array | undefined;
  readonly signal: AbortSignal | undefined;
}

/**
 * Fetch for direct connections by `node:https`, which has asked before the code of Node's own is loaded. Rejects as that
 * does: with the signal's reason, or a `TypeError: fetch failed` with the cause. Differences: any port is asked, since
 * addresses here are those that the user has chosen, and only the signal limits how long an answer may take. What it does not
 * know is left to Node's own, and so is a redirect that is to be followed, which costs its first request again.
 */
export const directFetch: typeof globalThis.fetch = async (input, init) => {
  const request = plainRequest(input, init);
  if (request === undefined) return await globalThis.fetch(input, init);
  const message = await send(request);
  const status = message.statusCode ?? 0;
  if (REDIRECTS.has(status) && message.headers.location !== undefined && init?.redirect !== 'manual') {
    message.destroy();
    return await globalThis.fetch(input, init);
  }
  const isEmpty = request.method === 'HEAD' || BODILESS.has(status);
  if (isEmpty) message.resume();
  return createResponse(isEmpty ? null : receive(message, request.signal), {
    status,
    statusText: message.statusMessage ?? '',
    headers: headersOf(message),
    url: request.url.href,
    cancel: () => message.destroy(),
  });
};

function plainRequest(input: string | URL | Request, init: RequestInit = {}): PlainRequest | undefined {
  if (typeof input === 'object' && 'headers' in input) return undefined;
  const url = URL.canParse(String(input)) ? new URL(input) : undefined;
  const isPlain =
    url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  const { method = 'GET', body = null, signal, headers } = init;
  const isBytes = body instanceof Uint8Array;
  if (!isPlain || !(body === null || typeof body === 'string' || isBytes)) return undefined;
  return {
    url,
    method: method.toUpperCase(),
    headers: new HeaderList(headers),
    body: body ?? undefined,
    signal: signal ?? undefined,
  };
}

/** Until the head of the answer is there. */
async function send({ url, method, headers, body, signal }: PlainRequest): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const options = { method, headers: { ...DEFAULT_HEADERS, ...Object.fromEntries(headers) } };
  return await new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(new TypeError('fetch failed', { cause }));
    try {
      const request = transportOf(url)(url, options);
      const abort = () => {
        reject(signal?.reason);
        request.destroy();
      };
      signal?.addEventListener('abort', abort, { once: true });
      limitConnecting(request, url);
      request.on('error', fail);
      request.on('response', (message) => {
        signal?.removeEventListener('abort', abort);
        resolve(message);
      });
      request.on('close', () => {
        signal?.removeEventListener('abort', abort);
        // Only where no answer came: of one that wants another protocol Node reports nothing else.
        fail(new Error('the connection was closed without an answer'));
      });
      request.end(body);
    } catch (thrown) {
      fail(thrown);
    }
  });
}

type Transport = (url: URL, options: RequestOptions) => ClientRequest;

/** Loaded by the first request: a run that is skipped makes none. */
function transportOf({ protocol }: URL): Transport {
  return protocol === 'https:'
    ? process.getBuiltinModule('node:https').request
    : process.getBuiltinModule('node:http').request;
}

function limitConnecting(request: ClientRequest, { protocol }: URL): void {
  request.on('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(() => {
      const message = `connecting took more than ${CONNECT_LIMIT_MS / 1000} s`;
      request.destroy(Object.assign(new Error(message), { code: 'ETIMEDOUT' }));
    }, CONNECT_LIMIT_MS);
    const end = () => clearTimeout(timer);
    socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', end).once('close', end);
  });
}

function headersOf({ headersDistinct }: IncomingMessage): readonly (readonly [string, string])[] {
  return Object.entries(headersDistinct).flatMap(([name, values = []]) =>
    values.map((value) => [name, value] as const),
  );
}

/** The body as it comes, decoded. A signal that aborts ends it with its reason. */
async function* receive(
  message: IncomingMessage,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const abort = () => message.destroy();
  signal?.addEventListener('abort', abort, { once: true });
  try {
    signal?.throwIfAborted();
    yield* decoded(message);
  } catch (thrown) {
    signal?.throwIfAborted();
    throw new TypeError('terminated', { cause: thrown });
  } finally {
    signal?.removeEventListener('abort', abort);
    // Whoever stops in the middle wants no more; after the end the connection is free for the next request.
    message.destroy();
  }
}

/** Codings are undone in the reverse order of their names. */
function decoded(message: IncomingMessage): Chunks {
  const codings = (message.headers['content-encoding'] ?? '').toLowerCase().split(/[\s,]+/);
  const decoders = codings.toReversed().flatMap((coding) => DECODERS[coding]?.() ?? []);
  return decoders.reduce<Chunks & NodeJS.ReadableStream>(
    (from, to) => process.getBuiltinModule('node:stream').pipeline(from, to, () => undefined),
    message,
  );
}

const DECODERS: Readonly<Partial<Record<string, () => Transform>>> = {
  gzip: () => zlib().createGunzip(lenient(zlib().constants.Z_SYNC_FLUSH)),
  'x-gzip': () => zlib().createGunzip(lenient(zlib().constants.Z_SYNC_FLUSH)),
  deflate: () => zlib().createInflate(lenient(zlib().constants.Z_SYNC_FLUSH)),
  br: () => zlib().createBrotliDecompress(lenient(zlib().constants.BROTLI_OPERATION_FLUSH)),
};

function zlib(): typeof import('node:zlib') {
  return process.getBuiltinModule('node:zlib');
}

/** What has come can be read at once, also where the end of the coding is missing: as in fetch, and in browsers. */
function lenient(flush: number) {
  return { flush, finishFlush: flush };
}
