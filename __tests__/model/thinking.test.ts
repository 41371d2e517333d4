import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { sendThinkBlocks, takeThinkBlock } from '../../src/model/axe-model.js';
import { call, reply, says } from '../helpers/model-fake.js';
import { converse } from './converse.js';
import { claude, playModel } from './open-model.js';

it('thinking that is refused is left out from then on, and later thinking is sent back', async () => {
  const turn = (signature: string) =>
    claude('tool_use', [
      { type: 'thinking', thinking: 'Hm.', signature },
      { type: 'tool_use', id: `call-${signature}`, name: 'fast', input: { after: signature } },
    ]);
  const message =
    'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation.';
  const replies = [
    { status: 200, body: turn('first') },
    { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message } } },
    { status: 200, body: turn('second') },
    { status: 200, body: claude('end_turn', [{ type: 'text', text: 'Done' }]) },
  ];
  const script = replies.map((one) => ({ kind: 'raw' as const, ...one }));
  const { server, model } = await playModel('anthropic/claude-sonnet-5-5', script);
  expect(await converse(model)).toMatchObject({ kind: 'completed', answer: 'Done' });
  const sent = server.requests().map(({ bytes }) => bytes.toString().match(/(?<="signature":")\w+/g));
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
    ['before an answer about such blocks', '<think>Hm.</think>Remove `<think>`.', 'Hm.', 'Remove `<think>`.'],
  ])('is removed from a reply: %s', (_, text, thought, answer) => {
    expect(textsOf(takeThinkBlock(says(text)))).toEqual([`reasoning: ${thought}`, `text: ${answer}`]);
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
