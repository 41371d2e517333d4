import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

/** An answer of the service in place of the regular one. */
export interface Answer {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** GitHub's cache service as `@actions/cache` speaks to it (version 2: Twirp over JSON, blobs by signed URL). */
export interface CacheService {
  readonly url: string;
  /** Methods asked for, in order. */
  readonly calls: readonly string[];
  /** Answers given once in place of the regular one, by method. */
  readonly faults: Map<string, Answer>;
  close(): Promise<void>;
}

interface CacheRequest {
  readonly key: string;
  readonly restore_keys?: readonly string[];
  readonly version: string;
}

interface Stored {
  readonly key: string;
  readonly version: string;
  blob: Buffer | undefined;
  isFinal: boolean;
}

/** Starts the service on the loopback interface. */
export async function startCacheService(): Promise<CacheService> {
  const entries: Stored[] = [];
  const calls: string[] = [];
  const faults = new Map<string, Answer>();
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${portOf(server)}/`;
  return {
    url,
    calls,
    faults,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readBody(request);
    const method = (request.url ?? '').split('?')[0]?.split('/').at(-1) ?? '';
    const blob = /^\/blob\/(\d+)/.exec(request.url ?? '')?.[1];
    const name = blob === undefined ? method : `${request.method} blob`;
    calls.push(name);
    const fault = faults.get(name);
    faults.delete(name);
    if (fault !== undefined) return answer(response, fault);
    if (blob !== undefined) return serveBlob(request, response, { entry: entries[Number(blob)], body });
    answer(response, { status: 200, body: regular(method, JSON.parse(body.toString('utf8'))) });
  }

  function regular(method: string, { key, restore_keys = [], version }: CacheRequest): unknown {
    if (method === 'CreateCacheEntry') {
      if (entries.some((entry) => entry.key === key && entry.version === version))
        return { ok: false, message: 'cache entry with the same key, version, and scope already exists' };
      entries.push({ key, version, blob: undefined, isFinal: false });
      return { ok: true, signed_upload_url: `${url}blob/${entries.length - 1}?sig=upload` };
    }
    if (method === 'FinalizeCacheEntryUpload') {
      const entry = entries.find((each) => each.key === key && each.version === version);
      if (entry !== undefined) entry.isFinal = true;
      return { ok: true, entry_id: '7' };
    }
    const prefixes = [key, ...restore_keys];
    const final = entries.filter((entry) => entry.isFinal && entry.version === version);
    const found =
      final.find((entry) => entry.key === key) ??
      final.findLast((entry) => prefixes.some((prefix) => entry.key.startsWith(prefix)));
    if (found === undefined) return { ok: false };
    return {
      ok: true,
      matched_key: found.key,
      signed_download_url: `${url}blob/${entries.indexOf(found)}?sig=download`,
    };
  }
}

function serveBlob(
  request: IncomingMessage,
  response: ServerResponse,
  { entry, body }: { readonly entry: Stored | undefined; readonly body: Buffer },
): void {
  if (entry === undefined) answer(response, { status: 404 });
  else if (request.method === 'PUT') {
    entry.blob = body;
    const headers = {
      etag: '"1"',
      'last-modified': new Date(0).toUTCString(),
      'x-ms-request-server-encrypted': 'true',
    };
    answer(response, { status: 201, headers });
  } else response.writeHead(200, { 'content-length': String(entry.blob?.length ?? 0) }).end(entry.blob);
}

function answer(response: ServerResponse, { status, body = {}, headers = {} }: Answer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks);
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
