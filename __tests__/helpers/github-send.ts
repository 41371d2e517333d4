import type { ServerResponse } from 'node:http';
import type { RestAnswer } from './github-answers.js';
import { requestedMedia } from './github-routes.js';
import type { RecordedRequest } from './loopback.js';

/** An answer other than the fake's own. */
export interface Fault {
  /** Method and path template, `GET /repos/{owner}/{repo}/pulls/{pull_number}`, or `POST /graphql`. */
  readonly route: string;
  /** Only requests whose `accept` header contains this, for example `diff`. */
  readonly accept?: string;
  /** A status, or what happens to the connection instead: no answer at all, or cut off. */
  readonly status: number | 'stall' | 'disconnect';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many requests it meets; default 1. */
  readonly times?: number;
  /** The request takes effect all the same: created, but answered with an error. */
  readonly afterEffect?: boolean;
}

/** The body as it looks to a receiver: without what JSON leaves out. */
export function plain(body: unknown): unknown {
  return Buffer.isBuffer(body) ? body.toString() : JSON.parse(JSON.stringify(body));
}

/** The media type of an answer: the one the request named where it is not JSON. */
export function mediaTypeOf(request: RecordedRequest, answer: RestAnswer): string {
  if (answer.mediaType === undefined) return 'application/json; charset=utf-8';
  return `${requestedMedia(request).mediaType}; charset=utf-8`;
}

/** Sends an answer with the headers GitHub adds to all of them. */
export function send(response: ServerResponse, request: RecordedRequest, answer: RestAnswer): void {
  const body =
    answer.mediaType === undefined ? JSON.stringify(answer.body) : (answer.body as string | Uint8Array);
  response
    .writeHead(answer.status, {
      'content-type': mediaTypeOf(request, answer),
      'content-length': String(Buffer.byteLength(body)),
      'x-github-request-id': 'ABCD:1234:5678:9ABC:DEF01234',
      'x-ratelimit-limit': '5000',
      'x-ratelimit-remaining': '4999',
      ...answer.headers,
    })
    .end(body);
}

/** Answers as the fault tells, or does not answer. */
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
