// Runs the official conformance suite of the Model Context Protocol against our client, in the
// older and the newer protocol (`npm run conformance`). conformance.yml has what fails, and why.
// The suite starts a program for each scenario, all at once, with the address of a server. Ours
// only has this one use the server: so many programs that load the client take a minute.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';

const REVISIONS = ['2025-11-25', '2026-07-28'];
const LIMIT_MS = 60_000;

const [runner, address] = process.argv.slice(2);
if (runner === undefined) await runSuite();
else {
  const { toolCalls = [] } = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}');
  const answer = await fetch(runner, {
    method: 'POST',
    body: JSON.stringify({ address, toolCalls }),
  });
  process.stdout.write(await answer.text());
}

async function runSuite() {
  const useServer = await loadClient();
  const server = createServer(async (request, response) => {
    response.end(await useServer(await json(request)));
  });
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  const { resolve } = createRequire(import.meta.url);
  const suite = join(resolve('@modelcontextprotocol/conformance/package.json'), '../dist/index.js');
  const command = `${process.execPath} ${import.meta.filename} http://127.0.0.1:${server.address().port}`;
  const options = ['--command', command, '--timeout', `${LIMIT_MS}`];
  const known = ['--expected-failures', join(import.meta.dirname, 'conformance.yml')];
  for (const revision of REVISIONS) {
    const words = [suite, 'client', ...options, ...known, '--requirements', revision];
    const child = spawn(process.execPath, words, { stdio: 'inherit' });
    const status = await new Promise((done) => child.on('close', done));
    process.exitCode ||= status ?? 1;
  }
  server.close();
}

/** Our client: connects, lists the tools and calls each once. */
async function loadClient() {
  const { build } = await import('esbuild');
  const folder = mkdtempSync(join(tmpdir(), 'axe-conformance-'));
  const outfile = join(folder, 'client.mjs');
  const contents =
    "export * from './src/tools/mcp/connect.ts'; export { openServer } from './src/tools/mcp/server.ts';";
  // What is CommonJS among the packages asks for `require`.
  const js =
    "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
  const stdin = { contents, resolveDir: join(import.meta.dirname, '..') };
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', banner: { js } });
  const { connectMcpServers, openServer } = await import(pathToFileURL(outfile));
  rmSync(folder, { recursive: true });
  return async ({ address: url, toolCalls }) => {
    const said = [];
    const signal = AbortSignal.timeout(LIMIT_MS);
    const server = {
      name: 'suite',
      transport: 'streamable-http',
      url,
      headers: {},
      args: [],
      env: {},
    };
    const { tools, close } = await connectMcpServers([server], {
      env: {},
      secrets: [],
      fetch,
      signal,
      timeoutMs: LIMIT_MS,
      callTimeoutMs: LIMIT_MS,
      reserved: [],
      open: openServer,
      warn: ({ message }) => said.push(message),
    });
    for (const tool of tools) {
      const given = toolCalls.find(({ name }) => name === tool.name)?.arguments ?? { a: 2, b: 3 };
      said.push(`${tool.name}: ${(await tool.execute(given, signal)).text}`);
    }
    await close();
    return said.join('\n');
  };
}
