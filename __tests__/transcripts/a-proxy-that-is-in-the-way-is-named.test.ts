import { expect, it } from '@jest/globals';
import { startLoopback } from '../helpers/loopback.js';
import { runCli } from '../helpers/run-cli.js';

/** A proxy is not asked about this machine, so these are hosts that nobody has. */
const MODEL = 'http://models.example';

it('C4 57: an unreachable proxy is named instead of the model', async () => {
  const peer = await startLoopback(() => {});
  await peer.close();
  const { host } = new URL(peer.url);
  const env = { HTTP_PROXY: peer.url, ANTHROPIC_API_KEY: 'k', AXE_ANTHROPIC_BASE_URL: MODEL };
  const run = await runCli(['run', 'builtin/ask', '--prompt', 'Hello'], { env });
  expect(run.exitCode).toBe(3);
  expect(run.stderr).toContain(`the proxy ${host} (\`HTTP_PROXY\`) cannot be reached: connect ECONNREFUSED`);
  expect(run.stderr).toContain('name the host in `NO_PROXY`');
  expect(run.stderr).not.toContain('models.example');
});
