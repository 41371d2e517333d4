import { Worker } from 'node:worker_threads';
import { loadGitHubOpenApi } from './github-openapi.js';
import { afterAllTests } from './test-end.js';

/** A request and the answer to it; no answer where only the request is to be validated. */
export interface Exchange {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: unknown;
  };
}

interface Reply {
  readonly id: number;
  readonly violations: readonly string[];
}

/** Prism in a thread of its own: one per test file, started with the first server and ended after the last test. */
let worker: Worker | undefined;
let failure: string | undefined;
let nextId = 0;
const waiting = new Map<number, (violations: readonly string[]) => void>();

afterAllTests(async () => {
  await worker?.terminate();
  worker = undefined;
});

/** Starts Prism, so that it loads while the test prepares; does nothing if it runs. */
export function startPrism(): void {
  if (worker !== undefined) return;
  const { document, cacheFile } = loadGitHubOpenApi();
  worker = new Worker(new URL('./prism-worker.ts', import.meta.url), {
    workerData: { document, operationsFile: `${cacheFile}.operations` },
    execArgv: ['--no-warnings'],
  });
  worker.unref();
  worker.on('message', ({ id, violations }: Reply) => {
    waiting.get(id)?.(violations);
    waiting.delete(id);
  });
  worker.on('error', (thrown) => {
    failure = `Prism failed: ${String(thrown)}`;
    for (const defer of waiting.values()) defer([failure]);
    waiting.clear();
  });
}

/** What of an exchange does not fit GitHub's OpenAPI description, as sentences; empty if all of it does. */
export function validateExchange(exchange: Exchange): Promise<readonly string[]> {
  startPrism();
  if (failure !== undefined) return Promise.resolve([failure]);
  nextId += 1;
  const id = nextId;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker?.postMessage({
      id,
      request: {
        method: exchange.method.toLowerCase(),
        url: { path: singleSegment(exchange.path), query: queryValues(exchange.query) },
        headers: exchange.headers,
        body: exchange.body ?? null,
      },
      response:
        exchange.response === undefined
          ? undefined
          : {
              statusCode: exchange.response.status,
              headers: exchange.response.headers,
              body: exchange.response.body,
            },
    });
  });
}

/**
 * Some of GitHub's last path parameters span segments (`x-multi-segment`: a file's path, a branch with a slash),
 * which Prism's router does not know: their slashes are encoded.
 */
function singleSegment(path: string): string {
  if (/\/commits\/[^/]+\/(?:check-runs|status)$/.test(path)) return path;
  const multi = /^(\/repos\/[^/]+\/[^/]+\/(?:contents|git\/trees|git\/refs?|compare|commits)\/)(.+)$/.exec(
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
