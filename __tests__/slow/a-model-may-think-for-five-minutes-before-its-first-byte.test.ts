import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from '@jest/globals';
import { startModelServer, text } from '../helpers/model-server.js';
import { startProxy } from '../helpers/proxy-server.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { agentToml } from '../transcripts/tool-scene.js';

/** Longer than the 300 s for which fetch waits for the head of an answer by itself. */
const THINKING_MS = 310_000;

it.concurrent.each(['directly', 'through a proxy'])(
  'a model that thinks for 310 s before its first byte is heard %s',
  async (way) => {
    const model = await startModelServer(async () => {
      await wait(THINKING_MS);
      return text('Thought through.');
    });
    const proxy = await startProxy(model.url);
    const cwd = tempDir('thinking');
    writeFiles(cwd, { 'axe/agents/worker.toml': agentToml({}) });
    const proxied = { HTTP_PROXY: proxy.url, AXE_ANTHROPIC_BASE_URL: 'http://models.example' };
    const env = { ...model.env, ...(way === 'directly' ? {} : proxied) };
    const run = await runCli(['run', 'worker', '--timeout', '400', '--prompt', 'Think.'], {
      cwd,
      env,
    });
    expect(run).toMatchObject({ exitCode: 0, stdout: 'Thought through.' });
    expect(proxy.asked).toHaveLength(way === 'directly' ? 0 : 1);
    expect(model.requests()).toHaveLength(1);
  },
  THINKING_MS * 1.3,
);
