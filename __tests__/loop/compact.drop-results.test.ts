import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { dropResults } from '../../src/loop/compact.js';
import { estimateTokens } from '../../src/loop/messages.js';
import { turn } from '../helpers/conversations.js';

const LONG = 'x'.repeat(4000);

describe('leaving out tool results', () => {
  it('starts with the oldest and stops when enough is free', () => {
    const messages = [...turn('1', [LONG, LONG]), ...turn('2', [LONG])];
    const dropped = dropResults(messages, 900);
    expect(outputs(dropped.messages)).toEqual([
      expect.stringMatching(/^\[A result of read_file/),
      LONG,
      LONG,
    ]);
    expect(dropped.freedTokens).toBe(estimateTokens(messages) - estimateTokens(dropped.messages));
    expect(outputs(dropResults(messages, 1000).messages).filter((text) => text === LONG)).toHaveLength(1);
  });

  it('leaves short results, and everything that the model said, unchanged', () => {
    const messages = turn('1', ['short', LONG]);
    const [reply] = messages;
    const dropped = dropResults(messages, 1_000_000);
    expect(dropped.messages[0]).toBe(reply);
    expect(outputs(dropped.messages)[0]).toBe('short');
  });

  it('keeps id, name and provider options of a result', () => {
    const message: LanguageModelV4Message = {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'fetch\n\u202E'.concat('n'.repeat(100)),
          output: { type: 'json', value: { text: LONG } },
          providerOptions: { a: { b: 1 } },
        },
      ],
    };
    const { messages, freedTokens } = dropResults([message], 1);
    expect(messages).toMatchObject([
      { content: [{ toolCallId: 'a', providerOptions: { a: { b: 1 } }, output: { type: 'text' } }] },
    ]);
    expect(outputs(messages)[0]).not.toMatch(/[\n\u202E]/);
    expect(freedTokens).toBeGreaterThan(0);
  });
});

function outputs(messages: readonly LanguageModelV4Message[]): readonly unknown[] {
  return messages.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) =>
          part.type === 'tool-result' && 'value' in part.output ? [part.output.value] : [],
        )
      : [],
  );
}
