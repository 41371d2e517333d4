import type { ServerResponse } from 'node:http';
import { asStream } from '../__tests__/helpers/as-stream.js';
import {
  type Peer,
  type RecordedRequest,
  sendJson,
  startLoopback,
} from '../__tests__/helpers/loopback.js';
import { promptOf } from '../__tests__/helpers/wire-prompt.js';
import { type Script, scriptedCalls, scriptedReply } from './script.js';

/** Where a gateway takes its answers from. */
export type Source =
  | ScriptedSource
  | LiveSource
  /** A scripted reviewer, and second looks that a model takes. */
  | { readonly kind: 'split'; readonly script: Script; readonly verifier: LiveSource };

interface ScriptedSource {
  readonly kind: 'script';
  readonly script: Script;
}

interface LiveSource {
  readonly kind: 'live';
  /** With the version path. */
  readonly baseUrl: string;
  readonly fetch: typeof globalThis.fetch;
}

/** The model as the action reaches it: a server of this machine between the two. */
export interface Gateway {
  /** With a version path, as the action would add one otherwise. */
  readonly url: string;
  /** From here on answers come from this source; what was counted begins anew. */
  answerFrom(source: Source): void;
  /** Requests since the source was set. */
  requests(): readonly RecordedRequest[];
  close: Peer['close'];
}

const VERSION_PATH = '/v1';

/** Starts the gateway. A request that nothing answers gets status 400, which ends the run. */
export async function startGateway(): Promise<Gateway> {
  let source: Source | undefined;
  let requests: RecordedRequest[] = [];
  const peer = await startLoopback(async (request, response) => {
    requests.push(request);
    if (source === undefined) return refuse(response, 'no run is under way');
    const answering = answererOf(source, request);
    if (answering.kind === 'live') return await forward(request, answering, response);
    const { model = '' } = request.body as { readonly model?: string };
    const reply = scriptedReply(model, scriptedCalls(request, answering.script));
    const streamed = asStream(request, reply);
    if (streamed === undefined) return sendJson(response, 200, reply);
    response.writeHead(200, { 'content-type': streamed.type }).end(String(streamed.bytes));
  });

  return {
    url: `${peer.url}${VERSION_PATH}`,
    answerFrom(next) {
      source = next;
      requests = [];
    },
    requests: () => requests,
    close: peer.close,
  };
}

function answererOf(source: Source, request: RecordedRequest): ScriptedSource | LiveSource {
  if (source.kind !== 'split') return source;
  const isLook = promptOf(request).tools.includes('give_verdict');
  return isLook ? source.verifier : { kind: 'script', script: source.script };
}

/** Headers that belong to one connection, or that the client sets itself. */
const OWN_HEADERS = new Set([
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'transfer-encoding',
]);

async function forward(
  request: RecordedRequest,
  { baseUrl, fetch }: LiveSource,
  response: ServerResponse,
): Promise<void> {
  const query = request.query.size === 0 ? '' : `?${request.query}`;
  const headers = Object.entries(request.headers).filter(([name]) => !OWN_HEADERS.has(name));
  const answer = await fetch(`${baseUrl}${request.path.slice(VERSION_PATH.length)}${query}`, {
    method: request.method,
    headers: Object.fromEntries(headers),
    body: request.method === 'GET' ? null : new Uint8Array(request.bytes),
  });
  const contentType = answer.headers.get('content-type') ?? 'application/json';
  response.writeHead(answer.status, { 'content-type': contentType }).end(await answer.text());
}

function refuse(response: ServerResponse, message: string): void {
  sendJson(response, 400, { type: 'error', error: { type: 'invalid_request_error', message } });
}
