import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  blobError,
  blobHeaders,
  type CacheFault,
  type CacheOperation,
  sendFault,
  type TwirpFailure,
  twirpError,
} from './cache-answers.js';
import { type Peer, type RecordedRequest, sendJson, startLoopback } from './loopback.js';

/** One entry, which never changes once it is finalized. */
export interface CacheEntry {
  readonly id: number;
  readonly key: string;
  readonly version: string;
  /** The ref that wrote it. */
  readonly scope: string;
  /** Order of creation. */
  readonly createdAt: number;
  archive: Buffer | undefined;
  /** An entry that was reserved and not finalized cannot be read and blocks its key. */
  finalized: boolean;
}

/** A job's rights to the cache, as the runtime token carries them. */
export interface CacheToken {
  /** The job's own ref, which it reads and writes. */
  readonly ref?: string;
  /** Refs it reads besides: the default branch, and the base branch of a pull request. Default: main. */
  readonly readableRefs?: readonly string[];
  readonly mayWrite?: boolean;
  readonly mayRead?: boolean;
}

/** The fake of the Actions cache, version 2. */
export interface CacheServer extends Peer {
  /** The variables of a job with these rights. */
  env(token?: CacheToken): Readonly<Record<string, string>>;
  entries(): readonly CacheEntry[];
  /** Adds an entry as another job would have left it; without an archive it is a dead reservation. */
  addEntry(entry: { key: string; version: string; scope: string; archive?: Buffer }): CacheEntry;
  /** Reserves the key for every version and scope, like a job that died before its upload. */
  reserve(key: string): void;
  /** Removes entries, as GitHub does after a week. */
  evict(matches: (entry: CacheEntry) => boolean): void;
  fail(fault: CacheFault): void;
}

const SERVICE = '/twirp/github.actions.results.api.v1.CacheService/';
const DEFAULT_REF = 'refs/heads/main';

type Rights = Required<CacheToken>;
type TwirpAnswer = TwirpFailure | { readonly ok: boolean; readonly [name: string]: string | boolean };

/** Starts an empty cache. Unknown tokens are answered with 401. */
export async function startCacheServer(): Promise<CacheServer> {
  const entries: CacheEntry[] = [];
  const tokens = new Map<string, Rights>();
  const reserved = new Set<string>();
  const faults: (CacheFault & { left: number })[] = [];
  let created = 0;

  const peer = await startLoopback((request, response) => {
    const operation = operationOf(request);
    if (operation === undefined) {
      twirpError(response, { status: 404, code: 'bad_route', msg: `no handler for ${request.path}` });
      return;
    }
    const key = String((request.body as { key?: string } | undefined)?.key ?? '');
    const fault = faults.find(
      (one) => one.left > 0 && one.operation === operation && key.includes(one.key ?? ''),
    );
    if (fault === undefined) {
      answer(operation, request, response);
      return;
    }
    fault.left -= 1;
    if (fault.afterEffect === true) answer(operation, request, undefined);
    sendFault(response, fault);
  });

  /** Without a response only the effect happens. */
  function answer(
    operation: CacheOperation,
    request: RecordedRequest,
    response: ServerResponse | undefined,
  ): void {
    switch (operation) {
      case 'upload':
        upload(request, response);
        return;
      case 'download':
        download(request, response);
        return;
      case 'CreateCacheEntry':
      case 'FinalizeCacheEntryUpload':
      case 'GetCacheEntryDownloadURL': {
        const result = call(operation, request);
        if (response === undefined) return;
        if ('ok' in result) sendJson(response, 200, result);
        else twirpError(response, result);
      }
    }
  }

  function call(
    operation: Exclude<CacheOperation, 'upload' | 'download'>,
    request: RecordedRequest,
  ): TwirpAnswer {
    const rights = tokens.get(request.headers['authorization']?.replace(/^Bearer /, '') ?? '');
    if (rights === undefined) return { status: 401, code: 'unauthenticated', msg: 'invalid token' };
    const body = request.body as { key: string; version: string; restore_keys?: readonly string[] };
    switch (operation) {
      case 'CreateCacheEntry':
        return create(body, rights);
      case 'FinalizeCacheEntryUpload':
        return finalize(body, rights);
      case 'GetCacheEntryDownloadURL':
        return lookUp([body.key, ...(body.restore_keys ?? [])], body.version, rights);
    }
  }

  function create({ key, version }: { key: string; version: string }, rights: Rights): TwirpAnswer {
    if (!rights.mayWrite) return { ok: false, message: 'cache write denied: token has no writable scopes' };
    const taken = entries.some(
      (one) => one.key === key && one.version === version && one.scope === rights.ref,
    );
    if (taken || reserved.has(key)) {
      const msg = 'cache entry with the same key, version, and scope already exists';
      return { status: 409, code: 'already_exists', msg };
    }
    const entry = add({ key, version, scope: rights.ref });
    return { ok: true, signed_upload_url: signedUrl(entry, 'w') };
  }

  function finalize({ key, version }: { key: string; version: string }, rights: Rights): TwirpAnswer {
    const entry = entries.find(
      (one) =>
        one.key === key && one.version === version && one.scope === rights.ref && one.archive !== undefined,
    );
    if (entry === undefined) return { status: 404, code: 'not_found', msg: 'cache entry not found' };
    entry.finalized = true;
    return { ok: true, entry_id: String(entry.id) };
  }

  /** Own ref first, then the others; in each the keys in order, exact before the newest with the prefix. */
  function lookUp(keys: readonly string[], version: string, rights: Rights): TwirpAnswer {
    if (!rights.mayRead) {
      return {
        status: 403,
        code: 'permission_denied',
        msg: 'cache read denied: token has no readable scopes',
      };
    }
    for (const scope of [rights.ref, ...rights.readableRefs]) {
      const visible = entries.filter(
        (one) => one.finalized && one.scope === scope && one.version === version,
      );
      for (const key of keys) {
        const found =
          visible.find((one) => one.key === key) ?? newest(visible.filter((one) => one.key.startsWith(key)));
        if (found === undefined) continue;
        return { ok: true, signed_download_url: signedUrl(found, 'r'), matched_key: found.key };
      }
    }
    return { ok: false };
  }

  function upload(request: RecordedRequest, response: ServerResponse | undefined): void {
    const entry = entryOf(request);
    if (entry === undefined || entry.finalized || request.query.get('sp') !== 'w') {
      blobError(response, 403, 'AuthenticationFailed');
    } else if (request.headers['x-ms-blob-type'] !== 'BlockBlob') {
      blobError(response, 400, 'MissingRequiredHeader');
    } else {
      entry.archive = request.bytes;
      const modified = { etag: `"0x${entry.id}"`, 'last-modified': new Date().toUTCString() };
      response?.writeHead(201, { ...modified, ...blobHeaders() }).end();
    }
  }

  function download(request: RecordedRequest, response: ServerResponse | undefined): void {
    const archive = entryOf(request)?.archive;
    if (archive === undefined) {
      blobError(response, 404, 'BlobNotFound');
      return;
    }
    response
      ?.writeHead(200, {
        'content-type': 'application/octet-stream',
        'content-length': String(archive.length),
        ...blobHeaders(),
      })
      .end(request.method === 'HEAD' ? undefined : archive);
  }

  function add({ key, version, scope, archive }: Parameters<CacheServer['addEntry']>[0]): CacheEntry {
    created += 1;
    const entry = {
      id: created,
      createdAt: created,
      key,
      version,
      scope,
      archive,
      finalized: archive !== undefined,
    };
    entries.push(entry);
    return entry;
  }

  /** Like Azure's: account, container and blob in the path, the right to it in the query. */
  function signedUrl(entry: CacheEntry, right: 'r' | 'w'): string {
    return `${peer.url}/productionresultssa0/actions-cache/${entry.id}?se=2099-01-01T00%3A00%3A00Z&sp=${right}&sig=${randomUUID()}`;
  }

  function entryOf(request: RecordedRequest): CacheEntry | undefined {
    return entries.find(({ id }) => id === Number(request.path.split('/').at(-1)));
  }

  return {
    ...peer,
    env({ ref = DEFAULT_REF, readableRefs = [DEFAULT_REF], mayWrite = true, mayRead = true } = {}) {
      const token = `runtime-token-${tokens.size + 1}`;
      tokens.set(token, { ref, readableRefs, mayWrite, mayRead });
      return {
        ACTIONS_CACHE_SERVICE_V2: 'true',
        ACTIONS_RESULTS_URL: `${peer.url}/`,
        ACTIONS_RUNTIME_TOKEN: token,
      };
    },
    entries: () => entries,
    addEntry: add,
    reserve: (key) => void reserved.add(key),
    evict(matches) {
      entries.splice(0, entries.length, ...entries.filter((entry) => !matches(entry)));
    },
    fail: (fault) => void faults.push({ ...fault, left: fault.times ?? 1 }),
  };
}

function operationOf(request: RecordedRequest): CacheOperation | undefined {
  if (request.method === 'POST' && request.path.startsWith(SERVICE)) {
    const method = request.path.slice(SERVICE.length);
    const known = ['GetCacheEntryDownloadURL', 'CreateCacheEntry', 'FinalizeCacheEntryUpload'] as const;
    return known.find((name) => name === method);
  }
  if (!request.path.startsWith('/productionresultssa0/')) return undefined;
  return request.method === 'PUT' ? 'upload' : 'download';
}

function newest(entries: readonly CacheEntry[]): CacheEntry | undefined {
  return [...entries].sort((a, b) => b.createdAt - a.createdAt)[0];
}
