import { expect, it } from '@jest/globals';
import { createModels } from '../../src/model/create.js';
import { sendJson, startLoopback } from '../helpers/loopback.js';
import { realmFetch } from '../helpers/realm-fetch.js';

/** The window that a server says it has loaded `qwen3` with. */
async function windowOf(models: unknown, { status = 200, ref = 'ollama/qwen3' } = {}) {
  const server = await startLoopback((request, response) =>
    sendJson(response, status, request.path === '/api/ps' ? { models } : { done: true }),
  );
  const [provider = '', model = ''] = ref.split('/');
  const opened = createModels({
    env: { AXE_OLLAMA_BASE_URL: server.url, AXE_LOCAL_BASE_URL: server.url, OLLAMA_API_KEY: 'key-1' },
    loadConfig: async () => ({}),
    fetch: realmFetch,
    asksWindow: true,
  });
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
  ['a provider that cannot be asked', [{ model: 'qwen3', context_length: 1 }], { ref: 'local/qwen3' }],
])('%s says nothing of a window', async (_, models, how) => {
  expect((await windowOf(models, how)).window).toBeUndefined();
});
