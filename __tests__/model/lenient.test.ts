import { describe, expect, it } from '@jest/globals';
import { leniently } from '../../src/model/lenient.js';
import { question } from './contract.js';
import {
  always,
  claude,
  completion,
  converseReply,
  gemini,
  openModel,
  outputText,
  playModel,
  response,
} from './open-model.js';

const HI = [{ type: 'text', text: 'Hi' }];
const DREAM = { type: 'dream', depth: 1 };
const TEXT = [{ type: 'text', text: 'Hi' }];
const LOOK = { type: 'tool_use', id: 't', name: 'look', input: {} };

describe('a reply with a part of an unknown kind is read without the part', () => {
  it.each([
    ['anthropic/claude-3-m', claude('end_turn', [DREAM, ...HI]), TEXT],
    ['anthropic/claude-3-m', claude('end_turn', [...HI, DREAM]), TEXT],
    ['anthropic/claude-3-m', claude('tool_use', [DREAM, LOOK]), [{ toolName: 'look' }]],
    ['openai/codex-4o', response([{ type: 'dream', id: 'd' }, outputText('Hi')]), TEXT],
    [
      'openai/codex-4o',
      response([{ ...outputText('Hi'), content: [DREAM, ...outputText('Hi').content] }]),
      TEXT,
    ],
    ['google/gemini-1-m', gemini('STOP', [{ dream: { depth: 1 } }, { text: 'Hi' }]), TEXT],
    ['bedrock/m', converseReply('end_turn', [{ dream: { depth: 1 } }, { text: 'Hi' }]), TEXT],
    ['local/m', completion({ content: [{ type: 'dream' }, ...HI] }), TEXT],
  ])('by %s: %#', async (ref, body, content) => {
    const { model } = await playModel(ref, always(body));
    expect((await model.doGenerate(question())).content).toMatchObject(content);
  });

  it('by anthropic alone, which has no answer then', async () => {
    const { model } = await playModel('anthropic/claude-3-m', always(claude('end_turn', [DREAM])));
    await expect(model.doGenerate(question())).rejects.toMatchObject({
      message: 'server: response contains no content',
    });
  });
});

const PARTS = [
  { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
  { type: 'text', text: 'Hi ' },
  { text: 'there' },
  { type: 'reference', reference_ids: [1] },
  '!',
];
const THOUGHT_AND_TEXT = [
  { type: 'reasoning', text: 'Hm.' },
  { type: 'text', text: 'Hi there!' },
];

it('a text in parts becomes one text, and the thoughts among them reasoning', async () => {
  const { model } = await playModel('local/m', always(completion({ content: PARTS })));
  expect((await model.doGenerate(question())).content).toMatchObject(THOUGHT_AND_TEXT);
});

describe('arguments of a call that are not a text become one', () => {
  const call = (input: unknown) => ({
    index: 0,
    id: 'c1',
    type: 'function',
    function: { name: 'look', arguments: input },
  });

  it.each([
    [{ path: 'a' }, '{"path":"a"}'],
    [null, '{}'],
  ])('in a whole reply: %j', async (input, written) => {
    const body = completion({ content: null, tool_calls: [call(input)] }, 'tool_calls');
    const { model } = await playModel('local/m', always(body));
    const { content } = await model.doGenerate(question());
    expect(content).toMatchObject([{ toolName: 'look' }]);
    const [part] = content;
    expect(part?.type === 'tool-call' && (part.input || '{}')).toBe(written);
  });

  it('in a stream, where a call must not be lost in silence', async () => {
    const chunk = (delta: object, finish_reason: string | null) => ({
      id: 'c',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta, finish_reason }],
    });
    const model = await streaming(
      'groq/gpt-oss-120b',
      [chunk({ tool_calls: [call({ path: 'a' })] }, null), chunk({}, 'tool_calls')],
      { GROQ_API_KEY: 'k' },
    );
    const { content } = await model.doGenerate(question());
    expect(content).toMatchObject([{ toolName: 'look', input: '{"path":"a"}' }]);
  });
});

it.each([
  ['anthropic/claude-3-m', { ...claude('end_turn', HI), usage: null }],
  ['anthropic/claude-3-m', { ...claude('end_turn', HI), usage: undefined }],
  ['anthropic/claude-3-m', { ...claude('end_turn', HI), usage: { input_tokens: null } }],
  ['openai/codex-4o', { ...response([outputText('Hi')]), usage: null }],
  ['google/gemini-1-m', { ...gemini('STOP', [{ text: 'Hi' }]), usageMetadata: null }],
  ['bedrock/m', { ...converseReply('end_turn', [{ text: 'Hi' }]), usage: null }],
  ['bedrock/m', { ...converseReply('end_turn', [{ text: 'Hi' }]), usage: undefined }],
  ['local/m', { ...completion({ content: 'Hi' }), usage: null }],
])('a reply of %s without its usage is read, and the usage is unknown: %#', async (ref, body) => {
  const { model } = await playModel(ref, always(body));
  const { content, usage } = await model.doGenerate(question());
  expect(content).toMatchObject(TEXT);
  expect(usage.inputTokens.total).toBeUndefined();
});

/** A model whose provider answers every request with this stream, in pieces of a few bytes. */
async function streaming(ref: string, events: readonly object[], env: Record<string, string>) {
  const text = events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join('');
  const fetch: typeof globalThis.fetch = async () => {
    const bytes = new TextEncoder().encode(text);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
      bytes.slice(index * 7, index * 7 + 7),
    );
    const headers = { 'content-type': 'text/event-stream' };
    return new Response(ReadableStream.from(pieces), { headers });
  };
  return await openModel(ref, { env, fetch });
}

it('a stream of Claude’s without its usage is read, whatever its text quotes', async () => {
  const { content: _, ...message } = claude('end_turn');
  const quoted = '"usage":null, and "ünï"';
  const model = await streaming(
    'anthropic/claude-sonnet-5-5',
    [
      { type: 'message_start', message: { ...message, content: [], usage: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: quoted } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: null },
      { type: 'message_stop' },
    ],
    { ANTHROPIC_API_KEY: 'k' },
  );
  const { content, usage } = await model.doGenerate(question());
  expect(content).toMatchObject([{ type: 'text', text: quoted }]);
  expect(usage.inputTokens.total).toBeUndefined();
});

it('a stream of Google’s that ends without a reason has broken off', async () => {
  const parts = [{ text: 'half' }];
  const model = await streaming(
    'google/gemini-2.5-pro',
    [{ candidates: [{ content: { role: 'model', parts } }] }],
    { GEMINI_API_KEY: 'k' },
  );
  await expect(model.doGenerate(question())).rejects.toMatchObject({
    category: 'server',
    message: expect.stringContaining('ended in the middle'),
  });
});

it('a reply that needs no repair passes byte for byte', async () => {
  const bytes =
    ' {"content": [{"type":"text","text":"H\\u0069"}],\n"usage":{"input_tokens":1,"output_tokens":1.0}}';
  const headers = { 'content-type': 'application/json' };
  const fetch = leniently(async () => new Response(bytes, { headers }), 'anthropic');
  expect(await (await fetch('http://localhost')).text()).toBe(bytes);
});

it.each([
  ['an error', 400, 'application/json', '{"content": [{"type": "dream"}]}'],
  ['a page', 200, 'text/html', '<html>"content": []</html>'],
  ['half a reply', 200, 'application/json', '{"content": [{"type": "dr'],
])('%s is left to the package', async (_, status, type, body) => {
  const headers = { 'content-type': type };
  const fetch = leniently(async () => new Response(body, { status, headers }), 'anthropic');
  expect(await (await fetch('http://localhost')).text()).toBe(body);
});
