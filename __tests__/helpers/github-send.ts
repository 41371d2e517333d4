import type { ServerResponse } from 'node:http';
import type { RestAnswer } from './github-answers.js';
import type { Fault } from './github-faults.js';
import { requestedMedia } from './github-routes.js';
import type { RecordedRequest } from './loopback.js';

/** The body as it looks to a receiver: without what JSON leaves out. */
export function plain(body: unknown): unknown {
  if (Buffer.isBuffer(body)) return body.toString();
  return body === undefined ? undefined : JSON.parse(JSON.stringify(body));
}

/** The media type of an answer: the one the request named where it is not JSON. */
export function mediaTypeOf(request: RecordedRequest, answer: RestAnswer): string {
  if (answer.mediaType === undefined) return 'application/json; charset=utf-8';
  return `${requestedMedia(request).mediaType}; charset=utf-8`;
}

/** Sends an answer with the headers GitHub adds to all of them. */
export function send(response: ServerResponse, request: RecordedRequest, answer: RestAnswer): void {
  const isEmpty = answer.status === 204 || answer.status === 302;
  const body =
    answer.mediaType === undefined ? JSON.stringify(answer.body) : (answer.body as string | Uint8Array);
  response
    .writeHead(answer.status, {
      ...(isEmpty
        ? {}
        : {
            'content-type': mediaTypeOf(request, answer),
            'content-length': String(Buffer.byteLength(body)),
          }),
      'x-github-request-id': 'ABCD:1234:5678:9ABC:DEF01234',
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4999',
      ...answer.headers,
    })
    .end(isEmpty ? undefined : body);
}

/** Answers as the fault says, or does not answer. */
export function sendFault(response: ServerResponse, fault: Fault): void {
  if (fault.status === 'stall') return;
  if (fault.status === 'disconnect') return void response.destroy();
  const isText = typeof fault.body === 'string';
  response
    .writeHead(fault.status, {
      'content-type': isText ? 'text/html' : 'application/json; charset=utf-8',
      ...fault.headers,
    })
    .end(
      isText ? (fault.body as string) : JSON.stringify(fault.body ?? { message: `error ${fault.status}` }),
    );
}
