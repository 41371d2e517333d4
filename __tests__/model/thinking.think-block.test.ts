import type { LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { sendThinkBlocks, takeThinkBlock } from '../../src/model/thinking.js';
import { call, reply, says } from '../helpers/model-fake.js';

const CUT = { unified: 'length', raw: 'length' } as const;

function textsOf({ content }: LanguageModelV4GenerateResult): readonly unknown[] {
  return content.map((part) =>
    part.type === 'text' || part.type === 'reasoning' ? [part.type, part.text] : [part.type],
  );
}

describe('a block of reasoning', () => {
  it.each([
    [
      'before the answer',
      '<think>\nHm, two files.\n</think>\n\nFine.',
      [
        ['reasoning', 'Hm, two files.'],
        ['text', 'Fine.'],
      ],
    ],
    [
      'behind blanks',
      '\n <think>Hm.</think>Fine.',
      [
        ['reasoning', 'Hm.'],
        ['text', 'Fine.'],
      ],
    ],
    [
      'that is empty',
      '<think>\n\n</think>\n\nFine.',
      [
        ['reasoning', ''],
        ['text', 'Fine.'],
      ],
    ],
    ['without an answer', '<think>Hm.</think>\n', [['reasoning', 'Hm.']]],
    [
      'before an answer about such blocks',
      '<think>Hm.</think>Remove `<think>` and `</think>`.',
      [
        ['reasoning', 'Hm.'],
        ['text', 'Remove `<think>` and `</think>`.'],
      ],
    ],
  ])('is removed from a reply: %s', (_, text, parts) => {
    expect(textsOf(takeThinkBlock(says(text)))).toEqual(parts);
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

  it('that was cut off is the whole reply', () => {
    expect(textsOf(takeThinkBlock(says('<think>Hm, tw', { finish: CUT })))).toEqual([
      ['reasoning', 'Hm, tw'],
    ]);
  });

  it('is sent back unchanged', () => {
    const text = '<think>\nHm.\n</think>\n\nI look.';
    const { content } = takeThinkBlock(reply([{ type: 'text', text }, call('1', 'look', {})]));
    expect(textsOf({ ...says(''), content })).toEqual([
      ['reasoning', 'Hm.'],
      ['text', 'I look.'],
      ['tool-call'],
    ]);
    const parts = content.flatMap((part) =>
      part.type === 'reasoning' || part.type === 'text'
        ? [
            {
              type: part.type,
              text: part.text,
              ...(part.providerMetadata && { providerOptions: part.providerMetadata }),
            },
          ]
        : [],
    );
    const [sent] = sendThinkBlocks({ prompt: [{ role: 'assistant', content: parts }] }).prompt;
    expect(sent).toEqual({
      role: 'assistant',
      content: [
        { type: 'text', text: '<think>\nHm.\n</think>\n\n' },
        { type: 'text', text: 'I look.' },
      ],
    });
  });
});
