import { describe, expect, it } from '@jest/globals';
import { atBlockedPort } from '../helpers/blocked-port.js';
import { startMcpHttp } from '../helpers/mcp-http.js';
import { type ModelScript, startModelServer, text, toolCall } from '../helpers/model-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { agentToml, resultsOf, scheduledStage } from './tool-scene.js';

async function run(tables: string, script: ModelScript) {
  const model = await startModelServer(script);
  const cwd = tempDir('ports');
  writeFiles(cwd, { 'axe/agents/worker.toml': agentToml({ tables }) });
  const env = { ...model.env, AXE_ANTHROPIC_BASE_URL: await atBlockedPort(model.url) };
  return { model, ended: await runCli(['run', 'worker'], { cwd, env }) };
}

describe('at a port that fetch blocks,', () => {
  it('a model and an MCP server are reached from the command line', async () => {
    const http = await startMcpHttp();
    const url = await atBlockedPort(http.url);
    const { ended, model } = await run(
      `[[mcp_servers]]\nname = "far"\ntransport = "streamable-http"\nurl = "${url}/mcp"\n`,
      [toolCall('echo', { a: 1 }), text('Done.')],
    );
    expect(ended).toMatchObject({ exitCode: 0, stdout: 'Done.', stderr: '' });
    expect(resultsOf(model.prompts()[1])).toEqual(['{"a":1}']);
  });

  it('a model is reached from a workflow', async () => {
    const stage = await scheduledStage([{}], { model: [text('Done.')] });
    const env = { AXE_ANTHROPIC_BASE_URL: await atBlockedPort(stage.model.url) };
    const step = await stage.run({ inputs: { agent: 'worker' }, env });
    expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { response: 'Done.' } });
  });

  it('an unreachable server is reported as one, not as a port', async () => {
    const cwd = tempDir('ports');
    writeFiles(cwd, { 'axe/agents/worker.toml': `${agentToml({})}[retry]\nmax_retries = 0\n` });
    const env = { ANTHROPIC_API_KEY: 'k', AXE_ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' };
    const { exitCode, stderr } = await runCli(['run', 'worker'], { cwd, env });
    expect(exitCode).toBe(3);
    expect(stderr).toContain('dial tcp 127.0.0.1:9: connect: connection refused');
  });
});
