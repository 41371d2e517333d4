import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createResponse, HeaderList } from '../../../core/response.js';

/** As in fetch; a host that drops packets would take two minutes. */
const CONNECT_LIMIT_MS = 10_000;

/** What is sent unless the caller says otherwise, as fetch does. */
const DEFAULT_HEADERS = { accept: '*/*', 'user-agent': 'node' };

/** Not the caller's to choose, since the codings are undone here. */
const ACCEPTED_CODINGS = 'gzip, br';

/** As in fetch: each coding needs memory. */
const MAX_CODINGS = 5;

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
 * addresses here are those that the user has chosen, only the signal limits how long an answer may take, and a text is sent
 * without a content type of its own. What it does not know is left to Node's own, and so is a redirect that is to be
 * followed, which costs its first request again.
 */
export const directFetch: typeof globalThis.fetch = async (input, init) => {
  const request = plainRequest(input, init);
  if (request === undefined) return await globalThis.fetch(input, init);
  const { method, url, signal } = request;
  const message = await send(request);
  const { statusCode: status = 0, statusMessage: statusText = '' } = message;
  if (REDIRECTS.has(status) && message.headers.location !== undefined && init?.redirect !== 'manual') {
    message.destroy();
    return await globalThis.fetch(input, init);
  }
  const head = { status, statusText, headers: headersOf(message), url: url.href };
  if (method === 'HEAD' || BODILESS.has(status)) {
    message.resume();
    return createResponse(null, head);
  }
  const body = decoded(message);
  const cancel = () => {
    message.destroy();
    // By itself a decoder does not end if its source is destroyed after the last byte has come.
    body.destroy();
  };
  signal?.addEventListener('abort', cancel, { once: true });
  body.once('close', () => signal?.removeEventListener('abort', cancel));
  if (signal?.aborted === true) cancel();
  // As in fetch, an answer that nobody reads keeps no program from its end.
  message.socket.unref();
  return createResponse(receive(message, body, signal), { ...head, cancel });
};

function plainRequest(input: string | URL | Request, init: RequestInit = {}): PlainRequest | undefined {
  if (typeof input === 'object' && 'headers' in input) return undefined;
  const url = URL.canParse(String(input)) ? new URL(input) : undefined;
  const isPlain =
    url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  const { method = 'GET', body = null, signal, headers } = init;
  const isBytes = body instanceof Uint8Array;
  if (!isPlain || !(body === null || typeof body === 'string' || isBytes)) return undefined;
  const name = method.toUpperCase();
  // Fetch refuses it.
  if (body !== null && (name === 'GET' || name === 'HEAD')) return undefined;
  return {
    url,
    method: name,
    headers: new HeaderList(headers),
    body: body ?? undefined,
    signal: signal ?? undefined,
  };
}

/** Until the head of the answer is there. */
async function send({ url, method, headers, body, signal }: PlainRequest): Promise<IncomingMessage> {
  signal?.throwIfAborted();
  const sent = {
    ...DEFAULT_HEADERS,
    ...Object.fromEntries(headers),
    'accept-encoding': ACCEPTED_CODINGS,
    // For DELETE, Node would send a body without saying where it ends.
    ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }),
  };
  return await new Promise((resolve, reject) => {
    const fail = (cause: unknown) => reject(new TypeError('fetch failed', { cause }));
    try {
      const request = transportOf(url)(url, { method, headers: sent });
      const abort = () => {
        reject(signal?.reason);
        request.destroy();
      };
      const forget = () => signal?.removeEventListener('abort', abort);
      signal?.addEventListener('abort', abort, { once: true });
      limitConnecting(request, url);
      request.on('error', fail);
      request.on('response', (message) => {
        forget();
        resolve(message);
      });
      request.on('close', () => {
        forget();
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

/** The body as it comes. A signal that aborts ends it with its reason. */
async function* receive(
  message: IncomingMessage,
  body: Readable,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  try {
    signal?.throwIfAborted();
    // After the last byte the connection belongs to others.
    if (!message.complete) message.socket.ref();
    yield* body;
    // A body that is destroyed after its last byte ends without an error.
    signal?.throwIfAborted();
  } catch (thrown) {
    signal?.throwIfAborted();
    throw new TypeError('terminated', { cause: thrown });
  } finally {
    // Whoever stops in the middle wants no more; after the end the connection is free for the next request.
    message.destroy();
    body.destroy();
  }
}

/** Codings are undone in the reverse order of their names. */
function decoded(message: IncomingMessage): Readable {
  const codings = (message.headers['content-encoding'] ?? '')
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  if (codings.length > MAX_CODINGS) {
    message.destroy();
    const cause = new Error(`the answer has ${codings.length} content codings, more than ${MAX_CODINGS}`);
    throw new TypeError('fetch failed', { cause });
  }
  const decoders = codings.toReversed().flatMap((coding) => DECODERS[coding]?.() ?? []);
  return decoders.reduce<Readable>(
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
