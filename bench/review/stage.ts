// A run of the built action on a pull request, against the fakes of GitHub and of a model, with a
// pause before each answer of GitHub. Prints a line of JSON for each pause: from the start of the
// process to the first model request and to the end, in milliseconds, how many requests GitHub got,
// and the bytes and tools of that first request.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { setStage } from '../../__tests__/transcripts/stage.js';

const ROUNDS = 7;

/** A new file of 100 lines. */
const LINES = Array.from(
  { length: 100 },
  (_, n) => `+export const price${n} = (cents: number) => cents * ${n};\n`,
);
const DIFF = `diff --git a/src/prices.ts b/src/prices.ts
new file mode 100644
--- /dev/null
+++ b/src/prices.ts
@@ -0,0 +1,100 @@
${LINES.join('')}`;

const [agent = '', ...pauses] = process.argv.slice(2);
for (const pauseMs of pauses.map(Number)) {
  const figures = [];
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const measured = await review(pauseMs);
    if (round > 0) figures.push(measured);
  }
  process.stdout.write(`${JSON.stringify(figures)}\n`);
}
process.exit(0);

async function review(pauseMs: number) {
  const stage = await setStage({ diff: DIFF, github: { validate: false } });
  stage.repo.contents = 'write';
  stage.github.commit(
    `${stage.repo.owner}/${stage.repo.name}`,
    { 'other.md': '' },
    { branch: 'axe-memory' },
  );
  const relay = await relayTo(stage.github.url, pauseMs);
  let firstMs: number | undefined;
  stage.model.onRequest(() => {
    firstMs ??= performance.now();
  });
  const env = Object.entries(stage.github.env).map(([name, value]) => [
    name,
    value.replace(stage.github.url, relay.url),
  ]);
  const startMs = performance.now();
  const step = await stage.run({
    env: Object.fromEntries(env),
    inputs: { agent, 'memory-store': 'branch' },
  });
  const endMs = performance.now();
  relay.close();
  if (step.exitCode !== 0 || firstMs === undefined)
    throw new Error(`the review failed:\n${step.log}`);
  const [first] = stage.model.requests();
  return {
    bytes: first?.bytes.length,
    tools: stage.model.prompts()[0]?.tools.length,
    firstMs: firstMs - startMs,
    endMs: endMs - startMs,
    requests: stage.github.calls().length,
  };
}

/** A server that answers what another answers, later. */
async function relayTo(target: string, pauseMs: number) {
  const server = createServer(async (request, response) => {
    const body = await bytesOf(request);
    await pause(pauseMs);
    const { method = 'GET', url = '/', headers } = request;
    const sent = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
      name === 'host' ||
      name === 'connection' ||
      name === 'content-length' ||
      name === 'transfer-encoding'
        ? []
        : [[name, String(value)]],
    );
    const answer = await fetch(`${target}${url}`, {
      method,
      headers: sent,
      redirect: 'manual',
      ...(body.length === 0 ? {} : { body }),
    });
    const kept = [...answer.headers].filter(
      ([name]) => !/^(?:content-(?:encoding|length)|connection)$/.test(name),
    );
    response
      .writeHead(answer.status, Object.fromEntries(kept))
      .end(Buffer.from(await answer.arrayBuffer()));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}
