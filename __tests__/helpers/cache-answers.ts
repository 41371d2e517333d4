import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { sendJson } from './loopback.js';

/** What a cache request is made for. */
export type CacheOperation =
  | 'GetCacheEntryDownloadURL'
  | 'CreateCacheEntry'
  | 'FinalizeCacheEntryUpload'
  | 'upload'
  | 'download';

/** An answer other than the fake's own. */
export interface CacheFault {
  readonly operation: CacheOperation;
  readonly status: number | 'stall' | 'disconnect';
  /** Only keys that contain this; not for uploads and downloads. */
  readonly key?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many requests it meets; default 1. */
  readonly times?: number;
  /** The request takes effect anyway: reserved, but answered with an error. */
  readonly afterEffect?: boolean;
}

/** A Twirp error. */
export interface TwirpFailure {
  readonly status: number;
  readonly code: string;
  readonly msg: string;
}

/** Answers with a Twirp error. */
export function twirpError(response: ServerResponse, { status, code, msg }: TwirpFailure): void {
  sendJson(response, status, { code, msg });
}

/** Answers with an error of the blob storage. */
export function blobError(response: ServerResponse | undefined, status: number, code: string): void {
  const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`;
  response
    ?.writeHead(status, { 'content-type': 'application/xml', 'x-ms-error-code': code, ...blobHeaders() })
    .end(body);
}

/** What the blob storage says with every answer. */
export function blobHeaders(): Record<string, string> {
  return {
    'x-ms-request-id': randomUUID(),
    'x-ms-version': '2025-11-05',
    'x-ms-request-server-encrypted': 'true',
  };
}

/** Answers as the fault says, or does not answer. */
export function sendFault(response: ServerResponse, fault: CacheFault): void {
  if (fault.status === 'stall') return;
  if (fault.status === 'disconnect') return void response.destroy();
  const body = fault.body ?? { code: 'unavailable', msg: `error ${fault.status}` };
  if (typeof body !== 'string') sendJson(response, fault.status, body, fault.headers);
  else response.writeHead(fault.status, { 'content-type': 'text/html', ...fault.headers }).end(body);
}
