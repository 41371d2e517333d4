import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type ModelScript, text, toolCall } from '../helpers/model-server.js';
import { BAD_SERVER, EVERYTHING, MODERN_SERVER, tryRead } from '../tools/mcp/scene.js';
import { runLine } from './cli-scene.js';
import { setStage, told } from './stage.js';
import { agentToml, resultsOf, scheduledStage } from './tool-scene.js';

let count = 0;

/** The protocol's example server, with an argument by which its process can be found. */
function everything(): { readonly mark: string; readonly toml: string } {
  count += 1;
  const mark = `mark-${process.pid}-${count}`;
  return { mark, toml: serverToml('everything', [EVERYTHING, 'stdio', mark]) };
}

/** Ids of the processes that were started with this argument. */
function processesWith(mark: string): readonly string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => tryRead(`/proc/${id}/cmdline`).split('\0').includes(mark));
}

/** The command line with an agent of these tables. */
async function start(
  tables: string,
  model: ModelScript,
  env: Readonly<Record<string, string>> = {},
) {
  const files = { 'axe/agents/worker.toml': agentToml({ tables }) };
  return await runLine(['run', 'worker'], { files, model, env });
}

function serverToml(name: string, args: readonly string[]): string {
  const command = JSON.stringify(process.execPath);
  return `[[mcp_servers]]\nname = "${name}"\ntransport = "stdio"\ncommand = ${command}\nargs = ${JSON.stringify(args)}\n`;
}

/** The server that misbehaves on command, which records in a file what it was started with. */
function badServerToml(mode: string, more = ''): string {
  return `${serverToml('odd', [BAD_SERVER, mode])}${more}`;
}

describe('a missing MCP server', () => {
  const missing = (more: string) => badServerToml('no-list', more);

  it('is named to the model behind the task, without the reason', async () => {
    const { prompts, ...ended } = await start(missing(''), [text('I could not see tickets.')]);
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'I could not see tickets.' });
    expect(JSON.stringify(prompts[0])).toContain(
      'Not available in this run: the MCP server `odd`. Say so where it matters, and do not guess what it would have told.',
    );
  });

  it('that is required ends the run before the model is asked', async () => {
    const { prompts, ...ended } = await start(missing('required = true\n'), []);
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toContain('the MCP server `odd` is required and not available: ');
    expect(prompts).toEqual([]);
  });
});

describe('an MCP server on the command line', () => {
  it('gets the variables of its table, whose values are shown to nobody', async () => {
    const { prompts, ...ended } = await start(
      badServerToml('environment', 'env = { API_KEY = "${STAGE}", MODE = "test" }\n'),
      [toolCall('work', {}), text('Done.')],
      {
        STAGE: 'canary-7f3a9c-q7Zk2Pv9',
        OTHER: 'canary-other',
        HTTPS_PROXY: 'http://ann:canary-pw-Xw4Lm8Rt@127.0.0.1:2',
      },
    );
    expect(ended).toMatchObject({ exitCode: 0, stderr: '' });
    const [answer = ''] = resultsOf(prompts[1]);
    const shown = { API_KEY: '***', MODE: 'test', HTTPS_PROXY: 'http://ann:***@127.0.0.1:2' };
    expect(JSON.parse(answer)).toMatchObject(shown);
    expect(answer).not.toMatch(/canary-7f3a9c|canary-other/);
  });

  it('shows the model no value that it was given, in no name, description and schema of a tool', async () => {
    const { prompts, model, ...ended } = await start(
      badServerToml('echo', 'env = { API_KEY = "${STAGE}" }\n'),
      [toolCall('work', { note: 'send canary-7f3a9c-q7Zk2Pv9' }), text('Done.')],
      { STAGE: 'canary-7f3a9c-q7Zk2Pv9' },
    );
    expect(ended).toMatchObject({ exitCode: 1 });
    expect(ended.stderr).toContain('the model wrote the secret in `STAGE`');
    expect(prompts).toHaveLength(1);
    const told = model.requests().map(({ bytes }) => bytes.toString('utf8'));
    expect(told[0]).toContain('"work"');
    expect(told[0]).not.toMatch(/7f3a9c/);
  });

  it('offers its tools, gets no secret, and leaves no process', async () => {
    const { mark, toml } = everything();
    const seen: number[] = [];
    const calls = [toolCall('get-sum', { a: 20, b: 22 }), toolCall('get-env', {}), text('Done.')];
    const script: ModelScript = (_request, index) => {
      seen.push(processesWith(mark).length);
      return calls[index] ?? text('');
    };
    const secrets = { DEPLOY_TOKEN: 'canary-7f3a9c', GITHUB_TOKEN: 'ghs_canary' };
    const { prompts, ...ended } = await start(toml, script, secrets);
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'Done.', stderr: '' });
    const [, sum, env] = prompts;
    expect(resultsOf(sum)).toEqual(['The sum of 20 and 22 is 42.']);
    expect(resultsOf(env)[1]).toContain('"PATH"');
    expect(resultsOf(env)[1]).not.toMatch(/canary|API_KEY|sk-ant|TOKEN/);
    expect(seen).toEqual([1, 1, 1]);
    expect(processesWith(mark)).toEqual([]);
  });

  it('may know the newer protocol alone', async () => {
    const script = [toolCall('revision', {}), text('Done.')];
    const { prompts, ...ended } = await start(serverToml('modern', [MODERN_SERVER]), script);
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'Done.', stderr: '' });
    expect(resultsOf(prompts[1])).toEqual(['2026-07-28']);
  });
});

it('an MCP server has to be allowed in a workflow, by its name', async () => {
  const { mark, toml } = everything();
  const script = [toolCall('echo', { message: 'hello' }), text('Done.')];
  const allowed = await scheduledStage([{ tables: toml }], { model: script }, setStage);
  const step = await allowed.run({ inputs: { agent: 'worker', 'tools-allowed': 'everything' } });
  expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  expect(resultsOf(allowed.model.prompts()[1])).toEqual(['Echo: hello']);
  expect(processesWith(mark)).toEqual([]);

  const withheld = await scheduledStage([{ tables: toml }], { model: [text('Done.')] }, setStage);
  const other = await withheld.run({ inputs: { agent: 'worker', 'tools-allowed': 'network' } });
  expect(other).toMatchObject({ exitCode: 0, stderr: '' });
  expect(told(other)).toEqual([
    expect.stringContaining('Add `tools-allowed: network, everything`'),
  ]);
  expect(withheld.model.prompts()[0]?.tools).toEqual([]);
});

it('a value given to an MCP server is masked in its answers, and a model that writes it ends the run', async () => {
  const toml = badServerToml('environment', 'env = { API_KEY = "${STAGE}" }\n');
  const value = 'canary-7f3a9c-q7Zk2Pv9';
  const model = [toolCall('work', {}), text(`The key is ${value}.`)];
  const stage = await scheduledStage([{ tables: toml, memory: true }], { model }, setStage);
  const inputs = { agent: 'worker', 'tools-allowed': 'odd', 'memory-store': 'file' };
  const step = await stage.run({ inputs, env: { STAGE: value } });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(resultsOf(stage.model.prompts()[1]).join()).toContain('***');
  expect(`${step.stdout}${step.summary}${JSON.stringify(step.outputs)}`).not.toContain(value);
  expect(tryRead(join(step.workspace, '.axe/memory/apart/worker.md'))).toBe('');
  expect(resultsOf(stage.model.prompts()[1])[0]).not.toContain('canary-7f3a9c');
});
