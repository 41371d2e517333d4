import { expect, it } from '@jest/globals';
import { startLoopback } from '../helpers/loopback.js';
import { startProxy } from '../helpers/proxy-server.js';
import { runMain } from '../helpers/run-action.js';
import { runCli } from '../helpers/run-cli.js';
import { loadWebhook } from '../helpers/webhooks.js';

/** A proxy is not asked about this machine, so these are hosts that nobody has. */
const MODEL = 'http://models.example';
const API = 'http://github.example';

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

it('C4 57: a proxy that requires a password is named instead of GitHub', async () => {
  const proxy = await startProxy('http://127.0.0.1:2', { refuse: 407 });
  const payload = loadWebhook('issues', 'opened');
  const step = await runMain({
    event: { name: 'issues', payload },
    inputs: { agent: 'builtin/ask', prompt: 'Hello' },
    env: {
      HTTP_PROXY: proxy.url,
      GITHUB_API_URL: API,
      GITHUB_GRAPHQL_URL: `${API}/graphql`,
      ANTHROPIC_API_KEY: 'k',
      AXE_ANTHROPIC_BASE_URL: MODEL,
    },
  });
  expect(step).toMatchObject({ exitCode: 1, stderr: '', outputs: { conclusion: 'failure' } });
  expect(step.annotations).toMatchObject([{ level: 'error' }]);
  expect(step.annotations[0]?.message).toContain('requires a user and a password (407)');
  expect(step.annotations[0]?.message).toContain('`HTTP_PROXY: http://user:password@');
  expect(step.log).not.toContain('cancelled');
});
