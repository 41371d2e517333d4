import { existsSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readConfigFile } from '../../../src/adapters/host/config-file.js';
import { createModels, type ModelsOptions } from '../../../src/adapters/models/create.js';
import { createCopilotPorts } from '../../../src/composition/copilot.js';
import type { Trigger } from '../../../src/core/event/trigger.js';
import { COPILOT_TOKEN, type CopilotServer, startCopilotServer } from '../../helpers/copilot-server.js';
import { installFakeSdk, startFakeRuntime } from '../../helpers/fake-copilot-sdk.js';
import { type ModelReply, text } from '../../helpers/model-server.js';
import { tempDir } from '../../helpers/temp.js';
import { pullRequest } from '../../helpers/triggers.js';
import { question } from './contract.js';

interface Setting {
  readonly env?: Readonly<Record<string, string>>;
  readonly token?: string;
  readonly trigger?: Trigger;
  readonly workspace?: string;
  readonly options?: Partial<ModelsOptions>;
}

/** Models over the fake SDK, unless the environment names another. */
function modelsOf(server: CopilotServer | undefined, setting: Setting = {}) {
  const { token = COPILOT_TOKEN, trigger = { kind: 'local' }, workspace, options } = setting;
  const env = {
    AXE_COPILOT_SDK: installFakeSdk(),
    ...(server === undefined ? {} : { AXE_COPILOT_BASE_URL: server.url }),
    ...setting.env,
  };
  return createModels({
    env,
    loadConfig: async () => ({}),
    fetch: globalThis.fetch,
    readTextFile: readConfigFile,
    copilot: createCopilotPorts({ env, token, trigger, workspace }),
    ...options,
  });
}

const MINI = { provider: 'copilot', model: 'gpt-5-mini' } as const;
const failing = (status: number, headers: Record<string, string> = {}): ModelReply => ({
  kind: 'raw',
  status,
  headers,
  body: { error: { message: `no, ${status}` } },
});

describe('a request to Copilot', () => {
  it.each([
    ['gpt-4.1', '/chat/completions'],
    ['gpt-5-mini', '/responses'],
    ['claude-sonnet-4.5', '/v1/messages'],
    ['gpt-9-codex', '/responses'],
    ['octo-1', '/chat/completions'],
  ])('for %s uses our protocol at %s, in the runtime’s name', async (model, path) => {
    startFakeRuntime();
    const server = await startCopilotServer([text('Hi')]);
    const models = modelsOf(server);
    const opened = await models.open({ provider: 'copilot', model });
    const reply = await opened.doGenerate(question());
    expect(reply.content).toContainEqual(expect.objectContaining({ type: 'text', text: 'Hi' }));
    const [request] = server.asked();
    expect(request).toMatchObject({
      path,
      headers: { authorization: `Bearer ${COPILOT_TOKEN}`, 'copilot-integration-id': 'copilot-sdk' },
      body: { model },
    });
    expect(JSON.stringify(request?.body)).toContain('Be brief.');
    expect(request?.body).not.toHaveProperty('from');
    expect(server.lists()).toBe(1);
  });

  it('marks the first one as a person’s and the others as the agent’s, all of one interaction', async () => {
    startFakeRuntime();
    const server = await startCopilotServer([failing(500), text('1'), text('2'), text('3')]);
    const models = modelsOf(server);
    const model = await models.open(MINI);
    await expect(model.doGenerate(question())).rejects.toMatchObject({ status: 500 });
    await model.doGenerate(question());
    await model.doGenerate(question());
    await (await models.open({ provider: 'copilot', model: 'gpt-4.1' })).doGenerate(question());
    const headers = server.asked().map((request) => request.headers);
    expect(headers.map((one) => one['x-initiator'])).toEqual(['user', 'user', 'agent', 'agent']);
    expect(new Set(headers.map((one) => one['x-interaction-id'])).size).toBe(1);
    expect(headers[0]?.['x-interaction-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('gives the runtime its own home and working folder, the token, and nothing else of ours', async () => {
    const runtime = startFakeRuntime();
    const server = await startCopilotServer([text('Hi')]);
    const models = modelsOf(server, { env: { SECRET: 's', PATH: '/bin', HTTPS_PROXY: 'http://proxy' } });
    await (await models.open(MINI)).doGenerate(question());
    const [client] = runtime.clients;
    expect(Object.keys(client?.env ?? {}).sort()).toEqual([
      'COPILOT_API_URL',
      'COPILOT_GITHUB_TOKEN',
      'HOME',
      'HTTPS_PROXY',
      'PATH',
      'USERPROFILE',
    ]);
    expect(runtime.sessions).toEqual([
      expect.objectContaining({
        availableTools: [],
        enableSessionTelemetry: false,
        disabledMcpServers: ['github-mcp-server'],
      }),
    ]);
    const folders = [client?.workingDirectory ?? '', client?.env['HOME'] ?? ''];
    expect(folders.map(existsSync)).toEqual([true, true]);
    await models.close?.();
    expect(folders.map(existsSync)).toEqual([false, false]);
  });

  it.each([
    [400, { category: 'bad_request' }],
    [401, { category: 'auth', remedy: expect.stringContaining('copilot-requests: write') }],
    [403, { category: 'auth', remedy: expect.stringContaining('billed to the organization') }],
    [429, { category: 'rate_limit', retryAfterMs: 7000 }],
    [500, { category: 'server' }],
  ])('that is answered with %i fails with that status, after one try', async (status, expected) => {
    startFakeRuntime();
    const server = await startCopilotServer([failing(status, { 'retry-after': '7' })]);
    const model = await modelsOf(server).open(MINI);
    await expect(model.doGenerate(question())).rejects.toMatchObject({ status, ...expected });
    expect(server.asked()).toHaveLength(1);
  });

  it('for a model that is not offered lists the offered ones', async () => {
    startFakeRuntime();
    const server = await startCopilotServer([failing(400)]);
    const model = await modelsOf(server).open({ provider: 'copilot', model: 'octo-1' });
    await expect(model.doGenerate(question())).rejects.toMatchObject({
      message: 'bad_request: Copilot does not offer `octo-1` to this token',
      remedy: expect.stringContaining('It offers `gpt-4.1`, `gpt-5-mini`, `claude-sonnet-4.5`.'),
    });
  });

  it('is not sent once the run was cancelled, and ends with it', async () => {
    startFakeRuntime();
    const cancelled = new AbortController();
    const server = await startCopilotServer(() => {
      cancelled.abort(new Error('time is up'));
      return { kind: 'stall' };
    });
    const model = await modelsOf(server).open(MINI);
    const asked = () => model.doGenerate(question({ abortSignal: cancelled.signal }));
    await expect(asked()).rejects.toThrow('time is up');
    await expect(asked()).rejects.toThrow('time is up');
    expect(server.asked()).toHaveLength(1);
  });
});

describe('the list of Copilot’s models', () => {
  it.each([401, 403])('that is refused with %i ends a run before a model is called', async (status) => {
    startFakeRuntime();
    const server = await startCopilotServer([], [failing(status)]);
    await expect(modelsOf(server).open(MINI)).rejects.toMatchObject({
      message: `auth: no, ${status}`,
      exitCode: 3,
      remedy: expect.stringContaining('copilot-requests: write'),
    });
  });

  it.each([429, 500])('that fails with %i is requested again with the request', async (status) => {
    startFakeRuntime();
    const server = await startCopilotServer([text('Hi')], [failing(status), failing(status)]);
    const model = await modelsOf(server).open(MINI);
    await expect(model.doGenerate(question())).rejects.toMatchObject({ status });
    expect(server.asked()).toEqual([]);
    expect((await model.doGenerate(question())).content).toContainEqual(
      expect.objectContaining({ text: 'Hi' }),
    );
  });

  it('states how much a model can read', async () => {
    startFakeRuntime();
    const models = modelsOf(await startCopilotServer([]));
    await models.open(MINI);
    expect(models.facts(MINI)).toMatchObject({ windowTokens: 128_000, price: { input: 0.25 } });
    expect(models.facts({ provider: 'copilot', model: 'octo-1' })).toEqual({
      windowTokens: undefined,
      price: undefined,
    });
  });
});

describe('the Copilot runtime', () => {
  it('that ended is a temporary error, and the next request starts another', async () => {
    const runtime = startFakeRuntime({
      createSession(count) {
        if (count === 1) throw new Error('Connection is closed.');
      },
    });
    const server = await startCopilotServer([text('Hi')]);
    const models = modelsOf(server);
    const model = await models.open(MINI);
    await expect(model.doGenerate(question())).rejects.toMatchObject({
      message: 'server: the Copilot runtime failed: Connection is closed.',
      status: undefined,
    });
    await model.doGenerate(question());
    await models.close?.();
    expect(runtime.calls.filter((name) => name === 'start' || name === 'stop')).toEqual([
      'start',
      'stop',
      'start',
      'stop',
    ]);
  });

  it('that cannot be started is an error, and leaves no folder', async () => {
    const runtime = startFakeRuntime({
      start() {
        throw new Error('spawn EACCES');
      },
    });
    const models = modelsOf(await startCopilotServer([]));
    await expect(models.open(MINI)).rejects.toMatchObject({
      message: 'server: the Copilot runtime failed: spawn EACCES',
      exitCode: 3,
    });
    expect(existsSync(runtime.clients[0]?.workingDirectory ?? '')).toBe(false);
  });

  it('that does not accept the token is an error of the token', async () => {
    startFakeRuntime({
      send() {
        throw new Error('Session error: Not authenticated');
      },
    });
    const model = await modelsOf(await startCopilotServer([])).open(MINI);
    await expect(model.doGenerate(question())).rejects.toMatchObject({ category: 'auth' });
  });

  it('that does not stop is killed', async () => {
    const runtime = startFakeRuntime({
      stop() {
        throw new Error('it hangs');
      },
    });
    const models = modelsOf(await startCopilotServer([]));
    await models.open(MINI);
    await models.close?.();
    expect(runtime.calls.slice(-2)).toEqual(['stop', 'forceStop']);
  });

  it('is not started for models of other providers', async () => {
    const runtime = startFakeRuntime();
    const models = modelsOf(undefined);
    await models.open({ provider: 'offline', model: 'rules' });
    await models.configure(MINI);
    await models.close?.();
    expect(runtime.calls).toEqual([]);
  });
});

describe('the Copilot SDK', () => {
  it.each([
    ['that is not named', { AXE_COPILOT_SDK: '' }, '`AXE_COPILOT_SDK` is not set'],
    [
      'that is not installed',
      { AXE_COPILOT_SDK: '/nonexistent' },
      '`AXE_COPILOT_SDK` names a folder without `@github/copilot-sdk`',
    ],
  ])('%s ends a run with the line to add', async (_, env, reason) => {
    await expect(modelsOf(undefined, { env }).open(MINI)).rejects.toMatchObject({
      message: `models of \`copilot\` need the Copilot SDK, and ${reason}`,
      exitCode: 3,
      remedy: expect.stringMatching(
        /npm install --prefix .* @github\/copilot-sdk@1\.0\.14.*AXE_COPILOT_SDK:/,
      ),
    });
  });

  it.each(['1.0.12', '1.0.15-preview.4', '1.1.0', '2.0.14', 'latest'])(
    'of version %s is refused',
    async (version) => {
      const env = { AXE_COPILOT_SDK: installFakeSdk(version) };
      await expect(modelsOf(undefined, { env }).open(MINI)).rejects.toMatchObject({
        message: `the Copilot SDK has version "${version}"; this action works with 1.0.13 and later versions of 1.0`,
        exitCode: 3,
      });
    },
  );

  it.each([
    [
      'lacks',
      'export class CopilotClient {}',
      'the Copilot SDK does not have the functions that this action uses',
    ],
    ['throws', 'throw new Error("broken")', 'the Copilot SDK cannot be loaded'],
  ])('that %s is refused', async (_, source, message) => {
    const env = { AXE_COPILOT_SDK: installFakeSdk('1.0.14', source) };
    await expect(modelsOf(undefined, { env }).open(MINI)).rejects.toMatchObject({ message, exitCode: 3 });
  });

  it('is never loaded from the workspace, also not through a link', async () => {
    const workspace = tempDir('workspace');
    const elsewhere = tempDir('elsewhere');
    mkdirSync(join(workspace, 'sdk'));
    symlinkSync(join(workspace, 'sdk'), join(elsewhere, 'link'));
    symlinkSync(join(workspace, 'sdk'), join(elsewhere, 'node_modules'));
    mkdirSync(join(workspace, 'sdk', '@github', 'copilot-sdk'), { recursive: true });
    for (const folder of [join(workspace, 'sdk'), join(elsewhere, 'link'), elsewhere, 'sdk']) {
      const env = { AXE_COPILOT_SDK: folder };
      await expect(modelsOf(undefined, { env, workspace }).open(MINI)).rejects.toMatchObject({
        message: '`AXE_COPILOT_SDK` does not name an absolute path outside of the workspace',
        exitCode: 2,
      });
    }
  });
});

describe('the Copilot token', () => {
  it('comes from its own variable, else from the job, and is never the key of another model', async () => {
    const runtime = startFakeRuntime();
    const server = await startCopilotServer([]);
    const options = { apiKey: 'sk-of-another' };
    await modelsOf(server, { options }).open(MINI);
    await modelsOf(server, { options, env: { COPILOT_GITHUB_TOKEN: 'github_pat_1' } }).open(MINI);
    expect(runtime.clients.map(({ env }) => env['COPILOT_GITHUB_TOKEN'])).toEqual([
      COPILOT_TOKEN,
      'github_pat_1',
    ]);
  });

  it('that is missing is reported by name', async () => {
    await expect(modelsOf(undefined, { token: ' ' }).open(MINI)).rejects.toMatchObject({
      message: 'there is no token for models of `copilot`',
      exitCode: 3,
    });
  });

  it.each([
    ['a fork', pullRequest({ isFork: true }), 'a pull request from a fork'],
    ['Dependabot', pullRequest({ actor: { login: 'dependabot[bot]', isBot: true } }), 'Dependabot'],
  ])('of a run for %s is refused before anything else', async (_, trigger, who) => {
    const error = {
      message: `models of \`copilot\` cannot be asked here: GitHub gives ${who} a read-only token`,
      exitCode: 3,
    };
    await expect(modelsOf(undefined, { trigger }).configure(MINI)).rejects.toMatchObject(error);
    await modelsOf(undefined, { trigger }).configure({ provider: 'openai', model: 'gpt-4o' });
    const env = { COPILOT_GITHUB_TOKEN: 'ghs_own' };
    await modelsOf(undefined, { trigger, env }).configure(MINI);
  });

  it('of another server of GitHub is not sent to github.com', async () => {
    const env = { GITHUB_SERVER_URL: 'https://github.example.com' };
    await expect(modelsOf(undefined, { env }).open(MINI)).rejects.toMatchObject({
      message: 'models of `copilot` are asked at github.com, and this is https://github.example.com',
      exitCode: 3,
    });
  });
});
