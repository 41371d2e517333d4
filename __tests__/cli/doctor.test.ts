import { describe, expect, it } from '@jest/globals';
import { main } from '../../src/cli/main.js';
import { GITHUB_TOKEN, startGitHubServer } from '../helpers/github-server.js';
import { type Handler, sendJson, startLoopback } from '../helpers/loopback.js';
import { tempDir, writeFiles } from '../helpers/temp.js';
import { createFakeTerminal } from '../helpers/terminal-fake.js';
import { loadWebhook, type PayloadPatch } from '../helpers/webhooks.js';

/** A check as `--json` prints it. */
interface Line {
  readonly group: string;
  readonly status: string;
  readonly message: string;
  readonly remedy: string | null;
}

interface Scene {
  readonly agents?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
}

function agent(name: string, model: string, more = ''): string {
  return `name = "${name}"\nmodel = "${model}"\n${more}`;
}

/** Runs `doctor` in a repository with these agents; by default a good one with its key. */
async function run(words: readonly string[], { agents, env = {}, files = {} }: Scene = {}) {
  const cwd = tempDir('repository');
  const given = agents ?? { reviewer: agent('reviewer', 'anthropic/claude-sonnet-5-5') };
  writeFiles(cwd, {
    '.git/config': '[remote "origin"]\n\turl = git@github.com:Codertocat/Hello-World.git\n\tfetch = x\n',
    ...Object.fromEntries(Object.entries(given).map(([name, toml]) => [`axe/agents/${name}.toml`, toml])),
    ...files,
  });
  const terminal = createFakeTerminal({
    env: { HOME: tempDir('home'), ANTHROPIC_API_KEY: 'sk-ant-canary', ...env },
    cwd,
  });
  const exitCode = await main(['doctor', ...words], terminal);
  return { exitCode, output: terminal.output(), talk: terminal.talk() };
}

/** The same, as programs read it. */
async function doctor(words: readonly string[], scene: Scene = {}) {
  const { exitCode, output, talk } = await run([...words, '--json'], scene);
  expect(talk).toBe('');
  const { healthy, checks } = JSON.parse(output) as { healthy: boolean; checks: readonly Line[] };
  expect(healthy).toBe(exitCode === 0);
  const of = (group: string) => checks.filter((check) => check.group === group);
  return { exitCode, checks, of, output };
}

describe('doctor', () => {
  it('reports a provider that there is not once, at its line', async () => {
    const { exitCode, checks } = await doctor([], { agents: { odd: agent('odd', 'antropic/claude') } });
    expect(exitCode).toBe(1);
    expect(checks.filter(({ message }) => message.includes('unsupported provider'))).toEqual([
      {
        group: 'agents',
        status: 'error',
        message: expect.stringContaining('axe/agents/odd.toml:2:1: unsupported provider "antropic"'),
        remedy: expect.stringContaining('Did you mean `anthropic`?'),
      },
    ]);
  });

  it('shows its checks by group, and that there are no problems', async () => {
    const { exitCode, output, talk } = await run([], { env: { GH_TOKEN: 'gho_x' } });
    expect([exitCode, talk]).toEqual([0, '']);
    expect(output).toBe(
      [
        'Agents',
        '  ok         axe/agents/reviewer.toml is valid',
        '',
        'Models',
        '  ok         anthropic/claude-sonnet-5-5: `ANTHROPIC_API_KEY` is set',
        '',
        'GitHub',
        '  ok         There is a token: one of an OAuth app, such as that of `gh`',
        '  unchecked  What the token can do, and whether memory can be reached, was not tried',
        '             Add `--online`.',
        '',
        'Nothing is wrong.',
        '',
      ].join('\n'),
    );
  });

  it('sends nothing without --online', async () => {
    const server = await startLoopback((_request, response) => sendJson(response, 500, {}));
    const env = { AXE_ANTHROPIC_BASE_URL: server.url, GITHUB_API_URL: server.url, GH_TOKEN: 'ghp_x' };
    const event = { 'event.json': JSON.stringify(loadWebhook('pull_request', 'opened')) };
    const cwdEvent = await run(['--event', 'event.json'], { env, files: event });
    expect(cwdEvent.exitCode).toBe(0);
    expect(server.requests()).toEqual([]);
  });

  it('shows mistakes of agents at their line, with their remedy, exit status 1', async () => {
    const { exitCode, of } = await doctor([], { agents: { bad: 'name = "bad"\nmodel = 7\ntimout = 5\n' } });
    expect(exitCode).toBe(1);
    expect(of('agents')).toEqual([
      {
        group: 'agents',
        status: 'error',
        message: expect.stringMatching(/^axe\/agents\/bad\.toml:2:1: .*model must be a string/),
        remedy: expect.stringContaining('Write it like this'),
      },
      expect.objectContaining({ status: 'warning', message: expect.stringContaining('`timout` is ignored') }),
    ]);
  });

  it('checks the named agents, and those they call', async () => {
    const agents = {
      a: agent('a', 'offline/rules', 'sub_agents = ["b"]\n'),
      b: agent('b', 'openai/gpt-4o'),
      c: 'broken',
    };
    const { of } = await doctor(['a'], { agents, env: { OPENAI_API_KEY: 'k' } });
    expect(of('agents').map(({ message }) => message)).toEqual([
      'axe/agents/a.toml is valid',
      'axe/agents/b.toml is valid',
    ]);
    expect(of('models').map(({ status }) => status)).toEqual(['ok', 'ok']);
  });

  it('checks the built-in reviewer if there is no other agent, and names `init`', async () => {
    const { exitCode, of } = await doctor([], { agents: {} });
    expect(exitCode).toBe(0);
    expect(of('agents')[0]).toMatchObject({
      status: 'note',
      remedy: expect.stringContaining('axe-action init'),
    });
    expect(of('models')).toHaveLength(1);
  });

  it('checks the workflows that run the action', async () => {
    const workflow =
      'jobs:\n  a:\n    steps:\n      - uses: YOUR_ORG/axe-action@v1\n        with:\n          agent: reviewer\n';
    const { exitCode, of } = await doctor([], { files: { '.github/workflows/axe.yml': workflow } });
    expect([exitCode, of('workflows')]).toEqual([
      1,
      [
        {
          group: 'workflows',
          status: 'error',
          message: expect.stringContaining('.github/workflows/axe.yml uses `YOUR_ORG/axe-action@v1`'),
          remedy: expect.stringContaining('in place of `YOUR_ORG`'),
        },
      ],
    ]);
  });

  it.each([
    [['nobody'], /^agent config not found: nobody\n/, 2],
    [['--event', 'none.json'], /none\.json/, 2],
    [['--repo', 'x'], /^`--repo` is "x"\n/, 1],
    [['--min-permission', 'read'], /^`--min-permission` has no effect without `--event`\n/, 1],
  ])('refuses %j', async (words, talk, exitCode) => {
    const result = await run(words);
    expect([result.exitCode, result.output]).toEqual([exitCode, '']);
    expect(result.talk).toMatch(talk);
  });
});

describe('keys, without a request', () => {
  it.each([
    ['anthropic/x', {}, 'ok', '`ANTHROPIC_API_KEY` is set'],
    ['openai/x', {}, 'error', 'API key for provider "openai" is not configured'],
    ['google/x', { GOOGLE_API_KEY: 'k' }, 'ok', '`GOOGLE_API_KEY` is set'],
    ['ollama/x', {}, 'ok', 'no key is needed'],
    ['offline/rules', {}, 'ok', 'no key is needed'],
    ['bedrock/x', {}, 'unchecked', 'no key is set, so the credentials of the cloud are used'],
    ['bedrock/x', { AWS_BEARER_TOKEN_BEDROCK: 'k' }, 'ok', '`AWS_BEARER_TOKEN_BEDROCK` is set'],
    ['openai/x', { OPENAI_API_KEY: 'a\nb' }, 'error', 'holds a line break'],
  ])('of %s with %j: %s', async (model, env, status, message) => {
    const { of } = await doctor([], { agents: { a: agent('a', model) }, env });
    expect(of('models')).toEqual([
      expect.objectContaining({ status, message: expect.stringContaining(message) }),
    ]);
  });

  it('says that a missing one may be a secret of the repository, and not of one that cannot be used', async () => {
    const agents = { a: agent('a', 'openai/x') };
    const [missing] = (await doctor([], { agents })).of('models');
    expect(missing?.remedy).toMatch(/ A key that is only a secret of the repository cannot be seen here\.$/);
    const [broken] = (await doctor([], { agents, env: { OPENAI_API_KEY: 'a\nb' } })).of('models');
    expect(broken?.remedy).not.toContain('secret of the repository');
  });

  it('of the verifier of reviews are checked too', async () => {
    const toml = agent('a', 'offline/rules', '[review]\nverify_model = "openai/gpt-4o"\n');
    const { of } = await doctor([], { agents: { a: toml } });
    expect(of('models').map(({ status }) => status)).toEqual(['ok', 'error']);
  });
});

describe('keys with --online', () => {
  /** A provider that answers everything with this. */
  async function provider(status: number, body: object, model: string, variables: readonly string[]) {
    const handler: Handler = (_request, response) => sendJson(response, status, body);
    const server = await startLoopback(handler);
    const env = Object.fromEntries(
      variables.map((name) => [name, name.endsWith('URL') ? server.url : 'k-canary']),
    );
    const { of, exitCode, output } = await doctor(['--online'], { agents: { a: agent('a', model) }, env });
    expect(output).not.toContain('canary');
    return { check: of('models')[0], exitCode, requests: server.requests() };
  }

  it.each([
    ['anthropic/claude-x', ['AXE_ANTHROPIC_BASE_URL'], '/v1/models/claude-x', 'x-api-key'],
    ['openai/gpt-x', ['OPENAI_API_KEY', 'AXE_OPENAI_BASE_URL'], '/v1/models/gpt-x', 'authorization'],
    [
      'google/gemini-x',
      ['GEMINI_API_KEY', 'AXE_GOOGLE_BASE_URL'],
      '/v1beta/models/gemini-x',
      'x-goog-api-key',
    ],
  ])(
    'of %s are tried by requesting the model’s description, which is free',
    async (model, variables, path, header) => {
      const { check, exitCode, requests } = await provider(200, { id: 'x' }, model, variables);
      expect([exitCode, check?.status]).toEqual([0, 'ok']);
      expect(check?.message).toMatch(/ is set, and was accepted$/);
      expect(requests.map(({ method, path: asked }) => [method, asked])).toEqual([['GET', path]]);
      expect(requests[0]?.headers[header]).toMatch(/canary/);
    },
  );

  it('are wrong if the provider refuses them', async () => {
    const body = { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } };
    const { check, exitCode } = await provider(401, body, 'anthropic/claude-x', ['AXE_ANTHROPIC_BASE_URL']);
    expect(exitCode).toBe(1);
    expect(check).toMatchObject({
      status: 'error',
      message: expect.stringContaining('invalid x-api-key'),
      remedy: expect.stringContaining('ANTHROPIC_API_KEY'),
    });
  });

  it('report that there is no such model', async () => {
    const body = { error: { message: 'The model `gpt-x` does not exist' } };
    const { check } = await provider(404, body, 'openai/gpt-x', ['OPENAI_API_KEY', 'AXE_OPENAI_BASE_URL']);
    expect(check).toMatchObject({ status: 'error', message: expect.stringContaining('does not exist') });
  });

  it('of a provider without a free request are tried with the smallest request', async () => {
    const answer = {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'x',
      choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 9, completion_tokens: 1, total_tokens: 10 },
    };
    const { check, requests } = await provider(200, answer, 'openrouter/x', [
      'OPENROUTER_API_KEY',
      'AXE_OPENROUTER_BASE_URL',
    ]);
    expect(check).toMatchObject({
      status: 'ok',
      message: expect.stringMatching(/at the price of a few tokens$/),
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]?.body).toMatchObject({ max_tokens: 16 });
  });

  it('are not tried with a provider whose key is missing', async () => {
    const { check, requests } = await provider(200, {}, 'openai/gpt-x', ['AXE_OPENAI_BASE_URL']);
    expect([check?.status, requests]).toEqual(['error', []]);
  });
});

describe('the check of GitHub', () => {
  const agents = { a: agent('a', 'offline/rules') };

  it('warns if a token is missing', async () => {
    const { exitCode, of } = await doctor([], { agents });
    expect([exitCode, of('github')]).toEqual([
      0,
      [expect.objectContaining({ status: 'warning', remedy: expect.stringContaining('gh auth token') })],
    ]);
  });

  async function online(words: readonly string[] = [], token = GITHUB_TOKEN) {
    const payload = loadWebhook('pull_request', 'opened');
    const github = await startGitHubServer();
    const repo = github.seed(payload, { base: { 'a.txt': 'a' } });
    const examine = () =>
      doctor(['--online', ...words], {
        agents,
        env: { ...github.env, GITHUB_TOKEN: token },
        files: { 'event.json': JSON.stringify(payload) },
      });
    return { github, repo, examine };
  }

  it('shows with --online what the token can read, and whether memory can be reached', async () => {
    const { github, examine } = await online();
    const { exitCode, of } = await examine();
    expect(exitCode).toBe(0);
    expect(of('github').map(({ status, message }) => `${status}: ${message}`)).toEqual([
      "ok: There is a token: an app's, such as that of a job",
      expect.stringMatching(/^(?:ok|note): The token reads .*Codertocat\/Hello-World/),
      'ok: The token reads pull requests, issues, checks',
    ]);
    expect(of('memory').map(({ status, message }) => `${status}: ${message}`)).toEqual([
      'note: There is no branch `axe-memory` yet; the first run with `memory-store: repo` creates it',
      'note: The Actions cache can be reached; no memory is in it',
    ]);
    expect(new Set(github.requests().map(({ method }) => method))).toEqual(new Set(['GET']));
  });

  it('shows the branch of memory if there is one', async () => {
    const { github, examine } = await online();
    github.commit('Codertocat/Hello-World', { 'a.md': '' }, { branch: 'axe-memory' });
    expect((await examine()).of('memory')[0]).toMatchObject({
      status: 'ok',
      message: 'The branch `axe-memory` can be read',
    });
  });

  it('fails with a token that is not accepted', async () => {
    const { examine } = await online([], 'ghs_wrong');
    const { exitCode, of } = await examine();
    expect(exitCode).toBe(1);
    expect(of('github').at(-1)).toMatchObject({ status: 'error', message: expect.stringContaining('401') });
  });

  it('names the missing permission', async () => {
    const { github, examine } = await online();
    github.fail({ route: 'GET /repos/{owner}/{repo}/issues', status: 403, times: 9 });
    const { of } = await examine();
    expect(of('github').map(({ status }) => status)).toContain('warning');
    expect(of('github').find(({ status }) => status === 'warning')?.message).toMatch(
      /^The token does not read issues: /,
    );
  });

  it('lists the events that start a run, with the sender’s permission', async () => {
    const { repo, examine } = await online(['--event', 'event.json']);
    repo.roles.set('Codertocat', 'write');
    expect((await examine()).of('event').map(({ message }) => message)).toEqual([
      '`pull_request` (opened) starts a run',
      'The run is trusted: Codertocat can write to the repository',
    ]);
    repo.roles.set('Codertocat', 'read');
    expect((await examine()).of('event')).toEqual([
      expect.objectContaining({
        status: 'note',
        message: expect.stringMatching(/^`pull_request` \(opened\) starts nothing: /),
      }),
    ]);
  });
});

describe('an event, without a request', () => {
  async function event(
    name: string,
    action: string,
    { patch, words = [] }: { readonly patch?: PayloadPatch; readonly words?: readonly string[] } = {},
  ): Promise<readonly string[]> {
    const payload = loadWebhook(name, action, patch);
    const { exitCode, of } = await doctor(['--event', 'event.json', ...words], {
      agents: { a: agent('a', 'offline/rules', 'tools = ["add_review_comment", "submit_review"]\n') },
      files: { 'event.json': JSON.stringify(payload) },
    });
    expect(exitCode).toBe(0);
    return of('event').map(({ status, message }) => `${status}: ${message}`);
  }

  it('starts a run if its sender can write', async () => {
    expect((await event('pull_request', 'opened'))[0]).toBe(
      'ok: `pull_request` (opened) starts a run, if Codertocat has at least the permission `write`',
    );
    expect((await event('pull_request', 'opened', { words: ['--min-permission', 'none'] }))[0]).toBe(
      'ok: `pull_request` (opened) starts a run',
    );
  });

  it.each<[string, string, string, PayloadPatch, readonly string[], RegExp]>([
    ['a fork', 'pull_request', 'opened', { 'pull_request.head.repo.full_name': 'mona/fork' }, [], /fork/],
    ['a bot', 'pull_request', 'opened', { 'sender.type': 'Bot', 'sender.login': 'x[bot]' }, [], /x\[bot\]/],
    ['no mention', 'issue_comment', 'created', {}, ['--trigger-phrase', '@axe'], /@axe/],
    ['nothing to review', 'pull_request', 'assigned', {}, [], /chang/],
  ])('starts nothing for %s, and reports why', async (_, name, action, patch, words, why) => {
    const [line = '', ...more] = await event(name, action, { patch, words });
    expect(line).toMatch(/^note: `\w+` \(\w+\) starts nothing: /);
    expect(line).toMatch(why);
    expect(more).toEqual([]);
  });

  it.each(['read', 'none'])(
    'states how far the run is trusted only conditionally, with %s',
    async (permission) => {
      const words = ['--min-permission', permission];
      expect((await event('pull_request', 'opened', { words }))[1]).toBe(
        'note: With write access of Codertocat the run is trusted: Codertocat can write to the repository',
      );
    },
  );

  it('is not identified by its payload', async () => {
    expect(await event('star', 'created')).toEqual([
      'note: The event starts nothing: This version does not know the event of this payload',
    ]);
  });

  it('can be a command, which needs no phrase and calls no model', async () => {
    const patch = { 'comment.body': '/axe help' };
    expect((await event('issue_comment', 'created', { patch, words: ['--trigger-phrase', '@axe'] }))[0]).toBe(
      'ok: `issue_comment` (created) is a command, which asks no model, if Codertocat has at least the permission `write`',
    );
  });
});
