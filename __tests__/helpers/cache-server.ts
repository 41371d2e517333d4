import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { type Peer, type RecordedRequest, sendJson, startLoopback } from './loopback.js';

/** One entry, which never changes once it is finalized. */
interface CacheEntry {
  /** In the order of creation. */
  readonly id: number;
  readonly key: string;
  readonly version: string;
  /** The ref that wrote it. */
  readonly scope: string;
  archive: Buffer | undefined;
  /** An entry that was reserved and not finalized cannot be read and blocks its key. */
  finalized: boolean;
}

/** A job's rights to the cache, as the runtime token carries them. */
export interface CacheToken {
  /** The job's own ref, which it reads and writes. */
  readonly ref?: string;
  /**
   * Refs it reads besides: the default branch, and the base branch of a pull request. Default:
   * main.
   */
  readonly readableRefs?: readonly string[];
  readonly mayWrite?: boolean;
}

type Operation =
  | 'GetCacheEntryDownloadURL'
  | 'CreateCacheEntry'
  | 'FinalizeCacheEntryUpload'
  /** Of the archive, from where the look-up says that it is. */
  | 'Download';

/** An answer other than the fake's own. */
export interface CacheFault {
  readonly operation: Operation;
  readonly status: number | 'stall' | 'disconnect';
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many requests it meets; default 1. */
  readonly times?: number;
}

/** The fake of the Actions cache, version 2. */
export interface CacheServer extends Peer {
  /** The variables of a job with these rights. */
  env(token?: CacheToken): Readonly<Record<string, string>>;
  entries(): readonly CacheEntry[];
  /** Adds an entry as another job would have left it. */
  addEntry(entry: { key: string; version: string; scope: string; archive: Buffer }): void;
  /** Removes entries, as GitHub does after a week. */
  evict(matches: (entry: CacheEntry) => boolean): void;
  fail(fault: CacheFault): void;
}

const SERVICE = '/twirp/github.actions.results.api.v1.CacheService/';
const EXISTS = 'cache entry with the same key, version, and scope already exists';
/** Like Azure's: account, container and blob in the path, the right to it in the query. */
const BLOBS = '/productionresultssa0/actions-cache/';
const DEFAULT_REF = 'refs/heads/main';

interface Body {
  readonly key: string;
  readonly version: string;
  readonly restore_keys?: readonly string[];
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Starts an empty cache. Unknown tokens are answered with 401. */
export async function startCacheServer(): Promise<CacheServer> {
  const entries: CacheEntry[] = [];
  const tokens = new Map<string, Required<CacheToken>>();
  const faults: (CacheFault & { left: number })[] = [];
  let created = 0;

  const peer = await startLoopback((request, response) => {
    const isBlob = request.path.startsWith(BLOBS);
    const isCall = request.method === 'POST' && request.path.startsWith(SERVICE);
    const operation = isCall ? request.path.slice(SERVICE.length) : blobOperation(request);
    const fault = faults.find((one) => one.left > 0 && one.operation === operation);
    if (fault === undefined && isBlob) return void sendBlob(request, response);
    if (fault === undefined) {
      const { status, body } = answer(request, operation);
      return void sendJson(response, status, body);
    }
    fault.left -= 1;
    if (fault.status === 'stall') return;
    if (fault.status === 'disconnect') return void response.destroy();
    const body = fault.body ?? { code: 'unavailable', msg: `error ${fault.status}` };
    sendJson(response, fault.status, body, fault.headers);
  });

  function answer(request: RecordedRequest, operation: string): Answer {
    const token = request.headers['authorization']?.replace(/^Bearer /, '') ?? '';
    const rights = tokens.get(token);
    if (rights === undefined) return refusal(401, 'unauthenticated', 'invalid token');
    const body = request.body as Body;
    if (operation === 'CreateCacheEntry') return create(body, rights);
    if (operation === 'FinalizeCacheEntryUpload') return finalize(body, rights);
    if (operation === 'GetCacheEntryDownloadURL') return lookUp(body, rights);
    return refusal(404, 'bad_route', `no handler for ${request.path}`);
  }

  function create({ key, version }: Body, { ref, mayWrite }: Required<CacheToken>): Answer {
    if (!mayWrite)
      return ok({ ok: false, message: 'cache write denied: token has no writable scopes' });
    if (find(key, version, ref) !== undefined) return refusal(409, 'already_exists', EXISTS);
    return ok({ ok: true, signed_upload_url: signedUrl(add(key, version, ref, undefined), 'w') });
  }

  function finalize({ key, version }: Body, { ref }: Required<CacheToken>): Answer {
    const entry = find(key, version, ref);
    if (entry?.archive === undefined) return refusal(404, 'not_found', 'cache entry not found');
    entry.finalized = true;
    return ok({ ok: true, entry_id: String(entry.id) });
  }

  /**
   * Own ref first, then the others; in each the keys in order, exact before the newest with the
   * prefix.
   */
  function lookUp({ key, restore_keys = [], version }: Body, rights: Required<CacheToken>): Answer {
    for (const scope of [rights.ref, ...rights.readableRefs]) {
      const own = entries.filter((one) => one.scope === scope && one.version === version);
      const visible = own.filter(({ finalized }) => finalized);
      for (const wanted of [key, ...restore_keys]) {
        const found =
          visible.find((one) => one.key === wanted) ??
          visible.findLast((one) => one.key.startsWith(wanted));
        if (found === undefined) continue;
        return ok({ ok: true, signed_download_url: signedUrl(found, 'r'), matched_key: found.key });
      }
    }
    return ok({ ok: false });
  }

  function sendBlob(request: RecordedRequest, response: ServerResponse): void {
    const entry = entries.find(({ id }) => `${BLOBS}${id}` === request.path);
    const version = { 'x-ms-version': '2025-11-05', 'x-ms-request-server-encrypted': 'true' };
    const headers = { 'x-ms-request-id': randomUUID(), ...version };
    const refuse = (status: number, code: string) => {
      const told = { 'content-type': 'application/xml', 'x-ms-error-code': code, ...headers };
      const body = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code></Error>`;
      response.writeHead(status, told).end(body);
    };
    if (request.method !== 'PUT') {
      const archive = entry?.archive;
      if (archive === undefined) refuse(404, 'BlobNotFound');
      else {
        const size = { 'content-length': String(archive.length) };
        response
          .writeHead(200, { 'content-type': 'application/octet-stream', ...size, ...headers })
          .end(request.method === 'HEAD' ? undefined : archive);
      }
    } else if (entry === undefined || entry.finalized || request.query.get('sp') !== 'w') {
      refuse(403, 'AuthenticationFailed');
    } else if (request.headers['x-ms-blob-type'] !== 'BlockBlob') {
      refuse(400, 'MissingRequiredHeader');
    } else {
      entry.archive = request.bytes;
      const modified = { etag: `"0x${entry.id}"`, 'last-modified': new Date().toUTCString() };
      response.writeHead(201, { ...modified, ...headers }).end();
    }
  }

  function find(key: string, version: string, scope: string): CacheEntry | undefined {
    return entries.find((one) => one.key === key && one.version === version && one.scope === scope);
  }

  function add(
    key: string,
    version: string,
    scope: string,
    archive: Buffer | undefined,
  ): CacheEntry {
    created += 1;
    const entry = { id: created, key, version, scope, archive, finalized: archive !== undefined };
    entries.push(entry);
    return entry;
  }

  function signedUrl({ id }: CacheEntry, right: 'r' | 'w'): string {
    return `${peer.url}${BLOBS}${id}?se=2099-01-01T00%3A00%3A00Z&sp=${right}&sig=${randomUUID()}`;
  }

  return {
    ...peer,
    env({ ref = DEFAULT_REF, readableRefs = [DEFAULT_REF], mayWrite = true } = {}) {
      const token = `runtime-token-kJ8mQ2vL9xZ4-${tokens.size + 1}`;
      const url = `${peer.url}/`;
      tokens.set(token, { ref, readableRefs, mayWrite });
      return {
        ACTIONS_CACHE_SERVICE_V2: 'true',
        ACTIONS_RESULTS_URL: url,
        ACTIONS_RUNTIME_TOKEN: token,
      };
    },
    entries: () => entries,
    addEntry: ({ key, version, scope, archive }) => void add(key, version, scope, archive),
    evict(matches) {
      entries.splice(0, entries.length, ...entries.filter((entry) => !matches(entry)));
    },
    fail: (fault) => void faults.push({ ...fault, left: fault.times ?? 1 }),
  };
}

function blobOperation({ path, method }: RecordedRequest): string {
  return path.startsWith(BLOBS) && method !== 'PUT' ? 'Download' : '';
}

function ok(body: object): Answer {
  return { status: 200, body };
}

/** A Twirp error. */
function refusal(status: number, code: string, msg: string): Answer {
  return { status, body: { code, msg } };
}
