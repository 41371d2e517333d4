import { expect, it } from '@jest/globals';
import { type ModelReply, startModelServer } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { agentToml } from './tool-scene.js';

const USAGE = { inputTokens: 900, outputTokens: 100 };
const UNAUTHORIZED: ModelReply = {
  kind: 'raw',
  status: 401,
  body: { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } },
};

async function run(script: readonly ModelReply[], args: readonly string[] = [], agent = 'worker') {
  const model = await startModelServer(script);
  const cwd = tempDir('json');
  writeFiles(cwd, { 'axe/agents/worker.toml': agentToml({ tools: ['read_file'] }), 'a.txt': 'alpha\n' });
  const result = await runCli(['run', agent, '--json', ...args], { cwd, env: model.env });
  expect(result.stdout.trimEnd().split('\n')).toHaveLength(1);
  const json: Readonly<Record<string, unknown>> = JSON.parse(result.stdout);
  return { ...result, json };
}

it("the JSON shows a provider's error", async () => {
  const { exitCode, stderr, json } = await run([UNAUTHORIZED]);
  expect(exitCode).toBe(3);
  expect(stderr).toMatch(/^auth: invalid x-api-key\n/);
  expect(json).toMatchObject({
    content: '',
    error: { exit_code: 3, message: 'auth: invalid x-api-key' },
    tool_calls: 0,
  });
});

it('the JSON shows a spent budget, with the text so far', async () => {
  const more: ModelReply = {
    kind: 'tools',
    text: 'So far so good.',
    calls: [{ name: 'read_file', input: { path: 'a.txt' } }],
    usage: USAGE,
  };
  const { exitCode, json } = await run([more], ['--max-tokens', '800']);
  expect(exitCode).toBe(4);
  expect(json).toMatchObject({
    content: 'So far so good.',
    budget_exceeded: true,
    budget_max_tokens: 800,
    budget_used_tokens: 1000,
    error: { exit_code: 4, message: 'budget exceeded: used 1000 of 800 tokens' },
  });
});

it.each([
  ['an agent that does not exist', [], 'nobody', 2, 'agent config not found: nobody'],
  ['an invalid model', ['--model', 'nothing'], 'worker', 1, 'invalid model format "nothing"'],
  ['a key that is missing', ['--model', 'openrouter/x'], 'worker', 2, 'API key for provider "openrouter"'],
] as const)('the JSON shows %s', async (_what, args, agent, exit_code, message) => {
  const { exitCode, stderr, json } = await run([], args, agent);
  expect(exitCode).toBe(exit_code);
  expect(stderr).toContain(message);
  expect(json).toMatchObject({
    content: '',
    error: { exit_code, message: expect.stringContaining(message) },
  });
});
