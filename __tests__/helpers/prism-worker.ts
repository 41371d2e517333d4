// Runs in a worker thread, started by prism-service.ts, outside jest: Node loads this file itself.
// It answers lines of JSON on a port of loopback, so that one Prism serves all suites of a run, and
// loads Prism when the first line arrives.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { parentPort } from 'node:worker_threads';

/** Where a suite keeps the cut of GitHub's description, and the exchange that it asks about. */
interface Question {
  readonly id: number;
  readonly documentFile: string;
  readonly request: { readonly method: string; readonly url: { readonly path: string } };
  readonly response?: unknown;
}

const require = createRequire(import.meta.url);
let prism: ReturnType<typeof loadPrism> | undefined;

const server = createServer((socket) => {
  // A suite that has ended closes its connection.
  socket.on('error', () => undefined);
  createInterface({ input: socket }).on(
    'line',
    (line) => void answer(JSON.parse(line) as Question, socket),
  );
});
server.listen(0, '127.0.0.1', () =>
  parentPort?.postMessage((server.address() as AddressInfo).port),
);

async function answer(
  { id, documentFile, request, response }: Question,
  socket: Socket,
): Promise<void> {
  let violations: readonly string[];
  try {
    prism ??= loadPrism(documentFile);
    violations = check(await prism, request, response);
  } catch (thrown) {
    violations = [`Prism failed: ${String(thrown)}`];
  }
  socket.write(`${JSON.stringify({ id, violations })}\n`);
}

/**
 * Prism's parts by path: its index also loads the mock generator, which takes twice as long as all
 * the rest.
 */
async function loadPrism(documentFile: string) {
  const { validateInput, validateOutput } = require('@stoplight/prism-http/dist/validator');
  const { default: route } = require('@stoplight/prism-http/dist/router');
  return { validateInput, validateOutput, route, operations: await loadOperations(documentFile) };
}

/**
 * Prism's form of the description: converting takes longer than loading, so it is kept next to the
 * cut.
 */
async function loadOperations(documentFile: string): Promise<unknown[]> {
  const operationsFile = `${documentFile}.operations`;
  if (existsSync(operationsFile)) return JSON.parse(readFileSync(operationsFile, 'utf8'));
  const { getHttpOperationsFromSpec } = require('@stoplight/prism-http/dist/utils/operations');
  const made = await getHttpOperationsFromSpec(JSON.parse(readFileSync(documentFile, 'utf8')));
  const partial = `${operationsFile}.${process.pid}`;
  writeFileSync(partial, JSON.stringify(made));
  renameSync(partial, operationsFile);
  return made;
}

function check(
  { validateInput, validateOutput, route, operations }: Awaited<ReturnType<typeof loadPrism>>,
  request: Question['request'],
  response: unknown,
): string[] {
  const where = `${request.method.toUpperCase()} ${request.url.path}`;
  const routed = route({ resources: operations, input: request });
  if (routed._tag === 'Left') return [`${where}: ${routed.left.detail ?? routed.left.message}`];
  const resource = routed.right;
  return [
    ...errors(validateInput({ resource, element: request })).map(
      (text) => `${where}: request: ${text}`,
    ),
    ...(response === undefined
      ? []
      : errors(validateOutput({ resource, element: response })).map(
          (text) => `${where}: response: ${text}`,
        )),
  ];
}

/**
 * Severity 0 is an error; the others are remarks, such as an error status that the description does
 * not list.
 */
function errors(result: {
  _tag: string;
  left?: { message: string; severity: number }[];
}): string[] {
  const found = result._tag === 'Left' ? (result.left ?? []) : [];
  return found
    .filter((violation) => violation.severity === 0)
    .map((violation) => violation.message);
}
