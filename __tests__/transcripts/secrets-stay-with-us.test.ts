import { expect, it } from '@jest/globals';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import { type ModelReply, text, toolCall } from '../helpers/model-server.js';
import { runWatched } from '../hostile/watched-run.js';
import { EVERYTHING } from '../tools/mcp/scene.js';
import { setStage, told } from './stage.js';
import { agentToml, checkout, resultsOf, scheduledStage } from './tool-scene.js';

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

it('a command and an MCP server get what they need to reach the network, and no key, token or variable of the runner', async () => {
  const stage = await scheduledStage(
    [{ tools: ['run_command'], tables: SERVER }],
    { model: SCRIPT },
    setStage,
  );
  const step = await stage.run({
    inputs: { agent: 'worker', 'tools-allowed': 'run_command, everything' },
    env: { ...CANARIES, ...NETWORK },
  });
  expect(step).toMatchObject({ exitCode: 0, stderr: '', annotations: [] });
  const [command = '', server = ''] = resultsOf(stage.model.prompts()[2]);
  for (const result of [command, server]) {
    for (const name of ['PATH', ...Object.keys(NETWORK)]) expect(result).toContain(name);
    expect(result).toContain('http://proxy.example:3128');
    const names =
      result.match(/\b(?:INPUT|GITHUB|ACTIONS|RUNNER|STATE|ANTHROPIC|AXE_ANTHROPIC)_\w+/g) ?? [];
    expect(names.filter((name) => name !== 'RUNNER_TRACKING_ID')).toEqual([]);
  }
  const told = stage.model.requests().map(({ bytes }) => bytes.toString('utf8'));
  for (const canary of [...Object.values(CANARIES), GITHUB_TOKEN]) {
    expect(told.filter((body) => body.includes(canary))).toEqual([]);
    expect(step.stdout).not.toContain(canary);
  }
});

/** By names that look like a secret's, inside an address, and by a name that is listed. */
const ENV = {
  GH_PAT: 'canary-pat-1a2b3c4d5e',
  DEPLOY_KEY: 'canary-deploy-6f7g8h9i',
  DATABASE_URL: 'postgres://app:canary-db-0j1k2l@db:5432/app',
  UPSTREAM: 'https://bot:canary-url-3m4n5o@example.com/feed',
  PLAIN_NAME: 'canary-plain-6p7q8r',
};
const CANARY = /canary-(?:pat|deploy|db|url|plain)/;
const FILE = Object.entries(ENV)
  .map(([name, value]) => `${name}=${value}`)
  .join('\n');

it('a secret is masked whether a file holds it, the model repeats it, or both', async () => {
  const stage = await setStage({
    base: {
      'axe/agents/worker.toml': agentToml({ tools: ['read_file', 'search_files'], memory: true }),
    },
    model: [
      toolCall('read_file', { path: 'settings.txt' }),
      toolCall('search_files', { text: 'canary' }),
      text(`The settings are:\n\n${FILE}\n`),
    ],
  });
  const step = await runWatched(stage, {
    workspace: checkout({ 'settings.txt': FILE }),
    env: ENV,
    inputs: { agent: 'worker', 'memory-store': 'file', redact: 'plain_name, NO_SUCH_NAME' },
  });
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { conclusion: 'success' } });
  expect(told(step)).toEqual([
    expect.stringContaining(
      "the input `redact` names `NO_SUCH_NAME`, which the step's environment",
    ),
  ]);
  expect(JSON.stringify(stage.model.prompts())).not.toMatch(CANARY);
  expect(JSON.stringify(stage.model.prompts())).toContain('GH_PAT=***');
  const { log, summary, outputs, annotations } = step;
  const comments = stage.repo.comments.map(({ body }) => body);
  expect(JSON.stringify({ log, summary, outputs, annotations, comments })).not.toMatch(CANARY);
  expect(comments.join()).toMatch(/GH.{0,2}PAT=/);
});
