import type { ServerResponse } from 'node:http';
import { asStream } from '../__tests__/helpers/as-stream.js';
import { type Peer, type RecordedRequest, sendJson, startLoopback } from '../__tests__/helpers/loopback.js';
import { promptOf } from '../__tests__/helpers/wire-prompt.js';
import { type Recordings, requestKey } from './recordings.js';
import { type Script, scriptedCalls, scriptedReply } from './script.js';

/** Where a gateway takes its answers from. */
export type Source =
  | ScriptedSource
  | AskedSource
  /** A scripted reviewer, and second looks that a model takes. */
  | { readonly kind: 'split'; readonly script: Script; readonly verifier: AskedSource };

interface ScriptedSource {
  readonly kind: 'script';
  readonly script: Script;
}

/** A model answers, now or when it was recorded. */
export type AskedSource =
  | { readonly kind: 'recorded'; readonly recordings: Recordings }
  | {
      readonly kind: 'live';
      /** With the version path. */
      readonly baseUrl: string;
      readonly fetch: typeof globalThis.fetch;
      /** Where answers are kept; undefined: nowhere. */
      readonly recordings: Recordings | undefined;
    };

/** The model as the action reaches it: a server of this machine between the two. */
export interface Gateway {
  /** With a version path, as the action would add one otherwise. */
  readonly url: string;
  /** From here on answers come from this source; what was counted begins anew. */
  answerFrom(source: Source): void;
  /** Requests since the source was set. */
  requests(): readonly RecordedRequest[];
  /** Requests that no recording answers. */
  misses(): number;
  close: Peer['close'];
}

const VERSION_PATH = '/v1';

/** Starts the gateway. A request that nothing answers gets status 400, which ends the run. */
export async function startGateway(): Promise<Gateway> {
  let source: Source | undefined;
  let requests: RecordedRequest[] = [];
  let misses = 0;
  const peer = await startLoopback(async (request, response) => {
    requests.push(request);
    if (source === undefined) return refuse(response, 'no run is under way');
    const answering = answererOf(source, request);
    switch (answering.kind) {
      case 'script': {
        const { model = '' } = request.body as { readonly model?: string };
        const reply = scriptedReply(model, scriptedCalls(request, answering.script));
        const streamed = asStream(request, reply);
        if (streamed === undefined) return sendJson(response, 200, reply);
        return send(response, { status: 200, contentType: streamed.type, body: String(streamed.bytes) });
      }
      case 'recorded': {
        const found = answering.recordings.find(request, timesAsked(request) - 1);
        if (found !== undefined) return send(response, { status: 200, ...found });
        misses += 1;
        return refuse(response, 'this request was not recorded');
      }
      case 'live': {
        const nth = timesAsked(request) - 1;
        const answer = await forward(request, answering);
        if (answer.status === 200) answering.recordings?.keep(request, nth, answer);
        return send(response, answer);
      }
    }
  });

  /** The same request may be asked again, in a second round of the same case. */
  const asked = new Map<string, number>();
  function timesAsked(request: RecordedRequest): number {
    const key = requestKey(request);
    const times = (asked.get(key) ?? 0) + 1;
    asked.set(key, times);
    return times;
  }

  return {
    url: `${peer.url}${VERSION_PATH}`,
    answerFrom(next) {
      source = next;
      requests = [];
      misses = 0;
    },
    requests: () => requests,
    misses: () => misses,
    close: peer.close,
  };
}

function answererOf(source: Source, request: RecordedRequest): ScriptedSource | AskedSource {
  if (source.kind !== 'split') return source;
  const isLook = promptOf(request).tools.includes('give_verdict');
  return isLook ? source.verifier : { kind: 'script', script: source.script };
}

interface WireAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** Headers that belong to one connection, or that the client sets itself. */
const OWN_HEADERS = new Set(['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding']);

async function forward(
  request: RecordedRequest,
  { baseUrl, fetch }: Extract<AskedSource, { readonly kind: 'live' }>,
): Promise<WireAnswer> {
  const query = request.query.size === 0 ? '' : `?${request.query}`;
  const headers = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.has(name));
  const answer = await fetch(`${baseUrl}${request.path.slice(VERSION_PATH.length)}${query}`, {
    method: request.method,
    headers: Object.fromEntries(headers),
    body: request.method === 'GET' ? null : new Uint8Array(request.bytes),
  });
  return {
    status: answer.status,
    contentType: answer.headers.get('content-type') ?? 'application/json',
    body: await answer.text(),
  };
}

function send(response: ServerResponse, { status, contentType, body }: WireAnswer): void {
  response.writeHead(status, { 'content-type': contentType }).end(body);
}

function refuse(response: ServerResponse, message: string): void {
  sendJson(response, 400, { type: 'error', error: { type: 'invalid_request_error', message } });
}
