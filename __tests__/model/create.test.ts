import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Agent } from 'undici';
import { ConfigError } from '../../src/lib/errors.js';
import type { LanguageModel } from '../../src/loop/messages.js';
import { isTransient } from '../../src/loop/retry.js';
import { createModels, type ModelsOptions } from '../../src/model/create.js';
import type { ProviderConfig } from '../../src/model/settings.js';
import { startLoopback } from '../helpers/loopback.js';
import { type ModelServer, startModelServer, text } from '../helpers/model-server.js';
import { realmFetch } from '../helpers/realm-fetch.js';
import { question } from './contract.js';

function models(options: Partial<ModelsOptions> = {}) {
  return createModels({ env: {}, loadConfig: async () => ({}), fetch: realmFetch, ...options });
}

async function open(provider: string, server: ModelServer): Promise<LanguageModel> {
  const env = {
    ...server.env,
    OLLAMA_API_KEY: 'sk-ollama-0123456789abcdef',
    GROQ_API_KEY: 'sk-groq-0123456789abcdef',
    AXE_GROQ_BASE_URL: server.url,
  };
  return await models({ env }).open({ provider, model: `${provider}-model` });
}

describe('a streamed answer that falls silent', () => {
  const EVENTS = {
    ping: 'event: ping\ndata: {"type":"ping"}\n\n',
    comment: ': keep waiting\n\n',
    start:
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"c","content":[],"stop_reason":null,"usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
  };

  /** Asks Claude by a connection on which these events come at once, and then nothing. */
  async function ask(events: readonly string[]) {
    let send: ReadableStreamDefaultController<Uint8Array> | undefined;
    const fetch: typeof globalThis.fetch = async (_input, init) => {
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          send = controller;
          init?.signal?.addEventListener('abort', () => controller.error(init.signal?.reason));
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const env = { ANTHROPIC_API_KEY: 'k' };
    const model = await models({ env, fetch }).open({ provider: 'anthropic', model: 'claude-sonnet-5-5' });
    let end: unknown = 'open';
    const asked = Promise.resolve(model.doGenerate(question())).then(
      () => (end = 'answered'),
      (thrown) => (end = thrown),
    );
    await jest.advanceTimersByTimeAsync(600_000);
    const before = end;
    for (const event of events) send?.enqueue(new TextEncoder().encode(event));
    await jest.advanceTimersByTimeAsync(119_000);
    const early = end;
    await jest.advanceTimersByTimeAsync(2000);
    const late = end;
    send?.error(new TypeError('terminated'));
    await asked;
    return { before, early, late };
  }

  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each([
    ['with a ping', [EVENTS.start, EVENTS.ping]],
    ['with a comment', [EVENTS.comment]],
  ])('is ended after 120 s %s, to be tried again, and not before its first byte', async (_what, events) => {
    const { before, early, late } = await ask(events);
    expect([before, early]).toEqual(['open', 'open']);
    expect(late).toMatchObject({
      message: 'server: failed to read response body: nothing came for 120 s',
    });
    expect(isTransient(late)).toBe(true);
  });

  it('is waited for where its provider sends no signs of life', async () => {
    expect(await ask([EVENTS.start])).toEqual({ before: 'open', early: 'open', late: 'open' });
  });
});

describe('a request over the wire', () => {
  it("has Anthropic's headers and axe's 4096 tokens (axe-behaviour §11)", async () => {
    const server = await startModelServer([text('Hi')]);
    await (await open('anthropic', server)).doGenerate(question());
    const [request] = server.requests();
    expect(request?.headers).toMatchObject({
      'x-api-key': server.env['ANTHROPIC_API_KEY'],
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
    });
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.body).toEqual({
      model: 'anthropic-model',
      max_tokens: 4096,
      system: [{ type: 'text', text: 'Be brief.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Say hi.' }] }],
    });
  });

  it('has the key as a bearer token and no limit of its own for OpenAI', async () => {
    const server = await startModelServer([text('Hi')]);
    await (await open('openai', server)).doGenerate(question());
    const [request] = server.requests();
    expect(request?.headers['authorization']).toBe(`Bearer ${server.env['OPENAI_API_KEY']}`);
    expect(request?.body).toEqual({
      model: 'openai-model',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Say hi.' },
      ],
    });
  });

  it('has no key if none is needed and none is set', async () => {
    const server = await startModelServer([text('Hi')]);
    const model = await models({ env: { AXE_OLLAMA_BASE_URL: server.url } }).open({
      provider: 'ollama',
      model: 'library/llama:8b',
    });
    await model.doGenerate(question());
    const [request] = server.requests();
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.body).toMatchObject({ model: 'library/llama:8b' });
  });

  it.each(['openai', 'groq', 'ollama'])('without choices is an error: %s', async (provider) => {
    const server = await startModelServer([{ kind: 'raw', status: 200, body: { model: 'm', choices: [] } }]);
    await expect((await open(provider, server)).doGenerate(question())).rejects.toMatchObject({
      message: 'server: response contains no choices',
      exitCode: 3,
    });
  });
});

describe('an unreachable model server', () => {
  it.each([
    ['openai', '/v1/chat/completions'],
    ['anthropic', '/v1/messages'],
  ])('is reported with its address: %s', async (provider, path) => {
    const server = await startModelServer([]);
    const model = await open(provider, server);
    await server.close();
    const host = server.url.replace('http://', '');
    await expect(model.doGenerate(question())).rejects.toMatchObject({
      message: `server: Post "${server.url}${path}": dial tcp ${host}: connect: connection refused`,
      exitCode: 3,
    });
  });

  it('is reported with a more specific reason if one is known, such as an error of the proxy', async () => {
    const error = new ConfigError('the proxy has no address');
    const env = { OPENAI_API_KEY: 'k' };
    const model = await models({ env, fetch: () => Promise.reject(error) }).open({
      provider: 'openai',
      model: 'm',
    });
    await expect(model.doGenerate(question())).rejects.toBe(error);
  });

  it('is reported once if each of two addresses of one host refuses', async () => {
    const peer = await startLoopback(() => {});
    const { port } = new URL(peer.url);
    await peer.close();
    const dispatcher = new Agent({
      autoSelectFamily: true,
      connect: {
        lookup: (_host, _options, done) =>
          done(null, [
            { address: '127.0.0.1', family: 4 },
            { address: '127.0.0.2', family: 4 },
          ]),
      },
    });
    const fetch = ((input: string, init: object) =>
      realmFetch(input, { ...init, dispatcher } as object)) as typeof globalThis.fetch;
    const env = { OPENAI_API_KEY: 'k', AXE_OPENAI_BASE_URL: `http://two.example:${port}` };
    const model = await models({ env, fetch }).open({ provider: 'openai', model: 'm' });
    await expect(model.doGenerate(question())).rejects.toMatchObject({
      message: `server: Post "http://two.example:${port}/v1/chat/completions": dial tcp two.example:${port}: connect: connection refused`,
    });
    await dispatcher.close();
  });
});

describe('opening a model', () => {
  const broken = () => Promise.reject(new Error('config.toml is broken'));

  it('reads the configuration once, and only on request', async () => {
    let reads = 0;
    const loadConfig = async (): Promise<Readonly<Record<string, ProviderConfig>>> => {
      reads += 1;
      return {};
    };
    const all = models({ loadConfig, env: { OPENAI_API_KEY: 'k' } });
    expect(reads).toBe(0);
    await all.configure();
    await all.configure();
    await all.open({ provider: 'openai', model: 'm' });
    expect(reads).toBe(1);
  });

  it('fails if the configuration is broken, for every model, as in axe (§4)', async () => {
    const all = models({ loadConfig: broken });
    await expect(all.configure()).rejects.toThrow('broken');
    await expect(all.open({ provider: 'openai', model: 'm' })).rejects.toThrow('broken');
  });

  it('needs no key to configure (a dry run needs none)', async () => {
    await expect(models().configure()).resolves.toBeUndefined();
  });

  it.each([
    [
      'openai',
      2,
      'API key for provider "openai" is not configured (set OPENAI_API_KEY or add to config.toml)',
    ],
    [
      'nobody',
      1,
      'unsupported provider "nobody": supported providers are anthropic, openai, ollama, opencode, google, minimax, bedrock, openrouter, requesty, atlascloud, edenai, vertex, azure, offline',
    ],
  ])('of %s without settings ends with %i', async (provider, exitCode, message) => {
    await expect(models().open({ provider, model: 'm' })).rejects.toMatchObject({ exitCode, message });
  });
});
