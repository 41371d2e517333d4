import { describe, expect, it } from '@jest/globals';
import { parseModelRef } from '../../src/agent/config.js';
import { createModels } from '../../src/model/create.js';
import { type ModelScript, startModelServer, text } from '../helpers/model-server.js';
import { question } from './contract.js';
import { completion, playModel, realmFetch } from './open-model.js';

const refusal = (message: string, status = 400) =>
  ({
    kind: 'raw',
    status,
    body: { error: { message, type: 'invalid_request_error' } },
  }) as const;

type Server = Awaited<ReturnType<typeof startModelServer>>;

const bodies = (server: Server) =>
  server.requests().map(({ body }) => body as Readonly<Record<string, unknown>>);
const streams = (server: Server) => bodies(server).map(({ stream }) => stream === true);

/** A model of any name, at a server of one's own that every reply is streamed from. */
async function playStreamed(ref: string, script: ModelScript) {
  const server = await startModelServer(script);
  const env = { AXE_LOCAL_BASE_URL: server.url, AXE_OPENROUTER_BASE_URL: server.url };
  const keys = { OPENROUTER_API_KEY: 'k', OPENAI_API_KEY: 'k', AXE_OPENAI_BASE_URL: server.url };
  const loadConfig = async () => ({});
  const all = createModels({ env: { ...env, ...keys }, loadConfig, fetch: realmFetch });
  return { server, model: await all.open(parseModelRef(ref), { stream: true }) };
}

describe('a reply is received in a stream', () => {
  it.each([
    ['anthropic/claude-opus-6', true, 64_000],
    ['minimax/MiniMax-M9', true, 64_000],
    ['openai/gpt-9', true, undefined],
    ['deepseek/deepseek-v9', false, undefined],
    ['openai/gpt-4.1', false, undefined],
    ['local/anything', false, undefined],
    ['anthropic/octo-9', false, 64_000],
    ['local/claude-octo-9', true, undefined],
    ['deepseek/deepseek-v4-pro', true, undefined],
    ['ollama/llama3', false, undefined],
    ['openrouter/openai/gpt-9', false, undefined],
  ])('from %s on the command line: %s', async (ref, isStreamed, limit) => {
    const { model, server } = await playModel(ref, [text('Hi')]);
    await model.doGenerate(question());
    expect(streams(server)).toEqual([isStreamed]);
    expect(bodies(server)[0]?.['max_tokens']).toBe(limit);
  });

  it.each([
    ['local/anything', true],
    ['openai/gpt-4.1', true],
    ['openrouter/openai/gpt-9', false],
  ])('from %s if the agent or a workflow wants that: %s', async (ref, isStreamed) => {
    const { model, server } = await playStreamed(ref, [text('Hi')]);
    await model.doGenerate(question());
    expect(streams(server)).toEqual([isStreamed]);
  });

  it.each([
    ['says that it cannot', refusal('stream is not supported here')],
    ['says so with another status', refusal('Streaming is disabled', 403)],
    [
      'answers whole',
      { kind: 'raw', status: 200, body: '{}', headers: { 'content-type': 'text/html' } },
    ],
  ] as const)('until the server %s, and is asked for whole at once', async (_how, reply) => {
    const { model, server } = await playModel('openai/gpt-9', [reply, text('Hi'), text('Hi')]);
    await model.doGenerate(question());
    await model.doGenerate(question());
    expect(streams(server)).toEqual([true, false, false]);
  });

  it('once a server of one’s own is too slow for what is in between', async () => {
    const { model, server } = await playModel('local/m', [refusal('time-out', 504), text('Hi')]);
    await expect(model.doGenerate(question())).rejects.toMatchObject({ status: 504 });
    await model.doGenerate(question());
    expect(streams(server)).toEqual([false, true]);
  });

  it('and the text that came is kept if the run ends meanwhile', async () => {
    const controller = new AbortController();
    const chunks = ['Half ', 'an answer'].map((content) => ({
      ...completion({}),
      choices: [{ index: 0, delta: { content }, finish_reason: null }],
    }));
    const fetch: typeof globalThis.fetch = async (_input, init) => {
      const body = new ReadableStream({
        start(stream) {
          for (const chunk of chunks)
            stream.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`));
          init?.signal?.addEventListener('abort', () => stream.error(init.signal?.reason));
        },
        pull: () => setImmediate(() => controller.abort(new Error('over'))) && undefined,
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    const env = { AXE_LOCAL_BASE_URL: 'http://127.0.0.1:9' };
    const all = createModels({ env, loadConfig: async () => ({}), fetch });
    const model = await all.open(parseModelRef('local/m'), { stream: true });
    const reply = await model.doGenerate(question({ abortSignal: controller.signal }));
    expect(reply.content).toMatchObject([{ type: 'text', text: 'Half an answer' }]);
    expect(reply.finishReason.unified).toBe('interrupted');
  });
});

it.each(['minimax/MiniMax-M3.1-Flash', 'anthropic/octo-9'])(
  'no budget of thoughts is made of an effort for %s',
  async (ref) => {
    const { model, server } = await playModel(ref, [text('Hi')]);
    const { warnings } = await model.doGenerate(question({ reasoning: 'medium' }));
    expect(bodies(server)[0]).not.toHaveProperty('thinking');
    expect(warnings).toMatchObject([{ feature: 'effort' }]);
  },
);

it('a provider’s name counts in any case', () => {
  expect(parseModelRef('Anthropic/Claude-X')).toEqual(parseModelRef('anthropic/Claude-X'));
});

it.each([
  ['a long one', 'x'.repeat(300)],
  ['one with blanks', 'my own model'],
])('a name that nobody uses is sent as it is: %s', async (_kind, name) => {
  const { model, server } = await playModel(`local/${name}`, [text('Hi')]);
  await model.doGenerate(question());
  expect(bodies(server)).toMatchObject([{ model: name }]);
});

describe('a setting that a server refuses', () => {
  const tools = [{ type: 'function', name: 'look', inputSchema: { type: 'object' } }] as const;

  const TEMPERATURE =
    "Unsupported value: 'temperature' does not support 0.1 with this model. Only the default (1) value is supported.";
  it.each([
    {
      ref: 'local/m',
      message: TEMPERATURE,
      settings: { temperature: 0.1 },
      key: 'temperature',
      warned: ['temperature'],
    },
    {
      ref: 'local/m',
      message: "property 'reasoning_effort' is unsupported",
      settings: { reasoning: 'low' as const },
      key: 'reasoning_effort',
      warned: ['effort'],
    },
    {
      ref: 'local/m',
      message: 'invalid temperature: only 1 is allowed for this model',
      settings: { temperature: 0.1 },
      key: 'temperature',
      warned: ['temperature'],
    },
    {
      ref: 'local/m',
      message: '`reasoning_effort` must be one of `none` or `default`',
      settings: { reasoning: 'low' as const },
      key: 'reasoning_effort',
      warned: ['effort'],
    },
    {
      ref: 'deepseek/deepseek-v4-pro',
      message: 'This response_format type is unavailable now',
      settings: { responseFormat: { type: 'json', schema: { type: 'object' } } as const },
      key: 'response_format',
      warned: ['response_format'],
    },
    {
      ref: 'local/m',
      message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
      settings: { maxOutputTokens: 5000 },
      key: 'max_tokens',
      warned: ['max_tokens'],
    },
    // No user has chosen this one.
    {
      ref: 'openai/gpt-4.1',
      message: 'Unknown parameter: prompt_cache_key',
      settings: { tools: [...tools] },
      key: 'prompt_cache_key',
      warned: [],
    },
  ])('is left out from then on: $key', async ({ ref, message, settings, key, warned }) => {
    const { model, server } = await playModel(ref, [refusal(message), text('Hi'), text('Hi')]);
    for (const _turn of [1, 2]) {
      const { warnings } = await model.doGenerate(question(settings));
      expect(warnings.map((warning) => 'feature' in warning && warning.feature)).toEqual(warned);
    }
    expect(bodies(server).map((body) => key in body)).toEqual([true, false, false]);
  });

  it('is asked for with the limit that the refusal names', async () => {
    const message =
      'max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens for claude-opus-6';
    const script = [refusal(message), text('Hi'), text('Hi')];
    const { model, server } = await playModel('anthropic/claude-opus-6', script);
    await model.doGenerate(question());
    await model.doGenerate(question());
    const limits = bodies(server).map((body) => body['max_tokens']);
    expect(limits).toEqual([64_000, 32_000, 32_000]);
  });

  it.each([
    ['max_tokens is too large: 100,000. The maximum value is 8,192.', 8192],
    ['`max_tokens` must be at most `8192`; that is less than the `context_window`', 8192],
    ['maxOutputTokens is 100000, but the range is 1 (inclusive) to 65537 (exclusive)', 65_536],
  ])('is a limit of the user’s, which is lowered with a warning: %s', async (message, limit) => {
    const { model, server } = await playModel('local/m', [refusal(message), text('Hi')]);
    const { warnings } = await model.doGenerate(question({ maxOutputTokens: 100_000 }));
    expect(warnings).toMatchObject([{ feature: 'max_tokens' }]);
    expect(bodies(server).map((body) => body['max_tokens'])).toEqual([100_000, limit]);
  });

  it.each([
    ["Unsupported parameter: 'temperature'", 2],
    ['Invalid signature in thinking block; temperature is not supported', 2],
    ['temperature must be a number', 1],
  ])('is tried without it once at most: %s', async (message, requests) => {
    const { model, server } = await playModel('local/m', () => refusal(message));
    const asked = model.doGenerate(question({ temperature: 1 }));
    await expect(asked).rejects.toMatchObject({ category: 'bad_request' });
    expect(server.requests()).toHaveLength(requests);
  });
});

it('a model has the price of the model that its reply names', () => {
  const all = createModels({ env: {}, loadConfig: async () => ({}), fetch: realmFetch });
  const { priceOf } = all.facts(parseModelRef('openai/gpt-4o'));
  expect(priceOf?.('gpt-4o-2024-11-20')).toMatchObject({ input: 2.5 });
  expect(priceOf?.('gpt-4o-mini')).toMatchObject({ input: 0.15 });
  expect(priceOf?.('qwen2.5-0.5b')).toBeUndefined();
  expect(all.facts(parseModelRef('ollama/llama3')).priceOf?.('other')).toMatchObject({ input: 0 });
});
