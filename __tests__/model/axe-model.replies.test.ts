import type { LanguageModelV4GenerateResult, LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { isTransient } from '../../src/loop/asker.js';
import { sendThinkBlocks, takeThinkBlock } from '../../src/model/axe-model.js';
import { call, reply, says } from '../helpers/model-fake.js';
import { question } from './contract.js';
import { converse } from './converse.js';
import {
  always,
  claude as claudeSays,
  completion as completionOf,
  converseReply,
  gemini,
  openModel,
  outputText,
  playModel,
  response as responseOf,
} from './open-model.js';

/** Opens a model whose provider answers every request with this body. */
async function open(ref: string, body: unknown) {
  return (await playModel(ref, always(body))).model;
}

/** What such a model makes of the body. */
async function replyTo(ref: string, body: unknown) {
  return await (await open(ref, body)).doGenerate(question());
}

const completion = (finish: string | null, content: unknown = '') =>
  completionOf({ content }, finish);
const claude = (stop: string, said?: string) =>
  claudeSays(stop, said === undefined ? [] : [{ type: 'text', text: said }]);

function response(reason: string | undefined, text: string) {
  const cut = reason === undefined ? {} : { status: 'incomplete', incomplete_details: { reason } };
  return responseOf([outputText(text)], cut);
}

const HALF = [{ text: 'half' }];
const CLAUDES = ['anthropic/claude-x', 'minimax/MiniMax-M2', 'opencode/claude-x'];

/** A conversation in which a tool was called. */
const CALL = { toolCallId: 't1', toolName: 'look' };
const AFTER_TOOLS: LanguageModelV4Prompt = [
  ...question().prompt,
  { role: 'assistant', content: [{ type: 'tool-call', ...CALL, input: {} }] },
  {
    role: 'tool',
    content: [{ type: 'tool-result', ...CALL, output: { type: 'text', value: 'ok' } }],
  },
];

describe('the way a reply ended', () => {
  it.each([
    ['anthropic/claude-x', claude('max_tokens', 'half'), 'length'],
    ['anthropic/claude-x', claude('model_context_window_exceeded', 'half'), 'length'],
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
    ['bedrock/m', converseReply('model_context_window_exceeded', HALF), 'length'],
    ['bedrock/m', converseReply('malformed_tool_use', HALF), 'error'],
    ['bedrock/m', converseReply('guardrail_intervened', HALF), 'content-filter'],
  ])('is read for %s, %#', async (ref, body, unified) => {
    const { finishReason } = await replyTo(ref, body);
    expect(finishReason.unified).toBe(unified);
  });

  it.each([[null], ['eos_token'], ['done'], ['stop']])(
    'is normal if a compatible server says %j',
    async (finish) => {
      const { finishReason } = await replyTo('local/m', completion(finish, 'Hi'));
      expect(['stop', 'other']).toContain(finishReason.unified);
    },
  );
});

describe('an empty reply', () => {
  it.each([
    ...CLAUDES.map((ref) => [ref, claude('refusal'), 'content-filter'] as const),
    ['ollama/m', completion('content_filter'), 'content-filter'] as const,
    ['anthropic/claude-x', claude('max_tokens'), 'length'] as const,
  ])('of %s that was refused or cut is no error: %#', async (ref, body, unified) => {
    const reply = await replyTo(ref, body);
    expect(reply).toMatchObject({ content: [], finishReason: { unified } });
  });

  it.each([
    ...CLAUDES.map((ref) => [ref, claude('end_turn')] as const),
    ['ollama/m', completion('stop')] as const,
  ])(
    'of %s to a first question is an error, as in axe, and after tool calls an answer',
    async (ref, body) => {
      const model = await open(ref, body);
      expect((await model.doGenerate(question({ prompt: AFTER_TOOLS }))).content).toEqual([]);
      await expect(model.doGenerate(question())).rejects.toMatchObject({
        message: 'server: response contains no content',
        remedy: expect.stringMatching(/^Run it again/),
      });
    },
  );

  it('that ended with an error counts as an error of the provider', async () => {
    const message = 'server: the reply ended with an error (error)';
    await expect(replyTo('openrouter/a/b', completion('error'))).rejects.toMatchObject({ message });
  });
});

describe('a reply without usage figures', () => {
  const silent = ({ usage: _, ...body }: { readonly usage: unknown }) => body;
  const zero = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
  const thought = (total_tokens: number) => {
    const completion_tokens_details = { reasoning_tokens: 500 };
    return { prompt_tokens: 100, completion_tokens: 10, total_tokens, completion_tokens_details };
  };

  it.each([
    ['openai/gpt-4o', silent(completion('stop', 'Hi'))],
    ['openai/gpt-4o', { ...completion('stop', 'Hi'), usage: zero }],
    ['openai/gpt-6-sol', silent(response(undefined, 'Hi'))],
    ['local/m', silent(completion('stop', 'Hi'))],
    ['local/m', { ...completion('stop', 'Hi'), usage: {} }],
    ['local/m', { ...completion('stop', 'Hi'), usage: null, timings: { more: 1 } }],
    ['google/gemini-x', gemini('STOP', [{ text: 'Hi' }])],
  ])('is accepted without figures: %s, %#', async (ref, body) => {
    const { content, usage } = await replyTo(ref, body);
    expect(content).toMatchObject([{ type: 'text', text: 'Hi' }]);
    expect([usage.inputTokens.total, usage.outputTokens.total]).toEqual([undefined, undefined]);
  });

  it.each([
    ['that it has', { prompt_tokens: 7 }, [7, undefined]],
    ['of thoughts that only its total counts (xAI)', thought(610), [100, 510]],
    ['of thoughts that are part of its text', thought(110), [100, 10]],
  ])('keeps the figures %s', async (_, figures, expected) => {
    const { usage } = await replyTo('local/m', { ...completion('stop', 'Hi'), usage: figures });
    expect([usage.inputTokens.total, usage.outputTokens.total]).toEqual(expected);
  });
});

it('a streamed reply is read without a kind of content that nobody knows yet', async () => {
  const blocks = [
    { type: 'dream', depth: 1 },
    { type: 'text', text: 'Hi' },
  ];
  const { content } = await replyTo('anthropic/claude-sonnet-5-5', claudeSays('end_turn', blocks));
  expect(content).toMatchObject([{ type: 'text', text: 'Hi' }]);
});

describe('a response that failed', () => {
  const failed = { ...response(undefined, ''), status: 'failed', output: [] };
  const error = { code: 'server_error', message: 'it broke' };

  it.each([
    ['without a type', { ...failed, error }, 'it broke'],
    ['as an error', { ...failed, error: { type: 'e', ...error } }, 'it broke'],
    ['without a word', failed, 'the reply ended with an error (error)'],
  ])('is an error of the provider: %s', async (_, body, text) => {
    await expect(replyTo('openai/gpt-6-sol', body)).rejects.toMatchObject({
      message: `server: ${text}`,
    });
  });
});

describe('a streamed reply that does not come to its end', () => {
  const event = (type: string, more: object) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const HALF = [
    event('message_start', { message: { ...claude(''), stop_reason: null } }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Ha' } }),
  ].join('');
  const error = event('error', { error: { type: 'overloaded_error', message: 'Overloaded' } });
  const NO_JSON = `${HALF}data: {"type":\n\n`;

  it.each([
    ['ends early', HALF, false, 'server: the answer broke off: it ended in the middle'],
    ['breaks', HALF, true, 'server: the answer broke off: cut'],
    ['begins with an error', error, false, 'overloaded: Overloaded'],
    ['ends with an error', HALF + error, false, 'overloaded: Overloaded'],
    [
      'holds no JSON',
      NO_JSON,
      false,
      'server: failed to parse response: the body is not valid JSON',
    ],
  ])('is an error that passes where it %s', async (_what, sent, isCut, message) => {
    const fetch: typeof globalThis.fetch = async () => {
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent !== '' && !isSent) controller.enqueue(new TextEncoder().encode(sent));
          else if (isCut)
            controller.error(new TypeError('terminated', { cause: new Error('cut') }));
          else controller.close();
          isSent = true;
        },
      });
      return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    };
    let isSent = false;
    const model = await openModel('anthropic/claude-sonnet-5-5', {
      env: { ANTHROPIC_API_KEY: 'k' },
      fetch,
    });
    const failed = await Promise.resolve(model.doGenerate(question())).catch(
      (thrown: unknown) => thrown,
    );
    expect(failed).toMatchObject({ message: expect.stringContaining(message) });
    expect(isTransient(failed)).toBe(true);
  });
});

it('thinking that is refused is left out from then on, and later thinking is sent back', async () => {
  const turn = (signature: string) =>
    claudeSays('tool_use', [
      { type: 'thinking', thinking: 'Hm.', signature },
      { type: 'tool_use', id: `call-${signature}`, name: 'fast', input: { after: signature } },
    ]);
  const message =
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';
  const replies = [
    { status: 200, body: turn('first') },
    { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } },
    { status: 200, body: turn('second') },
    { status: 200, body: claudeSays('end_turn', [{ type: 'text', text: 'Done' }]) },
  ];
  const script = replies.map((one) => ({ kind: 'raw' as const, ...one }));
  const { server, model } = await playModel('anthropic/claude-sonnet-5-5', script);
  expect(await converse(model)).toMatchObject({ kind: 'completed', answer: 'Done' });
  const sent = server
    .requests()
    .map(({ bytes }) => bytes.toString().match(/(?<="signature":")\w+/g));
  expect(sent).toEqual([null, ['first'], null, ['second']]);
});

const CUT = { unified: 'length', raw: 'length' } as const;

function textsOf({ content }: Pick<LanguageModelV4GenerateResult, 'content'>): readonly string[] {
  return content.map((part) => ('text' in part ? `${part.type}: ${part.text}` : part.type));
}

describe('a block of reasoning', () => {
  it.each([
    ['before the answer', '<think>\nHm, two files.\n</think>\n\nFine.', 'Hm, two files.', 'Fine.'],
    ['behind blanks', '\n <think>Hm.</think>Fine.', 'Hm.', 'Fine.'],
    ['that is empty', '<think>\n\n</think>\n\nFine.', '', 'Fine.'],
    [
      'before an answer about such blocks',
      '<think>Hm.</think>Remove `<think>`.',
      'Hm.',
      'Remove `<think>`.',
    ],
  ])('is removed from a reply: %s', (_, text, thought, answer) => {
    expect(textsOf(takeThinkBlock(says(text)))).toEqual([
      `reasoning: ${thought}`,
      `text: ${answer}`,
    ]);
  });

  it.each([
    ['without an answer', says('<think>Hm.</think>\n')],
    ['that was cut off', says('<think>Hm.', { finish: CUT })],
  ])('%s is the whole reply', (_, whole) => {
    expect(textsOf(takeThinkBlock(whole))).toEqual(['reasoning: Hm.']);
  });

  it.each([
    ['in the middle', 'The tag <think>x</think> is left in the answer.'],
    ['in code', '`<think>` opens it and `</think>` closes it.'],
    ['in a fence', '```xml\n<think>x</think>\n```'],
    ['without a beginning', 'Hm.\n</think>\n\nFine.'],
    ['without an end', '<think>Fine.'],
    ['with another name', '<thinking>x</thinking>Fine.'],
  ])('is left alone: %s', (_, text) => {
    const whole = says(text);
    expect(takeThinkBlock(whole)).toBe(whole);
  });

  it('is sent back unchanged', () => {
    const text = '<think>\nHm.\n</think>\n\nI look.';
    const { content } = takeThinkBlock(reply([{ type: 'text', text }, call('1', 'look', {})]));
    expect(textsOf({ content })).toEqual(['reasoning: Hm.', 'text: I look.', 'tool-call']);
    const parts = content.flatMap((part) =>
      part.type === 'reasoning' || part.type === 'text'
        ? [{ type: part.type, text: part.text, providerOptions: part.providerMetadata }]
        : [],
    );
    const [sent] = sendThinkBlocks({ prompt: [{ role: 'assistant', content: parts }] }).prompt;
    expect(sent?.content).toEqual([
      { type: 'text', text: '<think>\nHm.\n</think>\n\n' },
      { type: 'text', text: 'I look.' },
    ]);
  });
});
