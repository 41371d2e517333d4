// slow
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { startLoopback } from '../helpers/loopback.js';
import { type ModelReply, type ModelScript, text, toolCall } from '../helpers/model-server.js';
import { runMain } from '../helpers/run-action.js';
import { CLI, lastScreen, runCli, startCli, startOnTerminal } from '../helpers/run-cli.js';
import { schedulePayload } from '../helpers/webhooks.js';
import { lineScene, runLine } from './cli-scene.js';
import { scheduledStep } from './memory-scene.js';
import { told } from './stage.js';
import { agentToml } from './tool-scene.js';

const ASK = ['run', 'builtin/ask'];
const ASK_WHY = [...ASK, '--prompt', 'Why?'];

describe('what is piped in', () => {
  it('is the user message byte for byte, and the task that is remembered', async () => {
    const line = await runLine(ASK, { stdin: 'Sort these:\n b\n a\n' });
    expect(line).toMatchObject({ exitCode: 0, stdout: 'Done.', stderr: '' });
    expect(line.prompts[0]?.messages[0]).toBe('user: Sort these:\n b\n a\n');
    expect(line.memory('ask.md')).toContain('**Task:** Sort these:  b  a \n**Result:** Done.\n');
  });

  it('is sent along with a prompt, and is not remembered', async () => {
    const line = await runLine([...ASK, '--prompt', 'Sort what is piped in.'], { stdin: 'b\na\n' });
    expect(line).toMatchObject({ exitCode: 0, stdout: 'Done.', stderr: '' });
    expect(line.prompts[0]?.messages[0]).toMatch(/^user: Sort what is piped in\.\n[\s\S]*b\na/);
    expect(line.memory('ask.md')).toContain(
      '**Task:** Sort what is piped in.\n**Result:** Done.\n\n',
    );
    expect(line.memory('ask.md')).not.toMatch(/^[ba]$/m);
  });

  it.each(['', ' \t\n'])('keeps the default task if it is empty: %j', async (stdin) => {
    const files = { 'axe/agents/worker.toml': agentToml({}) };
    const { prompts } = await runLine(['run', 'worker'], { stdin, files });
    expect(prompts[0]?.messages[0]).toBe('user: Execute the task described in your instructions.');
  });

  it('and never ends is waited for until `--timeout`, before a model is called', async () => {
    const line = await runLine([...ASK, '--timeout', '1'], { stdin: { kind: 'pipe-open' } });
    expect(line).toMatchObject({ exitCode: 3, signal: null, stdout: '', prompts: [] });
    expect(line.stderr).toMatch(
      /^timeout: the run reached its time limit of 1 s\n {2}Raise `--timeout`/,
    );
    expect(line.memory('ask.md')).toBe('');
  });

  it('and never ends blocks nobody if an event determines the task', async () => {
    const files = { 'event.json': JSON.stringify(schedulePayload('0 6 * * 1')) };
    const line = await runLine([...ASK, '--event', 'event.json'], {
      files,
      stdin: { kind: 'pipe-open' },
    });
    expect(line).toMatchObject({ exitCode: 0, stdout: 'Done.', stderr: '' });
  });
});

describe('the configuration file', () => {
  const config = (url: string) =>
    `[providers.anthropic]\napi_key = "sk-ant-from-file"\nbase_url = "${url}"\n`;

  async function run(more: string, env: Readonly<Record<string, string>> = {}) {
    const { model, cwd } = await lineScene({ files: { 'axe/config.toml': '' } });
    writeFileSync(join(cwd, 'axe/config.toml'), `${config(model.url)}${more}`);
    const result = await runCli(ASK_WHY, { env: { XDG_CONFIG_HOME: cwd, ...env } });
    return { result, keys: model.requests().map(({ headers }) => headers['x-api-key']) };
  }

  it('provides the key and the address', async () => {
    const { result, keys } = await run('');
    expect(result).toMatchObject({ exitCode: 0, stdout: 'Done.', stderr: '' });
    expect(keys).toEqual(['sk-ant-from-file']);
  });

  it('is overridden by the environment', async () => {
    const { keys } = await run('', { ANTHROPIC_API_KEY: 'sk-ant-from-env' });
    expect(keys).toEqual(['sk-ant-from-env']);
  });

  it('that is broken is reported with line and column, and no model is called', async () => {
    const { result, keys } = await run('[providers.openai\n');
    expect(result).toMatchObject({ exitCode: 2, stdout: '' });
    expect(result.stderr).toMatch(/config\.toml:4:\d+/);
    expect(keys).toEqual([]);
  });
});

describe('the JSON of a run that fails', () => {
  async function run(model: readonly ModelReply[], args: readonly string[] = [], agent = 'worker') {
    const files = {
      'axe/agents/worker.toml': agentToml({ tools: ['read_file'] }),
      'a.txt': 'alpha\n',
    };
    const result = await runLine(['run', agent, '--json', ...args], { files, model });
    expect(result.stdout.trimEnd().split('\n')).toHaveLength(1);
    return { ...result, json: JSON.parse(result.stdout) as Readonly<Record<string, unknown>> };
  }

  it("shows a provider's error", async () => {
    const error = { type: 'authentication_error', message: 'invalid x-api-key' };
    const unauthorized: ModelReply = { kind: 'raw', status: 401, body: { type: 'error', error } };
    const { exitCode, stderr, json } = await run([unauthorized]);
    expect(exitCode).toBe(3);
    expect(stderr).toMatch(/^auth: invalid x-api-key\n/);
    const said = { exit_code: 3, message: 'auth: invalid x-api-key' };
    expect(json).toMatchObject({ content: '', error: said, tool_calls: 0 });
  });

  it('shows a spent budget, with the text so far', async () => {
    const more: ModelReply = {
      kind: 'tools',
      text: 'So far so good.',
      calls: [{ name: 'read_file', input: { path: 'a.txt' } }],
      usage: { inputTokens: 900, outputTokens: 100 },
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
    [
      'a key that is missing',
      ['--model', 'openrouter/x'],
      'worker',
      2,
      'API key for provider "openrouter"',
    ],
  ])('shows %s', async (_, ...[args, agent, exit_code, said]) => {
    const { exitCode, stderr, json } = await run([], args, agent);
    expect(exitCode).toBe(exit_code);
    expect(stderr).toContain(said);
    const error = { exit_code, message: expect.stringContaining(said) };
    expect(json).toMatchObject({ content: '', error });
  });
});

it.each([
  ['a long answer', ASK_WHY, 'x'],
  ['a long line of JSON', [...ASK_WHY, '--json'], '{'],
  ['help', ['help'], 'a'],
])('a pipe that is closed after one byte ends %s without an error', async (_, args, first) => {
  const { cwd, env } = await lineScene({ model: [text('x'.repeat(4 * 1024 * 1024))] });
  const line = '"$0" "$@" | head -c 1; echo "status $PIPESTATUS"';
  const shell = spawn('bash', ['-c', line, process.execPath, CLI, ...args], {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk) => (said += String(chunk)));
  await new Promise((resolve) => shell.on('close', resolve));
  expect(said).toBe(`${first}status 0\n`);
});

it('C4 57: an unreachable proxy is named instead of the model', async () => {
  const peer = await startLoopback(() => {});
  await peer.close();
  const { host } = new URL(peer.url);
  // A proxy is not asked about this machine, so this is a host that nobody has.
  const env = { HTTP_PROXY: peer.url, AXE_ANTHROPIC_BASE_URL: 'http://models.example' };
  const run = await runLine([...ASK, '--prompt', 'Hello'], { env });
  expect(run.exitCode).toBe(3);
  expect(run.stderr).toContain(
    `the proxy ${host} (\`HTTP_PROXY\`) cannot be reached: connect ECONNREFUSED`,
  );
  expect(run.stderr).toContain('name the host in `NO_PROXY`');
  expect(run.stderr).not.toContain('models.example');
});

describe('a schema pattern that would run for years ends', () => {
  /** Each further `a` doubles the time that this takes to see that the answer is wrong. */
  const PATTERN = JSON.stringify('^(a+)+$');
  const MODEL = [text(JSON.stringify(`${'a'.repeat(35)}!`))];
  const TOO_SLOW = 'cannot be used: checking an answer takes more than 2 s';
  const schema = `{ type = "json_schema", schema = { type = "string", pattern = ${PATTERN} } }`;
  const tables = `[params]\nresponse_format = ${schema}\n`;
  const OPTIONS = { model: MODEL, files: { 'axe/agents/worker.toml': agentToml({ tables }) } };

  it('as an error with its remedy on the command line', async () => {
    const { exitCode, stdout, stderr } = await runLine(['run', 'worker'], OPTIONS);
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`\`params.response_format.schema\` ${TOO_SLOW}`);
    expect(stderr).toContain('keep patterns and references simple');
  });

  it('with a signal', async () => {
    const { model, ...scene } = await lineScene(OPTIONS);
    const cli = startCli(['run', 'worker'], scene);
    model.onRequest(() => cli.kill('SIGTERM'));
    const stderr = 'interrupted by SIGTERM\n  Nothing was saved.\n';
    expect(await cli.finished).toMatchObject({ signal: 'SIGTERM', stderr });
  });

  it('as an annotation in a workflow', async () => {
    const { model } = await lineScene(OPTIONS);
    const inputs = {
      'memory-store': 'none',
      'output-schema': `{"type":"string","pattern":${PATTERN}}`,
    };
    const step = await runMain(scheduledStep({ model }, { inputs }));
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(told(step)).toEqual([expect.stringContaining(`\`output-schema\` ${TOO_SLOW}`)]);
  });
});

/** Starts the command line on a terminal, which shows both streams. */
async function start(
  script: ModelScript,
  env: Readonly<Record<string, string>>,
  words: readonly string[],
) {
  const files = { 'notes.txt': 'One line.\n', '.axe/agents/reader.toml': READER };
  return startOnTerminal(['run', ...words], await lineScene({ files, model: script, env }));
}

const READER = `name = "reader"
model = "anthropic/claude-sonnet-4-5"
tools = ["read_file"]

[memory]
enabled = true
`;

const READS: ModelScript = [
  toolCall('read_file', { path: 'notes.txt' }),
  text('Done.', { inputTokens: 1200, outputTokens: 34 }),
];

const SORT = ['builtin/ask', '--prompt', 'Sort.'];

it('an answer on a terminal ends its line, so that the prompt of the shell starts on a new one', async () => {
  const child = await start([text('Done.')], { TERM: 'dumb' }, SORT);
  const { stdout, exitCode } = await child.finished;
  expect([exitCode, stdout]).toEqual([0, 'Done.\r\n']);
});

it('an answer on a terminal is printed below the usage, and the status line is removed', async () => {
  const child = await start(READS, {}, ['reader', '--prompt', 'Read it.']);
  const { stdout, exitCode } = await child.finished;
  expect(exitCode).toBe(0);
  expect(lastScreen(stdout)).toMatch(
    /^✔ claude-sonnet-4-5 · 2 turns · [\d.]+ s · [\d,]+ tokens · \$0\.\d+\nDone\.\n$/,
  );
  const drawn = stripVTControlCharacters(stdout);
  expect(drawn).toContain('claude-sonnet-4-5 · turn 1 · thinking');
  expect(drawn).toContain('turn 1 · read_file notes.txt');
});

it.each([
  ['has colours', {}, true],
  ['has none if NO_COLOR is set', { NO_COLOR: '1' }, false],
])('an error on a terminal %s', async (_, env, hasColors) => {
  const child = await start([], env, ['nobody']);
  const { stdout } = await child.finished;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
  expect(/\u001b\[3\dm/.test(stdout)).toBe(hasColors);
});

it('an interrupted run on a terminal reports what was saved, below the removed status line', async () => {
  const asked = Promise.withResolvers<void>();
  const silent: ModelScript = () => {
    asked.resolve();
    return { kind: 'stall' };
  };
  const child = await start(silent, {}, ['reader', '--prompt', 'Read it.']);
  await asked.promise;
  // Ctrl-C, as it is typed.
  child.write('\u0003');
  const { stdout } = await child.finished;
  expect(lastScreen(stdout)).toBe('interrupted by SIGINT\n  No entry was added to memory.\n');
});
