import { expect, it } from '@jest/globals';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import { type ModelReply, text, toolCall } from '../helpers/model-server.js';
import { EVERYTHING } from '../tools/mcp/scene.js';
import { setStage } from './stage.js';
import { resultsOf, scheduledStage } from './tool-scene.js';

const KEY = 'sk-ant-api03-canary-Zm9vYmFyYmF6cXV4Cg';
const CANARIES: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: KEY,
  DEPLOY_TOKEN: 'canary-of-the-step-7f3a9c',
  ACTIONS_RUNTIME_TOKEN: 'canary-of-the-runtime-81b2',
  ACTIONS_ID_TOKEN_REQUEST_TOKEN: 'canary-of-the-identity-55d0',
  npm_config__authToken: 'canary-of-the-registry-0c4e',
  Unremarkable: 'canary-without-a-telling-name-9e1f',
};

const SERVER = `[[mcp_servers]]
name = "everything"
transport = "stdio"
command = ${JSON.stringify(process.execPath)}
args = ${JSON.stringify([EVERYTHING, 'stdio'])}
`;

/** Looks wherever a command can look for what its parents know. */
const LOOK = `env; set; export -p; ls -a "$HOME" ..; cat ../temp/* ../file-commands/* 2>/dev/null;
tr '\\0' '\\n' < /proc/self/environ`;

const SCRIPT: readonly ModelReply[] = [
  toolCall('run_command', { command: LOOK }),
  toolCall('get-env', {}),
  text('Done.'),
];

const NETWORK: Readonly<Record<string, string>> = {
  HTTPS_PROXY: 'http://proxy.example:3128',
  no_proxy: 'internal.example',
  SSL_CERT_FILE: '/etc/ssl/corporate.pem',
  NODE_EXTRA_CA_CERTS: '',
};

it('a command and an MCP server get what they need to reach the network', async () => {
  const stage = await scheduledStage(
    [{ tools: ['run_command'], tables: SERVER }],
    { model: SCRIPT },
    setStage,
  );
  const inputs = { agent: 'worker', 'tools-allowed': 'run_command, everything' };
  const step = await stage.run({ inputs, env: NETWORK });
  expect(step).toMatchObject({ exitCode: 0, stderr: '' });
  for (const result of resultsOf(stage.model.prompts()[2]).slice(0, 2)) {
    for (const name of Object.keys(NETWORK)) expect(result).toContain(name);
    expect(result).toContain('http://proxy.example:3128');
  }
});

it('a command and an MCP server get no key, no token and no variable of the runner', async () => {
  const stage = await scheduledStage(
    [{ tools: ['run_command'], tables: SERVER }],
    { model: SCRIPT },
    setStage,
  );
  const step = await stage.run({
    inputs: { agent: 'worker', 'tools-allowed': 'run_command, everything' },
    env: CANARIES,
  });
  expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  const [command = '', server = ''] = resultsOf(stage.model.prompts()[2]);
  for (const result of [command, server]) {
    expect(result).toContain('PATH');
    const names = result.match(/\b(?:INPUT|GITHUB|ACTIONS|RUNNER|STATE|ANTHROPIC|AXE_ANTHROPIC)_\w+/g) ?? [];
    expect(names.filter((name) => name !== 'RUNNER_TRACKING_ID')).toEqual([]);
  }
  const told = stage.model.requests().map(({ bytes }) => bytes.toString('utf8'));
  for (const canary of [...Object.values(CANARIES), GITHUB_TOKEN]) {
    expect(told.filter((body) => body.includes(canary))).toEqual([]);
    expect(step.stdout).not.toContain(canary);
  }
});
