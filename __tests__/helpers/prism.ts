import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { loadGitHubOpenApi } from './github-openapi.js';
import type { RecordedRequest } from './loopback.js';
import { PRISM_PORT, type PrismService, startPrismService } from './prism-service.js';
import { afterAllTests } from './test-end.js';

/**
 * Where Prism of this run listens, read before a test takes the process's environment; undefined
 * where no test runs.
 */
const SHARED_PORT = process.env[PRISM_PORT];

/**
 * The connection to Prism: one per test file, opened with the first server and closed after the
 * last test.
 */
let connecting: Promise<Socket> | undefined;
let own: PrismService | undefined;
let failure: string | undefined;
let nextId = 0;
const waiting = new Map<number, (violations: readonly string[]) => void>();

afterAllTests(async () => {
  const socket = await connecting;
  connecting = undefined;
  socket?.destroy();
  await own?.stop();
  own = undefined;
});

/** Connects to Prism, so that it loads while the test prepares; does nothing if it is connected. */
export function startPrism(): void {
  connecting ??= connectPrism();
}

async function connectPrism(): Promise<Socket> {
  if (SHARED_PORT === undefined) own = await startPrismService();
  const socket = connect({ host: '127.0.0.1', port: own?.port ?? Number(SHARED_PORT) });
  socket.unref();
  socket.on('error', (thrown) => fail(String(thrown)));
  socket.on('close', () => fail('it closed the connection'));
  createInterface({ input: socket }).on('line', (line) => {
    const { id, violations } = JSON.parse(line) as { id: number; violations: readonly string[] };
    waiting.get(id)?.(violations);
    waiting.delete(id);
    if (waiting.size === 0) socket.unref();
  });
  return socket;
}

function fail(reason: string): void {
  failure ??= `Prism failed: ${reason}`;
  for (const resolve of waiting.values()) resolve([failure]);
  waiting.clear();
}

/**
 * What of an exchange does not fit GitHub's OpenAPI description, as sentences; empty if all of it
 * does. Without an answer only the request is validated.
 */
export async function validateExchange(
  { method, path, query, headers, body }: RecordedRequest,
  response:
    | { statusCode: number; headers: Readonly<Record<string, string>>; body: unknown }
    | undefined,
): Promise<readonly string[]> {
  connecting ??= connectPrism();
  const socket = await connecting;
  if (failure !== undefined) return [failure];
  nextId += 1;
  const id = nextId;
  const url = { path: singleSegment(path), query: queryValues(query) };
  const request = { method: method.toLowerCase(), url, headers, body: body ?? null };
  const question = { id, documentFile: loadGitHubOpenApi().cacheFile, request, response };
  return await new Promise((resolve) => {
    waiting.set(id, resolve);
    socket.ref();
    // Node's readline takes these two for the ends of lines.
    const line = JSON.stringify(question)
      .replaceAll('\u2028', '\\u2028')
      .replaceAll('\u2029', '\\u2029');
    socket.write(`${line}\n`);
  });
}

/**
 * Some of GitHub's last path parameters span segments (`x-multi-segment`: a file's path, a branch
 * with a slash), which Prism's router does not know: their slashes are encoded.
 */
function singleSegment(path: string): string {
  if (/\/commits\/[^/]+\/(?:check-runs|status)$/.test(path)) return path;
  const multi =
    /^(\/repos\/[^/]+\/[^/]+\/(?:contents|git\/trees|git\/refs?|compare|commits)\/)(.+)$/.exec(
      path,
    );
  if (multi === null) return path;
  const [, prefix = '', rest = ''] = multi;
  return prefix + rest.replaceAll('/', '%2F');
}

function queryValues(query: URLSearchParams): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = {};
  for (const name of new Set(query.keys())) {
    const all = query.getAll(name);
    values[name] = all.length === 1 ? (all[0] ?? '') : all;
  }
  return values;
}
