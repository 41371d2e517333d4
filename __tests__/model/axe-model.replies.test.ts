import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { isTransient } from '../../src/loop/retry.js';
import { createModels } from '../../src/model/create.js';
import { startModelServer } from '../helpers/model-server.js';
import { realmFetch } from '../helpers/realm-fetch.js';
import { question } from './contract.js';

/** Opens a model whose provider answers every request with this body. */
async function open(ref: string, body: unknown) {
  const { url } = await startModelServer(() => ({ kind: 'raw', status: 200, body }));
  const [provider = '', ...rest] = ref.split('/');
  const env = {
    ANTHROPIC_API_KEY: 'k',
    AXE_ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: 'k',
    AXE_OPENAI_BASE_URL: url,
    GEMINI_API_KEY: 'k',
    AXE_GOOGLE_BASE_URL: url,
    OPENROUTER_API_KEY: 'k',
    AXE_OPENROUTER_BASE_URL: url,
    OPENCODE_API_KEY: 'k',
    AXE_OPENCODE_BASE_URL: url,
    MINIMAX_API_KEY: 'k',
    AXE_MINIMAX_BASE_URL: url,
    AXE_OLLAMA_BASE_URL: url,
    AXE_LOCAL_BASE_URL: url,
    AWS_BEARER_TOKEN_BEDROCK: 'k',
    AWS_REGION: 'us-east-1',
    AXE_BEDROCK_BASE_URL: url,
  };
  const models = createModels({ env, loadConfig: async () => ({}), fetch: realmFetch });
  return await models.open({ provider, model: rest.join('/') });
}

type Block = Readonly<Record<string, unknown>>;

function claude(stop_reason: string, content: readonly Block[] = []) {
  const usage = { input_tokens: 10, output_tokens: 5 };
  return { id: 'm', type: 'message', role: 'assistant', model: 'c', content, stop_reason, usage };
}

function completion(finish_reason: string | null, content: unknown = '') {
  return {
    id: 'c',
    model: 'm',
    created: 1,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

function gemini(finishReason: string, parts: readonly Block[] = []) {
  return { candidates: [{ content: { role: 'model', parts }, finishReason }] };
}

function converse(stopReason: string, content: readonly Block[] = []) {
  const usage = { inputTokens: 10, outputTokens: 5, totalTokens: 15 };
  return { output: { message: { role: 'assistant', content } }, stopReason, usage };
}

function response(reason: string | undefined, text: string) {
  return {
    id: 'r',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: reason === undefined ? 'completed' : 'incomplete',
    incomplete_details: reason === undefined ? null : { reason },
    output: [
      {
        type: 'message',
        id: 'm1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    ],
    usage: { input_tokens: 10, output_tokens: 5 },
  };
}

const HALF = [{ text: 'half' }];
const CLAUDES = ['anthropic/claude-x', 'minimax/MiniMax-M2', 'opencode/claude-x'];

/** A conversation in which a tool was called. */
const AFTER_TOOLS: LanguageModelV4Prompt = [
  ...question().prompt,
  { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'look', input: {} }] },
  {
    role: 'tool',
    content: [
      { type: 'tool-result', toolCallId: 't1', toolName: 'look', output: { type: 'text', value: 'ok' } },
    ],
  },
];

describe('the way a reply ended', () => {
  it.each([
    ['anthropic/claude-x', claude('max_tokens', [{ type: 'text', text: 'half' }]), 'length'],
    [
      'anthropic/claude-x',
      claude('model_context_window_exceeded', [{ type: 'text', text: 'half' }]),
      'length',
    ],
    ['openai/gpt-6-sol', response('max_output_tokens', 'half'), 'length'],
    ['openai/gpt-6-sol', response('content_filter', 'half'), 'content-filter'],
    ['openai/gpt-4o', completion('length', 'half'), 'length'],
    ['openrouter/a/b', completion('error', 'half'), 'error'],
    ['local/mistral', completion('model_length', 'half'), 'length'],
    ['local/deepseek', completion('insufficient_system_resource', 'half'), 'error'],
    ['local/glm', completion('sensitive', 'half'), 'content-filter'],
    ['local/vllm', completion('abort', 'half'), 'error'],
    ['google/gemini-x', gemini('MALFORMED_FUNCTION_CALL', HALF), 'error'],
    ['google/gemini-x', gemini('UNEXPECTED_TOOL_CALL', HALF), 'error'],
    ['google/gemini-x', gemini('MAX_TOKENS', HALF), 'length'],
    ['bedrock/m', converse('model_context_window_exceeded', HALF), 'length'],
    ['bedrock/m', converse('malformed_tool_use', HALF), 'error'],
    ['bedrock/m', converse('guardrail_intervened', HALF), 'content-filter'],
  ])('is read for %s, %#', async (ref, body, unified) => {
    const { finishReason } = await (await open(ref, body)).doGenerate(question());
    expect(finishReason.unified).toBe(unified);
  });

  it.each([[null], ['eos_token'], ['done'], ['stop']])(
    'is normal if a compatible server says %j',
    async (finish) => {
      const { finishReason } = await (await open('local/m', completion(finish, 'Hi'))).doGenerate(question());
      expect(['stop', 'other']).toContain(finishReason.unified);
    },
  );
});

describe('an empty reply', () => {
  it.each(CLAUDES)('of %s that is a refusal counts as one', async (ref) => {
    const reply = await (await open(ref, claude('refusal'))).doGenerate(question());
    expect(reply).toMatchObject({ content: [], finishReason: { unified: 'content-filter', raw: 'refusal' } });
  });

  it('of Ollama that was filtered counts as a refusal', async () => {
    const reply = await (await open('ollama/m', completion('content_filter'))).doGenerate(question());
    expect(reply).toMatchObject({ content: [], finishReason: { unified: 'content-filter' } });
  });

  it.each([
    ...CLAUDES.map((ref) => [ref, claude('end_turn')] as const),
    ['ollama/m', completion('stop')] as const,
  ])('of %s after tool calls counts as an empty answer', async (ref, body) => {
    const { content } = await (await open(ref, body)).doGenerate(question({ prompt: AFTER_TOOLS }));
    expect(content).toEqual([]);
  });

  it.each([
    ...CLAUDES.map((ref) => [ref, claude('end_turn')] as const),
    ['ollama/m', completion('stop')] as const,
  ])('of %s to a first question is an error, as in axe', async (ref, body) => {
    await expect((await open(ref, body)).doGenerate(question())).rejects.toMatchObject({
      message: 'server: response contains no content',
      remedy: expect.stringMatching(/^Run it again/),
    });
  });

  it('that was cut before its first word is not an error either', async () => {
    const reply = await (await open('anthropic/claude-x', claude('max_tokens'))).doGenerate(question());
    expect(reply).toMatchObject({ content: [], finishReason: { unified: 'length' } });
  });

  it('that ended with an error counts as an error of the provider', async () => {
    const body = {
      ...completion('error'),
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: '' },
          finish_reason: 'error',
          error: { code: 502, message: 'upstream went away' },
        },
      ],
    };
    await expect((await open('openrouter/a/b', body)).doGenerate(question())).rejects.toMatchObject({
      category: 'server',
      message: 'server: upstream went away',
    });
  });
});

describe('a reply without usage figures', () => {
  const silent = (body: Readonly<Record<string, unknown>>, key = 'usage') => {
    const { [key]: _, ...rest } = body;
    return rest;
  };
  const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

  it.each([
    ['anthropic/claude-x', silent(claude('end_turn', [{ type: 'text', text: 'Hi' }]))],
    ['minimax/MiniMax-M2', silent(claude('end_turn', [{ type: 'text', text: 'Hi' }]))],
    ['anthropic/claude-x', { ...claude('end_turn', [{ type: 'text', text: 'Hi' }]), usage: null }],
    ['openai/gpt-4o', silent(completion('stop', 'Hi'))],
    ['openai/gpt-4o', { ...completion('stop', 'Hi'), usage: zero }],
    ['openai/gpt-6-sol', silent(response(undefined, 'Hi'))],
    ['local/m', silent(completion('stop', 'Hi'))],
    ['local/m', { ...completion('stop', 'Hi'), usage: {} }],
    ['local/m', { ...completion('stop', 'Hi'), usage: zero }],
    ['google/gemini-x', gemini('STOP', [{ text: 'Hi' }])],
    ['bedrock/m', silent(converse('end_turn', [{ text: 'Hi' }]))],
  ])('is accepted without figures: %s, %#', async (ref, body) => {
    const { content, usage } = await (await open(ref, body)).doGenerate(question());
    expect(content).toMatchObject([{ type: 'text', text: 'Hi' }]);
    expect([usage.inputTokens.total, usage.outputTokens.total]).toEqual([undefined, undefined]);
  });

  it('keeps the figures that it has', async () => {
    const body = { ...completion('stop', 'Hi'), usage: { prompt_tokens: 7 } };
    const { usage } = await (await open('local/m', body)).doGenerate(question());
    expect([usage.inputTokens.total, usage.outputTokens.total]).toEqual([7, undefined]);
  });
});

describe('an answer in parts', () => {
  const parts = [{ type: 'text', text: 'Hi ' }, { type: 'output_text', text: 'the' }, { text: 're' }, '!'];

  it.each(['openai/gpt-4o', 'ollama/m', 'local/m', 'openrouter/a/b'])(
    'of %s becomes one text',
    async (ref) => {
      const { content } = await (await open(ref, completion('stop', parts))).doGenerate(question());
      expect(content.map((part) => (part.type === 'text' ? part.text : ''))).toEqual(['Hi there!']);
    },
  );

  it.each(['ollama/m', 'local/m'])('of %s keeps its reasoning separate', async (ref) => {
    const thinking = [{ type: 'text', text: 'Hm.' }];
    const body = completion('stop', [{ type: 'thinking', thinking }, ...parts]);
    const { content } = await (await open(ref, body)).doGenerate(question());
    expect(content).toMatchObject([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Hi there!' },
    ]);
  });

  it('that are all empty is an empty answer', async () => {
    const { content } = await (await open('openai/gpt-4o', completion('stop', []))).doGenerate(question());
    expect(content).toEqual([]);
  });
});

describe('a reply of a kind that nobody knows yet', () => {
  const text = response(undefined, 'Hi').output;
  const DREAM = claude('end_turn', [
    { type: 'dream', depth: 1 },
    { type: 'text', text: 'Hi' },
  ]);

  it.each([
    ['anthropic/claude-x', DREAM],
    ['anthropic/claude-sonnet-5-5', DREAM],
    ['openai/gpt-6-sol', { ...response(undefined, 'Hi'), output: [{ type: 'dream', id: 'd' }, ...text] }],
    ['google/gemini-x', gemini('STOP', [{ dream: { depth: 1 } }, { text: 'Hi' }])],
    ['bedrock/m', converse('end_turn', [{ dream: { depth: 1 } }, { text: 'Hi' }])],
  ])('is read without it: %s', async (ref, body) => {
    const { content } = await (await open(ref, body)).doGenerate(question());
    expect(content).toMatchObject([{ type: 'text', text: 'Hi' }]);
  });
});

describe('a response that failed', () => {
  const failed = { ...response(undefined, ''), status: 'failed', output: [] };

  it.each([
    ['without a type', { ...failed, error: { code: 'server_error', message: 'it broke' } }, 'it broke'],
    [
      'as an error',
      { ...failed, error: { type: 'e', code: 'server_error', message: 'it broke' } },
      'it broke',
    ],
    ['without a word', failed, 'the reply ended with an error (error)'],
  ])('is an error of the provider: %s', async (_, body, text) => {
    await expect((await open('openai/gpt-6-sol', body)).doGenerate(question())).rejects.toMatchObject({
      message: `server: ${text}`,
    });
  });
});

describe('a streamed reply that does not come to its end', () => {
  const START = {
    type: 'message_start',
    message: {
      id: 'm',
      type: 'message',
      role: 'assistant',
      model: 'c',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  };
  const events = (...all: readonly { readonly type: string }[]) =>
    all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  const HALF = events(
    START,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } } as never,
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Ha' } } as never,
  );
  const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };

  it.each([
    ['ends early', HALF, false, 'server: failed to read response body: it ended in the middle'],
    ['breaks', HALF, true, 'server: failed to read response body: cut'],
    ['begins with an error', events(error), false, 'overloaded: Overloaded'],
    ['ends with an error', HALF + events(error), false, 'overloaded: Overloaded'],
    [
      'holds no JSON',
      `${HALF}data: {"type":\n\n`,
      false,
      'server: failed to parse response: the body is not valid JSON',
    ],
  ])('is an error that passes where it %s', async (_what, sent, isCut, message) => {
    const fetch: typeof globalThis.fetch = async () => {
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent !== '' && !isSent) controller.enqueue(new TextEncoder().encode(sent));
          else if (isCut) controller.error(new TypeError('terminated', { cause: new Error('cut') }));
          else controller.close();
          isSent = true;
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    let isSent = false;
    const models = createModels({ env: { ANTHROPIC_API_KEY: 'k' }, loadConfig: async () => ({}), fetch });
    const model = await models.open({ provider: 'anthropic', model: 'claude-sonnet-5-5' });
    const failed = await Promise.resolve(model.doGenerate(question())).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ message: expect.stringContaining(message) });
    expect(isTransient(failed)).toBe(true);
  });
});

it('reasoning that OpenRouter streams in pieces is kept in whole blocks', async () => {
  const piece = (more: object) => ({
    type: 'reasoning.text',
    index: 0,
    format: 'anthropic-claude-v1',
    ...more,
  });
  const details = [
    [piece({ text: 'One, ' })],
    [piece({ text: 'two.' }), piece({ text: null, signature: 'sig' })],
    [{ type: 'reasoning.encrypted', index: 1, data: 'ab' }],
  ];
  const head = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const chunks = [
    ...details.map((reasoning_details) => ({
      delta: { reasoning_details, content: 'H' },
      finish_reason: null,
    })),
    { delta: {}, finish_reason: 'stop' },
  ].map((choice) => `data: ${JSON.stringify({ ...head, choices: [{ index: 0, ...choice }] })}\n\n`);
  const fetch: typeof globalThis.fetch = async () =>
    new Response(`${chunks.join('')}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
  const models = createModels({ env: { OPENROUTER_API_KEY: 'k' }, loadConfig: async () => ({}), fetch });
  const model = await models.open({ provider: 'openrouter', model: 'anthropic/claude-opus-5.5' });
  const { content } = await model.doGenerate(question());
  expect(content.find(({ providerMetadata }) => providerMetadata?.['openrouter'])).toMatchObject({
    providerMetadata: {
      openrouter: {
        reasoningDetails: [
          piece({ text: 'One, two.', signature: 'sig' }),
          { type: 'reasoning.encrypted', index: 1, data: 'ab' },
        ],
      },
    },
  });
});
