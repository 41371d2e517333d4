import { expect, it } from '@jest/globals';
import { type ModelReply, startModelServer } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { agentToml } from './tool-scene.js';

const BIG = `${'one line of a large file\n'.repeat(1500)}`;

/** A message of a local server that does not report what it used. */
function message(content: string, calls: readonly object[] = []): ModelReply {
  const choice = {
    index: 0,
    message: { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) },
    finish_reason: calls.length === 0 ? 'stop' : 'tool_calls',
  };
  return { kind: 'raw', status: 200, body: { id: 'c', model: 'm', created: 1, choices: [choice] } };
}

function reads(path: string): ModelReply {
  const call = {
    id: `c-${path}`,
    type: 'function',
    function: { name: 'read_file', arguments: `{"path":"${path}"}` },
  };
  return message('', [call]);
}

/** llama.cpp's words. */
const TOO_LONG: ModelReply = {
  kind: 'raw',
  status: 400,
  body: {
    error: {
      code: 400,
      type: 'exceed_context_size_error',
      message: 'request (12000 tokens) exceeds the available context size (8192 tokens), try increasing it',
      n_ctx: 8192,
    },
  },
};

async function run(script: Parameters<typeof startModelServer>[0], args: readonly string[] = []) {
  const model = await startModelServer(script);
  const cwd = tempDir('unsaid');
  const files = Object.fromEntries(['a', 'b', 'c'].map((name) => [`${name}.txt`, BIG]));
  writeFiles(cwd, { 'axe/agents/worker.toml': agentToml({ tools: ['read_file'] }), ...files });
  const words = ['run', 'worker', '--model', 'local/m', '-v', ...args];
  const result = await runCli(words, { cwd, env: { ...model.env, AXE_LOCAL_BASE_URL: model.url } });
  return { result, model };
}

it('a conversation that the server finds too long is shortened and sent again', async () => {
  const sizes: number[] = [];
  let turn = 0;
  const { result, model } = await run(({ bytes }) => {
    sizes.push(bytes.length);
    if (bytes.length > 32_000) return TOO_LONG;
    turn += 1;
    const next = ['a.txt', 'b.txt', 'c.txt'][turn - 1];
    return next === undefined ? message('Read all of it.') : reads(next);
  });
  expect(result).toMatchObject({ exitCode: 0, stdout: 'Read all of it.' });
  expect(result.stderr).toContain('[shorten] local/m takes about 8192 tokens, leaving out earlier turns\n');
  expect(sizes.filter((size) => size > 32_000).length).toBeGreaterThan(0);
  expect(model.prompts().at(-1)?.messages.join('')).toMatch(/bytes left out|left out to save room/);
});

it('C4 65: the limit of tokens is applied to an estimate if none are reported, with one warning', async () => {
  const { result, model } = await run(() => reads('a.txt'), ['--max-tokens', '15000']);
  expect(result.exitCode).toBe(4);
  expect(result.stderr).toMatch(/^budget exceeded: used \d+ of 15000 tokens$/m);
  expect(
    result.stderr.match(/^Warning: `local\/m` does not say how many tokens a reply used/gm),
  ).toHaveLength(1);
  expect(model.requests().length).toBeGreaterThan(1);
  expect(model.requests().length).toBeLessThan(6);
});
