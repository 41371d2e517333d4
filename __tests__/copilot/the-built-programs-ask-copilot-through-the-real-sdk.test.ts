import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { COPILOT_TOKEN, type CopilotServer, startCopilotServer } from '../helpers/copilot-server.js';
import { installFakeSdk } from '../helpers/fake-copilot-sdk.js';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import { type ModelReply, type ModelScript, promptOf, text, toolCall } from '../helpers/model-server.js';
import { runCli, startCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { CHANGE, calls, discussion, submit, TIMING } from '../transcripts/review-scene.js';
import { expectTranscript, seen, setStage, told } from '../transcripts/stage.js';
import { runtimesOf, sdkEnv, untilNoneIsLeft } from './real-sdk.js';

const AGENT = `name = "worker"
model = "copilot/gpt-5-mini"
system_prompt = "Read,  then answer é."
tools = ["read_file"]

[retry]
initial_delay_ms = 1
`;

const failing = (status: number): ModelReply => ({
  kind: 'raw',
  status,
  body: { error: { message: `no, ${status}` } },
});

interface Run {
  readonly script: ModelScript;
  readonly lists?: readonly ModelReply[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

async function start({ script, lists = [], args = [], env = {} }: Run) {
  const server = await startCopilotServer(script, lists);
  const cwd = tempDir('copilot');
  const temp = tempDir('tmp');
  writeFiles(cwd, {
    'axe/agents/worker.toml': AGENT,
    'a.txt': 'the first',
    'b.txt': 'the second',
    // Files that the runtime would read if it were started here.
    'AGENTS.md': 'Obey the workspace.',
  });
  const cli = startCli(['run', 'worker', ...args], {
    cwd,
    env: { ...sdkEnv(server), COPILOT_GITHUB_TOKEN: COPILOT_TOKEN, TMPDIR: temp, ...env },
  });
  return { server, cli, temp };
}

async function run(given: Run) {
  const { server, cli, temp } = await start(given);
  const result = await cli.finished;
  return { ...result, server, temp };
}

const read = (...paths: readonly string[]): ModelReply => ({
  kind: 'tools',
  calls: paths.map((path) => ({ name: 'read_file', input: { path } })),
});

function resultsIn(server: CopilotServer, index: number): readonly string[] {
  const request = server.asked()[index];
  if (request === undefined) throw new Error(`there is no request ${index}`);
  return promptOf(request).messages.filter((line) => line.startsWith('tool: '));
}

describe('the command line', () => {
  it.each([
    ['gpt-4.1', '/chat/completions'],
    ['gpt-5-mini', '/responses'],
    ['claude-sonnet-4.5', '/v1/messages'],
  ])(
    'runs its own loop with %s: our prompt, our tools, one after the other and in parallel',
    async (model, path) => {
      const { server, exitCode, stdout, stderr, temp } = await run({
        script: [read('a.txt'), read('a.txt', 'b.txt'), text('Both were read.')],
        args: ['--model', `copilot/${model}`],
      });
      expect({ exitCode, stdout, stderr }).toEqual({ exitCode: 0, stdout: 'Both were read.', stderr: '' });
      expect(server.asked().map((request) => request.path)).toEqual([path, path, path]);
      expect(server.lists()).toBe(1);
      const [first] = server.asked();
      const prompt = first && promptOf(first);
      expect(prompt).toMatchObject({ model, system: 'Read,  then answer é.', tools: ['read_file'] });
      expect(prompt?.messages).toHaveLength(1);
      expect(resultsIn(server, 2)).toEqual([
        expect.stringContaining('the first'),
        expect.stringContaining('the first'),
        expect.stringContaining('the second'),
      ]);
      const headers = server.asked().map((request) => request.headers);
      expect(headers.map((one) => one['x-initiator'])).toEqual(['user', 'agent', 'agent']);
      expect(headers.map((one) => one['x-interaction-type'])).toEqual([
        'conversation-user',
        'conversation-agent',
        'conversation-agent',
      ]);
      expect(new Set(headers.map((one) => one['x-interaction-id'])).size).toBe(1);
      expect(headers.every((one) => one['authorization'] === `Bearer ${COPILOT_TOKEN}`)).toBe(true);
      expect(
        server
          .requests()
          .map(({ bytes }) => bytes.toString())
          .join(),
      ).not.toContain('Obey the workspace');
      expect(readdirSync(temp)).toEqual([]);
      expect(runtimesOf(server)).toEqual([]);
    },
  );

  it('counts tokens', async () => {
    const { stdout } = await run({
      script: [text('Hi', { inputTokens: 1_000_000, outputTokens: 100_000 })],
      args: ['--json'],
    });
    expect(JSON.parse(stdout)).toMatchObject({ input_tokens: 1_000_000, output_tokens: 100_000 });
  });

  it.each([429, 500])(
    'repeats a request that failed with %i as often as the agent is configured',
    async (status) => {
      const { server, exitCode, stdout } = await run({
        script: [failing(status), failing(status), text('Hi')],
      });
      expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Hi' });
      expect(server.asked()).toHaveLength(3);
    },
  );

  it.each([429, 500])('repeats a request whose list of models failed with %i', async (status) => {
    const { server, exitCode, stdout } = await run({
      script: [text('Hi')],
      lists: [failing(status), failing(status)],
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Hi' });
    expect(server.asked()).toHaveLength(1);
  });

  it.each([
    [401, 3],
    [403, 3],
    [400, 1],
  ])('sends one request if the answer is %i, and ends with %i', async (status, expected) => {
    const { server, exitCode, stderr } = await run({ script: [failing(status)] });
    expect(exitCode).toBe(expected);
    expect(stderr).toContain(`no, ${status}`);
    expect(server.asked()).toHaveLength(1);
    if (status !== 400) expect(stderr).toContain('copilot-requests: write');
  });

  it('names the permission if the list of models is refused', async () => {
    const { exitCode, stderr, server } = await run({ script: [], lists: [failing(403)] });
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/auth: no, 403\n.*copilot-requests: write/);
    await untilNoneIsLeft(server);
  });

  it('lists the offered models if another one is requested', async () => {
    const { exitCode, stderr, server } = await run({
      script: [failing(400)],
      args: ['--model', 'copilot/octo-1'],
    });
    expect(exitCode).toBe(1);
    expect(stderr).toContain('It offers `gpt-4.1`, `gpt-5-mini`, `claude-sonnet-4.5`.');
    expect(server.asked()[0]?.body).toMatchObject({ model: 'octo-1' });
  });

  it('starts another runtime if the first was killed', async () => {
    const script: ModelScript = (_, index) => {
      if (index > 0) return text('Still here.');
      for (const id of runtimesOf(context.server)) process.kill(id, 'SIGKILL');
      return toolCall('read_file', { path: 'a.txt' });
    };
    const context = await start({ script });
    const { exitCode, stdout } = await context.cli.finished;
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'Still here.' });
    expect(context.server.lists()).toBe(2);
    expect(readdirSync(context.temp)).toEqual([]);
    await untilNoneIsLeft(context.server);
  });

  it('ends with its time limit while the model is silent, and leaves no runtime', async () => {
    const { exitCode, stderr, server, temp } = await run({
      script: [{ kind: 'stall' }],
      args: ['--timeout', '3'],
    });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('context deadline exceeded');
    expect(runtimesOf(server)).toEqual([]);
    expect(readdirSync(temp)).toEqual([]);
  });

  it.each(['SIGINT', 'SIGKILL'] as const)('leaves no runtime when %s ends it', async (signal) => {
    const asked = Promise.withResolvers<void>();
    const context = await start({
      script: () => {
        asked.resolve();
        return { kind: 'stall' };
      },
    });
    await asked.promise;
    expect(runtimesOf(context.server).length).toBeGreaterThan(0);
    context.cli.kill(signal);
    await context.cli.finished;
    await untilNoneIsLeft(context.server);
  });

  it('names the line to add if the SDK is missing, and the version if it is another', async () => {
    const missing = await run({ script: [], env: { AXE_COPILOT_SDK: '' } });
    expect(missing.exitCode).toBe(3);
    expect(missing.stderr).toContain('npm install --prefix "$RUNNER_TEMP/copilot"');
    const other = await run({ script: [], env: { AXE_COPILOT_SDK: installFakeSdk('2.0.0') } });
    expect(other.exitCode).toBe(3);
    expect(other.stderr).toContain('the Copilot SDK has version "2.0.0"');
    expect([...missing.server.requests(), ...other.server.requests()]).toEqual([]);
  });

  it('needs no network except the service', async () => {
    const server = await startCopilotServer([text('Hi')]);
    const proxy = await startCopilotServer([]);
    const env = {
      ...sdkEnv(server),
      COPILOT_GITHUB_TOKEN: COPILOT_TOKEN,
      HTTPS_PROXY: proxy.url,
      HTTP_PROXY: proxy.url,
    };
    const { stdout } = await runCli(
      ['run', 'builtin/ask', '--model', 'copilot/gpt-5-mini', '--prompt', 'Hi'],
      { env },
    );
    expect(stdout).toBe('Hi');
    expect(proxy.requests()).toEqual([]);
  });
});

describe('sub-agents', () => {
  it('send requests at the same time through one runtime, and each gets its own answer', async () => {
    const server = await startCopilotServer((request) => {
      const { system, messages } = promptOf(request);
      const number = /You are helper (\d)/.exec(system)?.[1];
      if (number !== undefined) return text(`answer ${number}`);
      if (messages.some((line) => line.startsWith('tool: '))) return text('All were asked.');
      const names = ['1', '2', '3', '4'].map((one) => `helper-${one}`);
      return {
        kind: 'tools',
        calls: names.map((agent) => ({ name: 'call_agent', input: { agent, task: 'Answer.' } })),
      };
    });
    const cwd = tempDir('agents');
    const helpers = ['1', '2', '3', '4'];
    const head = (name: string) => `name = "${name}"\nmodel = "copilot/gpt-5-mini"\n`;
    writeFiles(cwd, {
      'axe/agents/boss.toml': `${head('boss')}sub_agents = ${JSON.stringify(helpers.map((one) => `helper-${one}`))}\n`,
      ...Object.fromEntries(
        helpers.map((one) => [
          `axe/agents/helper-${one}.toml`,
          `${head(`helper-${one}`)}system_prompt = "You are helper ${one}."\n`,
        ]),
      ),
    });
    const { exitCode, stdout } = await runCli(['run', 'boss'], {
      cwd,
      env: { ...sdkEnv(server), COPILOT_GITHUB_TOKEN: COPILOT_TOKEN },
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: 'All were asked.' });
    expect(resultsIn(server, 5)).toEqual(helpers.map((one) => expect.stringContaining(`answer ${one}`)));
    const initiators = server.asked().map(({ headers }) => headers['x-initiator']);
    expect(initiators).toEqual(['user', 'agent', 'agent', 'agent', 'agent', 'agent']);
    expect(server.lists()).toBe(1);
  });
});

describe('the action', () => {
  it('reviews a pull request with the job’s own token, posts and remembers', async () => {
    const server = await startCopilotServer([
      calls(TIMING),
      calls(submit('One thing to fix.')),
      text('I reviewed the change.', { inputTokens: 900, outputTokens: 20 }),
    ]);
    const stage = await setStage({ base: {}, diff: CHANGE });
    const inputs = { agent: 'builtin/pr-reviewer', model: 'copilot/gpt-5-mini', 'max-cost-usd': '1' };
    const step = await stage.run({ inputs, env: sdkEnv(server) });
    expect({
      exitCode: step.exitCode,
      trouble: told(step).filter((line) => !line.startsWith('notice')),
    }).toEqual({
      exitCode: 0,
      trouble: [],
    });
    expect(server.asked().map(({ headers }) => headers['authorization'])).toEqual(
      Array(3).fill(`Bearer ${GITHUB_TOKEN}`),
    );
    expect(stage.repo.talk.reviewComments.map(({ line }) => line)).toEqual([12]);
    expect(step.outputs['memory-saved']).toBe('true');
    expect(step.outputs['memory-entry']).toContain('**Result:** Posted 1 comment on #2: src/auth.ts:12.');
    expect(step.outputs).toMatchObject({
      'input-tokens': '2524',
      'output-tokens': '88',
      'cost-usd': '0.000807',
    });
    expect(stage.model.requests()).toEqual([]);
    expect(runtimesOf(server)).toEqual([]);
    expectTranscript(
      'the-action-reviews-through-the-copilot-sdk',
      [seen(step, stage), discussion(stage), ''].join('\n=====\n'),
    );
  });

  it('warns that a cost limit cannot hold for a model without a public price', async () => {
    const server = await startCopilotServer([text('Fine.')]);
    const stage = await setStage();
    const inputs = { model: 'copilot/gpt-4.1', 'max-cost-usd': '1' };
    const step = await stage.run({ inputs, env: sdkEnv(server) });
    expect(told(step)).toContainEqual(
      expect.stringContaining(
        'the price of `copilot/gpt-4.1` is not known, so `max-cost-usd` cannot limit what it costs. Set `max-tokens` or `max-turns` instead.',
      ),
    );
  });

  it('reports for Dependabot that the token has no right, before any work is done', async () => {
    const server = await startCopilotServer([]);
    const patch = { 'sender.login': 'dependabot[bot]', 'sender.type': 'Bot' };
    const stage = await setStage({ event: { name: 'pull_request', action: 'opened', patch } });
    const inputs = { model: 'copilot/gpt-5-mini', 'allow-bots': 'dependabot[bot]' };
    const step = await stage.run({ inputs, env: sdkEnv(server) });
    expect(step.exitCode).toBe(1);
    expect(told(step)).toEqual([expect.stringContaining('GitHub gives Dependabot a read-only token')]);
    expect([...server.requests(), ...stage.cache.requests()]).toEqual([]);
    expect(stage.repo.comments).toEqual([]);
  });

  it('skips a pull request from a fork, as for every model, and reports how it could run', async () => {
    const server = await startCopilotServer([]);
    const patch = { 'pull_request.head.repo.full_name': 'octocat/Hello-World' };
    const stage = await setStage({ event: { name: 'pull_request', action: 'labeled', patch } });
    const step = await stage.run({ inputs: { model: 'copilot/gpt-5-mini' }, env: sdkEnv(server) });
    expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'skipped', 'skip-reason': 'fork' } });
    expect([...server.requests(), ...stage.cache.requests()]).toEqual([]);
  });

  it('does not load code that a pull request might have put into the workspace', async () => {
    const server = await startCopilotServer([]);
    const workspace = tempDir('workspace');
    writeFiles(workspace, {
      'node_modules/@github/copilot-sdk/package.json': '{"version":"1.0.14","type":"module"}',
      'node_modules/@github/copilot-sdk/dist/index.js': `import { writeFileSync } from 'node:fs'; writeFileSync(${JSON.stringify(join(workspace, 'loaded'))}, '');`,
    });
    const stage = await setStage();
    const step = await stage.run({
      workspace,
      inputs: { model: 'copilot/gpt-5-mini' },
      env: { ...sdkEnv(server), AXE_COPILOT_SDK: workspace },
    });
    expect(step.exitCode).toBe(1);
    expect(told(step)).toContainEqual(expect.stringContaining('outside of the workspace'));
    expect(existsSync(join(workspace, 'loaded'))).toBe(false);
  });
});
