// Runs in a worker thread, started by prism.ts, outside jest: Node loads this file itself.
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

// Prism's parts by path: its index also loads the mock generator, which takes twice as long as all the rest.
const require = createRequire(import.meta.url);
const { validateInput, validateOutput } = require('@stoplight/prism-http/dist/validator');
const { default: route } = require('@stoplight/prism-http/dist/router');

const { document, operationsFile } = workerData as { document: unknown; operationsFile: string };
const operations = await loadOperations();

parentPort?.on('message', ({ id, request, response }) => {
  parentPort?.postMessage({ id, violations: check(request, response) });
});

/** Prism's form of the description: converting takes longer than loading, so it is kept beside the cut. */
async function loadOperations(): Promise<unknown[]> {
  if (existsSync(operationsFile)) return JSON.parse(readFileSync(operationsFile, 'utf8'));
  const { getHttpOperationsFromSpec } = require('@stoplight/prism-http/dist/utils/operations');
  const made = await getHttpOperationsFromSpec(document);
  const partial = `${operationsFile}.${process.pid}`;
  writeFileSync(partial, JSON.stringify(made));
  renameSync(partial, operationsFile);
  return made;
}

function check(request: { method: string; url: { path: string } }, response: unknown): string[] {
  const where = `${request.method.toUpperCase()} ${request.url.path}`;
  const routed = route({ resources: operations, input: request });
  if (routed._tag === 'Left') return [`${where}: ${routed.left.detail ?? routed.left.message}`];
  const resource = routed.right;
  return [
    ...errors(validateInput({ resource, element: request })).map((text) => `${where}: request: ${text}`),
    ...(response === undefined
      ? []
      : errors(validateOutput({ resource, element: response })).map((text) => `${where}: response: ${text}`)),
  ];
}

/** Severity 0 is an error; the others are remarks, such as an error status that the description does not list. */
function errors(result: { _tag: string; left?: { message: string; severity: number }[] }): string[] {
  const found = result._tag === 'Left' ? (result.left ?? []) : [];
  return found.filter((violation) => violation.severity === 0).map((violation) => violation.message);
}
