import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { GITHUB_TOKEN, startGitHubServer } from '../helpers/github-server.js';
import { type Handler, sendJson, startLoopback } from '../helpers/loopback.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { completion } from '../model/open-model.js';

interface Scene {
  readonly agents?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Other files of the repository. */
  readonly files?: Readonly<Record<string, string>>;
  /** The address of `origin`. */
  readonly remote?: string;
}

function agent(name: string, model: string, more = ''): string {
  return `name = "${name}"\nmodel = "${model}"\nsystem_prompt = "Review."\n${more}`;
}

/** Runs `doctor` in a repository with these agents; by default a good one with its key. */
async function run(
  words: readonly string[],
  {
    agents,
    files = {},
    env = {},
    remote = 'git@github.com:Codertocat/Hello-World.git',
  }: Scene = {},
) {
  const cwd = tempDir('repository');
  const given = agents ?? { reviewer: agent('reviewer', 'anthropic/claude-sonnet-5-5') };
  writeFiles(cwd, {
    '.git/config': `[remote "origin"]\n\turl = ${remote}\n\tfetch = x\n`,
    ...Object.fromEntries(
      Object.entries(given).map(([name, toml]) => [`axe/agents/${name}.toml`, toml]),
    ),
  });
  writeFiles(cwd, files);
  const own = { HOME: tempDir('home'), ANTHROPIC_API_KEY: 'sk-ant-canary', ...env };
  const terminal = createFakeTerminal({ env: own, cwd });
  const exitCode = await main(['doctor', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

/** The same, as programs read it. */
async function doctor(words: readonly string[], scene: Scene = {}) {
  const { exitCode, output, talk } = await run([...words, '--json'], scene);
  expect(talk).toBe('');
  const { healthy, checks } = JSON.parse(output) as {
    readonly healthy: boolean;
    readonly checks: readonly Record<'group' | 'status' | 'message' | 'remedy', string>[];
  };
  expect(healthy).toBe(exitCode === 0);
  const of = (group: string) => checks.filter((check) => check.group === group);
  return { exitCode, checks, of, output };
}

describe('doctor', () => {
  it('reports a provider that there is not once, at its line', async () => {
    const { exitCode, checks } = await doctor([], {
      agents: { odd: agent('odd', 'antropic/claude') },
    });
    expect(exitCode).toBe(1);
    expect(checks.filter(({ message }) => message.includes('unsupported provider'))).toEqual([
      {
        group: 'Agents',
        status: 'error',
        message: expect.stringContaining(
          'axe/agents/odd.toml:2:1: unsupported provider "antropic"',
        ),
        remedy: expect.stringContaining('Did you mean `anthropic`?'),
      },
    ]);
    expect(checks.filter(({ group }) => group === 'Models')).toEqual([]);
  });

  it('shows its checks by group, and that there are no problems', async () => {
    const { exitCode, output, talk } = await run([], { env: { GH_TOKEN: 'gho_x' } });
    expect([exitCode, talk]).toEqual([0, '']);
    expect(output).toBe(`Workflows
  note     No workflow of this repository uses an action of the name \`axe-action\`
           \`axe-action init\` writes the first one.

Agents
  ok       axe/agents/reviewer.toml is valid

Models
  ok       anthropic/claude-sonnet-5-5: \`ANTHROPIC_API_KEY\` is set

GitHub
  ok       There is a token
  note     We did not check what the token can do and whether memory can be reached
           Add \`--online\`.

Nothing is wrong.
`);
  });

  it('says nothing of workflows where one calls another, which can use the action', async () => {
    const text = 'on: push\njobs:\n  a:\n    uses: octo/agents/.github/workflows/review.yml@v1\n';
    const { of } = await doctor([], { files: { '.github/workflows/a.yml': text } });
    expect(of('Workflows')).toEqual([]);
  });

  it('names mistakes of workflows by file and line, and ends with status 1 for errors only', async () => {
    const first = readFileSync('examples/workflows/review.yml', 'utf8');
    const path = '.github/workflows/axe.yml';
    const ownedBy = (owner: string) => first.replace(/(?<=- uses: )[^/]+/, owner);
    const placeholder = await run([], { files: { [path]: ownedBy('YOUR_ORG') } });
    expect(placeholder.exitCode).toBe(1);
    expect(placeholder.output).toMatch(
      /^Workflows\n {2}\.github\/workflows\/axe\.yml:30: error: `YOUR_ORG\/axe-action` is a placeholder\. Write /,
    );
    const text = ownedBy('acme').replace('@v1', '@main');
    const branch = await doctor([], { files: { [path]: text } });
    expect([branch.exitCode, branch.of('Workflows')]).toEqual([
      0,
      [expect.objectContaining({ status: 'warning', place: `${path}:30` })],
    ]);
    const own = ownedBy('acme').replace('builtin/pr-reviewer', 'reviewer');
    expect((await doctor([], { files: { [path]: own } })).of('Workflows')).not.toContainEqual(
      expect.objectContaining({ status: 'error' }),
    );
  });

  it('names mistakes of the checks in words by their line', async () => {
    const files = { '.axe/checks.md': '## A\nText.\n\n## a\nText.\n' };
    const { exitCode, of } = await doctor([], { files });
    expect(exitCode).toBe(1);
    expect(of('Workflows')).toMatchObject([
      { status: 'error', message: '"a" is there twice', place: '.axe/checks.md:4' },
    ]);
    expect((await run([], { files })).output).toMatch(/:4: error: "a" is there twice\.$/m);
  });

  it('notes a workflow for comments that the default branch does not have', async () => {
    const first = readFileSync('examples/workflows/review.yml', 'utf8').replace('YOUR_ORG', 'acme');
    const cwd = tempDir('repository');
    const git = (...words: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=o', '-c', 'user.email=o@x.test', ...words], { cwd });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'Begin');
    const notes = async () => {
      const terminal = createFakeTerminal({
        env: { HOME: tempDir('home'), PATH: process.env['PATH'] ?? '' },
        cwd,
      });
      expect(await main(['doctor'], terminal)).toBe(0);
      return terminal.output().match(/axe\.yml:1: note: .*/g) ?? [];
    };
    writeFiles(cwd, { '.github/workflows/axe.yml': first });
    expect(await notes()).toEqual([]);
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/remotes/origin/main');
    expect(await notes()).toEqual([expect.stringContaining('Merge it')]);
    git('add', '-A');
    git('commit', '-q', '-m', 'Add it');
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    expect(await notes()).toEqual([]);
  });

  it('sends nothing without --online', async () => {
    const server = await startLoopback((_request, response) => sendJson(response, 500, {}));
    const env = {
      AXE_ANTHROPIC_BASE_URL: server.url,
      GITHUB_API_URL: server.url,
      GH_TOKEN: 'ghp_x',
    };
    expect((await run([], { env })).exitCode).toBe(0);
    expect(server.requests()).toEqual([]);
  });

  it('checks the built-in reviewer if there is no other agent, and says how to write one', async () => {
    const { exitCode, of } = await doctor([], { agents: {} });
    expect(exitCode).toBe(0);
    expect(of('Agents')[0]).toMatchObject({
      status: 'note',
      remedy: expect.stringContaining('axe-action agents init NAME --agents-dir axe/agents'),
    });
    expect(of('Models')).toHaveLength(1);
  });

  it.each([
    [['nobody'], /^agent config not found: nobody\n/, 2],
    [['--repo', 'x'], /^`--repo` is "x"\n/, 1],
  ])('refuses %j', async (words, talk, exitCode) => {
    const result = await run(words);
    expect([result.exitCode, result.output]).toEqual([exitCode, '']);
    expect(result.talk).toMatch(talk);
  });
});

it.each([
  ['anthropic/claude-sonnet-5-5', {}, 'ok', '`ANTHROPIC_API_KEY` is set'],
  ['openai/gpt-4.1', {}, 'note', 'API key for provider "openai" is not configured'],
  ['google/gemini-2.5-pro', { GOOGLE_API_KEY: 'k' }, 'ok', '`GOOGLE_API_KEY` is set'],
  ['ollama/x', {}, 'ok', 'no key is needed'],
  ['offline/rules', {}, 'ok', 'no key is needed'],
  [
    'bedrock/anthropic.claude-sonnet-4-6',
    {},
    'note',
    'no key is set, so the credentials of the cloud are used',
  ],
  [
    'bedrock/anthropic.claude-sonnet-4-6',
    { AWS_BEARER_TOKEN_BEDROCK: 'k' },
    'ok',
    '`AWS_BEARER_TOKEN_BEDROCK` is set',
  ],
  ['openai/gpt-4.1', { OPENAI_API_KEY: 'a\nb' }, 'error', 'holds a line break'],
])(
  'without a request the key of %s with %j is told of: %s',
  async (model, env, status, message) => {
    const models = (await doctor([], { agents: { a: agent('a', model) }, env })).of('Models');
    expect(models).toEqual([
      expect.objectContaining({ status, message: expect.stringContaining(message) }),
    ]);
  },
);

it('a key that this machine lacks is no mistake, since a workflow gets it from a secret', async () => {
  const { exitCode, of } = await doctor([], { agents: { a: agent('a', 'openai/gpt-4.1') } });
  expect(exitCode).toBe(0);
  expect(of('Models')[0]?.remedy).toMatch(/ a workflow gets it from a secret\.$/);
});

it.each([
  ['openai/gpt-99', '', ['note', 'note']],
  ['openai/gpt-99', '[params]\nprice = { input = 2, output = 10 }\n', ['note']],
  ['openrouter/some/model', '', ['note']],
])('a workflow needs a price for %s with %j, which is a note', async (model, params, statuses) => {
  const { of } = await doctor([], { agents: { a: agent('a', model, params) } });
  expect(of('Models').map(({ status }) => status)).toEqual(statuses);
  if (statuses.length > 1)
    expect(of('Models')[1]).toMatchObject({
      message: `${model}: the price of \`${model}\` is not known, so \`max-cost-usd\` cannot limit what it costs`,
    });
});

it('without a request the key of the model that gives findings a second look is checked too', async () => {
  const toml = agent('a', 'offline/rules', '[review]\nverify_model = "openai/gpt-4.1"\n');
  const { of } = await doctor([], { agents: { a: toml } });
  expect(of('Models').map(({ status }) => status)).toEqual(['ok', 'note']);
});

describe('keys with --online', () => {
  afterEach(() => void jest.useRealTimers());

  /** A provider that answers everything with this. */
  async function provider(status: number, body: object, model: string, keys: readonly string[]) {
    const handler: Handler = (_request, response) => sendJson(response, status, body);
    const server = await startLoopback(handler);
    const env = Object.fromEntries(
      keys.map((key) => [key, key.endsWith('URL') ? server.url : 'k-canary']),
    );
    const { of, exitCode, output } = await doctor(['--online'], {
      agents: { a: agent('a', model) },
      env,
    });
    expect(output).not.toContain('canary');
    return { check: of('Models')[0], exitCode, requests: server.requests() };
  }

  it.each([
    [
      401,
      'anthropic/claude-sonnet-5-5',
      ['AXE_ANTHROPIC_BASE_URL'],
      'invalid x-api-key',
      'ANTHROPIC_API_KEY',
    ],
    [
      404,
      'openai/gpt-4.1',
      ['OPENAI_API_KEY', 'AXE_OPENAI_BASE_URL'],
      'no model `x`',
      "Check the model's name",
    ],
  ])(
    'are wrong if the provider answers %d for %s',
    async (status, ...[model, variables, message, remedy]) => {
      const { check, exitCode } = await provider(status, { error: { message } }, model, variables);
      expect(exitCode).toBe(1);
      expect(check).toMatchObject({
        status: 'error',
        message: expect.stringContaining(message),
        remedy: expect.stringContaining(remedy),
      });
    },
  );

  it('are wrong if nothing comes for 30 seconds, and all other checks are shown', async () => {
    jest.useFakeTimers({
      doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask', 'performance', 'Date'],
    });
    const server = await startLoopback(() => {
      if (server.requests().length === 2) jest.advanceTimersByTime(30_000);
    });
    const agents = {
      a: agent('a', 'anthropic/claude-sonnet-5-5'),
      b: agent('b', 'anthropic/claude-haiku-5-5'),
      c: agent('c', 'offline/rules'),
    };
    const { of } = await doctor(['--online'], {
      agents,
      env: { AXE_ANTHROPIC_BASE_URL: server.url },
    });
    const silent = {
      status: 'error',
      message: expect.stringContaining('no answer came within 30 s'),
      remedy: expect.stringContaining('AXE_ANTHROPIC_BASE_URL'),
    };
    expect(of('Models')).toMatchObject([silent, silent, { status: 'ok' }]);
    expect([of('Agents').length, of('GitHub').length]).toEqual([3, 1]);
  });

  it('are tried with the smallest request', async () => {
    const variables = ['OPENROUTER_API_KEY', 'AXE_OPENROUTER_BASE_URL'];
    const answer = completion({ content: 'ok' });
    const { check, requests } = await provider(200, answer, 'openrouter/x', variables);
    const message = expect.stringMatching(/ is set, and was accepted$/);
    expect(check).toMatchObject({ status: 'ok', message });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toMatchObject({ max_tokens: 16 });
  });

  it('are not tried with a provider whose key is missing', async () => {
    const { check, requests } = await provider(200, {}, 'openai/gpt-x', ['AXE_OPENAI_BASE_URL']);
    expect([check?.status, requests]).toEqual(['note', []]);
  });
});

describe('the check of GitHub', () => {
  const agents = { a: agent('a', 'offline/rules') };

  it('notes that a token is missing, which a workflow has', async () => {
    const { exitCode, of } = await doctor([], { agents });
    expect([exitCode, of('GitHub')]).toEqual([
      0,
      [
        expect.objectContaining({
          status: 'note',
          remedy: expect.stringContaining('gh auth token'),
        }),
      ],
    ]);
  });

  async function online(token = GITHUB_TOKEN) {
    const payload = loadWebhook('pull_request', 'opened');
    const github = await startGitHubServer();
    github.seed(payload, { base: { 'a.txt': 'a' } });
    const examine = () =>
      doctor(['--online'], { agents, env: { ...github.env, GITHUB_TOKEN: token } });
    return { github, examine };
  }

  it('shows with --online what the token can read, and whether memory can be reached', async () => {
    const { github, examine } = await online();
    const { exitCode, of } = await examine();
    expect(exitCode).toBe(0);
    expect(of('GitHub').map(({ status, message }) => `${status}: ${message}`)).toEqual([
      'ok: There is a token',
      expect.stringMatching(/^note: The token reads Codertocat\/Hello-World/),
    ]);
    expect(of('GitHub').at(-1)?.remedy).toContain('with `contents: read` nothing is remembered');
    expect(of('Memory').map(({ status, message }) => `${status}: ${message}`)).toEqual([
      'note: There is no branch `axe-memory` yet; the first run with `memory-store: branch` creates it',
    ]);
    expect(new Set(github.requests().map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  it('asks for the repository of a remote that is elsewhere', async () => {
    const remote = 'git@ghes.example.com:a/b.git';
    const { of } = await doctor(['--online'], { agents, remote, env: { GH_TOKEN: 'x' } });
    expect(of('GitHub').at(-1)).toMatchObject({
      status: 'warning',
      message: 'The repository is not known',
      remedy: expect.stringContaining('`GITHUB_SERVER_URL`'),
    });
  });

  it('fails with a token that is not accepted', async () => {
    const { examine } = await online('ghs_wrong');
    const { exitCode, of } = await examine();
    expect(exitCode).toBe(1);
    expect(of('GitHub').at(-1)).toMatchObject({
      status: 'error',
      message: expect.stringContaining('401'),
    });
  });
});
