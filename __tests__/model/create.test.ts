import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ConfigError } from '../../src/lib/errors.js';
import { isTransient } from '../../src/loop/asker.js';
import { sendJson, startLoopback } from '../helpers/loopback.js';
import { startModelServer, text } from '../helpers/model-server.js';
import { question } from './contract.js';
import { always, models, openModel, playModel } from './open-model.js';

describe('a streamed answer that falls silent', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it.each([
    [
      'is ended 120 s after a ping, to be tried again',
      'event: ping\ndata: {"type":"ping"}\n\n',
      true,
    ],
    ['is ended 120 s after a comment', ': keep waiting\n\n', true],
    [
      'is waited for where its provider sends no signs of life',
      'event: message_start\ndata: ',
      false,
    ],
  ])('%s, and not before its first byte', async (_, event, isEnded) => {
    const request = await askStreaming();
    await jest.advanceTimersByTimeAsync(600_000);
    request.send(event);
    await jest.advanceTimersByTimeAsync(119_000);
    expect(request.end()).toBe('open');
    await jest.advanceTimersByTimeAsync(2000);
    const message = 'server: the answer broke off: nothing arrived for 120 s';
    if (isEnded) expect(request.end()).toMatchObject({ message });
    else expect(request.end()).toBe('open');
    expect(isTransient(request.end())).toBe(isEnded);
    await request.cut();
  });

  it.each([
    ['is ended after 600 s of pings alone', '', true],
    ['is waited for while words come between its pings', 'event: content_block_delta\n', false],
  ])('%s', async (_, words, isEnded) => {
    const request = await askStreaming();
    for (let minute = 0; minute < 12; minute += 1) {
      request.send('event: ping\ndata: {"type": "ping"}\n\n: still here\n\n');
      await jest.advanceTimersByTimeAsync(30_000);
      if (words !== '') request.send(words);
      await jest.advanceTimersByTimeAsync(30_000);
    }
    const message = 'server: the answer broke off: nothing but signs of life arrived for 600 s';
    if (isEnded) expect(request.end()).toMatchObject({ message });
    else expect(request.end()).toBe('open');
    expect(isTransient(request.end())).toBe(isEnded);
    await request.cut();
  });
});

/** A request whose reply is streamed as the test sends it. */
async function askStreaming() {
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  const fetch: typeof globalThis.fetch = async (_input, init) => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller;
        init?.signal?.addEventListener('abort', () => {
          stream = undefined;
          controller.error(init.signal?.reason);
        });
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  };
  const model = await openModel('anthropic/claude-sonnet-5-5', {
    env: { ANTHROPIC_API_KEY: 'k' },
    fetch,
  });
  let end: unknown = 'open';
  const asked = Promise.resolve(model.doGenerate(question())).catch((thrown) => (end = thrown));
  return {
    end: () => end,
    send: (event: string) => stream?.enqueue(new TextEncoder().encode(event)),
    async cut() {
      stream?.error(new TypeError('terminated'));
      await asked;
    },
  };
}

it('a request has no key if none is needed and none is set', async () => {
  const server = await startModelServer([text('Hi')]);
  const model = await openModel('ollama/library/llama:8b', {
    env: { AXE_OLLAMA_BASE_URL: server.url },
  });
  await model.doGenerate(question());
  const [request] = server.requests();
  expect(request?.headers).not.toHaveProperty('authorization');
  expect(request?.body).toMatchObject({ model: 'library/llama:8b' });
});

it.each(['openai/gpt-4o', 'local/m', 'ollama/m'])(
  'an answer without choices is an error: %s',
  async (ref) => {
    const { model } = await playModel(ref, always({ model: 'm', choices: [] }));
    const message = 'server: response contains no choices';
    await expect(model.doGenerate(question())).rejects.toMatchObject({ message, exitCode: 3 });
  },
);

it('an unreachable server is reported with a more specific reason if one is known', async () => {
  const error = new ConfigError('the proxy has no address');
  const env = { OPENAI_API_KEY: 'k' };
  const model = await openModel('openai/m', { env, fetch: () => Promise.reject(error) });
  await expect(model.doGenerate(question())).rejects.toBe(error);
});

it('no model is opened if the configuration is broken, as in axe (§4)', async () => {
  const all = models({ loadConfig: () => Promise.reject(new Error('config.toml is broken')) });
  await expect(all.configure()).rejects.toThrow('broken');
  await expect(all.open({ provider: 'openai', model: 'm' })).rejects.toThrow('broken');
});

/** The window that a server says it has loaded `qwen3` with. */
async function windowOf(loaded: unknown, { status = 200, ref = 'ollama/qwen3' } = {}) {
  const server = await startLoopback((request, response) =>
    sendJson(response, status, request.path === '/api/ps' ? { models: loaded } : { done: true }),
  );
  const [provider = '', model = ''] = ref.split('/');
  const env = {
    AXE_OLLAMA_BASE_URL: server.url,
    AXE_LOCAL_BASE_URL: server.url,
    OLLAMA_API_KEY: 'key-1',
  };
  const opened = models({ env, asksWindow: true });
  const window = await opened.askWindow?.({ provider, model }, new AbortController().signal);
  const asked = server.requests().map(({ method, path, body }) => ({ method, path, body }));
  return { window, asked, keys: server.requests().map(({ headers }) => headers['authorization']) };
}

it('Ollama loads a model, and then says how large its window is', async () => {
  const other = { model: 'llama3:latest', context_length: 32_768 };
  const own = { model: 'qwen3:latest', context_length: 4096 };
  expect(await windowOf([other, own])).toEqual({
    window: 4096,
    asked: [
      { method: 'POST', path: '/api/chat', body: { model: 'qwen3', messages: [], stream: false } },
      { method: 'GET', path: '/api/ps', body: undefined },
    ],
    keys: ['Bearer key-1', 'Bearer key-1'],
  });
});

it.each([
  ['a server that is none of Ollama’s', undefined, { status: 404 }],
  ['an older Ollama', [{ model: 'qwen3:latest' }], {}],
  ['a model that another machine runs', [], {}],
  [
    'a provider that cannot be asked',
    [{ model: 'qwen3', context_length: 1 }],
    { ref: 'local/qwen3' },
  ],
])('%s says nothing of a window', async (_, loaded, how) => {
  expect((await windowOf(loaded, how)).window).toBeUndefined();
});
