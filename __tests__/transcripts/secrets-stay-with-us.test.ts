import { expect, it } from '@jest/globals';
import { GITHUB_TOKEN } from '../helpers/github-server.js';
import { type ModelReply, text, toolCall } from '../helpers/model-server.js';
import { runWatched } from '../hostile/watched-run.js';
import { EVERYTHING } from '../tools/mcp/scene.js';
import { filesBelow } from './notes-scene.js';
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

it('a secret that a file holds is masked for the model', async () => {
  const stage = await setStage({
    base: {
      'axe/agents/worker.toml': agentToml({ tools: ['read_file', 'search_files'], memory: true }),
    },
    model: [
      toolCall('read_file', { path: 'settings.txt' }),
      toolCall('search_files', { text: 'GH_' }),
      text('The settings are fine.'),
    ],
  });
  const step = await runWatched(stage, {
    workspace: checkout({ 'settings.txt': FILE }),
    env: { ...ENV, DB_PASSWORD: 'postgres', CODENAME: 'falcon' },
    inputs: {
      agent: 'worker',
      'memory-store': 'file',
      redact: 'plain_name, NO_SUCH_NAME, codename',
    },
  });
  expect(step).toMatchObject({ exitCode: 0, stderr: '', outputs: { conclusion: 'success' } });
  expect(told(step).join('\n').split('\n')).toEqual([
    expect.stringContaining(
      "the input `redact` names `NO_SUCH_NAME`, which the step's environment",
    ),
    '"codename" in `redact` is easily guessed, so it isn\'t masked: a mask would confirm it to everybody who guesses it.',
  ]);
  expect(step.log).toContain(
    'Not masked, since they are easily guessed: `DB_PASSWORD`, `CODENAME`.',
  );
  expect(JSON.stringify(stage.model.prompts())).not.toMatch(CANARY);
  expect(JSON.stringify(stage.model.prompts())).toContain('GH_PAT=***');
  const { log, summary, outputs, annotations } = step;
  expect(JSON.stringify({ log, summary, outputs, annotations })).not.toMatch(CANARY);
});

it.each([
  ['as it is', (key: string) => text(`The key is ${key}.`)],
  ['in base64, behind other words', (key: string) => text(btoa(`the key: ${key}`))],
  ['in an argument of a tool', (key: string) => toolCall('read_file', { path: `${key}.txt` })],
])(
  'C6 121: a model that writes a key %s ends the run: it fails, nothing is posted, and nobody is asked again',
  async (_, write) => {
    const stage = await setStage({
      base: { 'axe/agents/worker.toml': agentToml({ tools: ['read_file'], memory: true }) },
      model: [write(KEY), text('Never asked for.')],
    });
    const step = await runWatched(stage, {
      env: { ANTHROPIC_API_KEY: KEY },
      inputs: {
        agent: 'worker',
        'memory-store': 'file',
        model: 'anthropic/claude-sonnet-4-5, openai/gpt-5.5',
      },
    });
    expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
    expect(told(step).join()).toContain(
      'the model wrote the secret in `ANTHROPIC_API_KEY`, so the run was ended and nothing of it was posted',
    );
    expect(told(step).join()).toContain('replace the secret');
    expect(stage.model.requests()).toHaveLength(1);
    expect(stage.repo.comments).toEqual([]);
    expect(
      Object.keys(filesBelow(step.workspace)).filter((file) => file.includes('memory')),
    ).toEqual([]);
    expect(step.stdout.replace(/^::add-mask::.*$/gm, '')).not.toContain(KEY);
  },
);
