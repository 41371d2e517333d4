import { describe, expect, it } from '@jest/globals';
import { type ModelServer, startModelServer, text } from '../helpers/model-server.js';
import { type RunningStep, startStep } from '../helpers/run-action.js';
import { startCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { schedulePayload } from '../helpers/webhooks.js';
import { told } from './stage.js';
import { agentToml } from './tool-scene.js';

/** Each further `a` doubles the time that this takes to see that the answer is wrong. */
const PATTERN = '^(a+)+$';
const ANSWER = JSON.stringify(`${'a'.repeat(35)}!`);
const TOO_SLOW = 'cannot be used: checking an answer takes more than 2 s';

const TABLES = `[params]
response_format = { type = "json_schema", schema = { type = "string", pattern = ${JSON.stringify(PATTERN)} } }
`;

async function startWorker(args: readonly string[]) {
  const model = await startModelServer([text(ANSWER)]);
  const cwd = tempDir('schema');
  writeFiles(cwd, { 'axe/agents/worker.toml': agentToml({ tables: TABLES }) });
  return { model, cli: startCli(['run', 'worker', ...args], { cwd, env: { ...model.env } }) };
}

function startAction(model: ModelServer): RunningStep {
  const workspace = tempDir('workspace');
  writeFiles(workspace, { 'axe/agents/worker.toml': agentToml({}) });
  return startStep('main', {
    event: { name: 'schedule', payload: schedulePayload('0 6 * * 1') },
    workspace,
    env: { ...model.env },
    inputs: {
      agent: 'worker',
      'memory-store': 'none',
      'github-token': '',
      'output-schema': JSON.stringify({ type: 'string', pattern: PATTERN }),
    },
  });
}

describe('a schema pattern that would run for years ends', () => {
  it('as an error with its remedy on the command line', async () => {
    const { cli } = await startWorker([]);
    const { exitCode, stdout, stderr } = await cli.finished;
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toContain(`\`params.response_format.schema\` ${TOO_SLOW}`);
    expect(stderr).toContain('keep patterns and references simple');
  });

  it('with a signal', async () => {
    const { cli, model } = await startWorker([]);
    model.onRequest(() => cli.kill('SIGTERM'));
    const { signal, stderr } = await cli.finished;
    expect({ signal, stderr }).toEqual({
      signal: 'SIGTERM',
      stderr: 'interrupted by SIGTERM\n  Nothing was saved.\n',
    });
  });

  it('as an annotation in a workflow', async () => {
    const model = await startModelServer([text(ANSWER)]);
    const step = await startAction(model).finished;
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(told(step)).toEqual([expect.stringContaining(`\`output-schema\` ${TOO_SLOW}`)]);
  });
});
