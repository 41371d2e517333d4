import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { estimateText } from '../../src/lib/text/bytes.js';
import { estimateTokens } from '../../src/loop/messages.js';
import { conversations, turn, user } from './conversations.js';

it.each<[string, number]>([
  ['', 0],
  ['abc', 0],
  ['abcd', 1],
  ['a'.repeat(400), 100],
  ['日本語日本語日本語日', 9],
  ['日本語日本語日本語日abcd', 10],
  ['한글', 1],
  ['ＡＢ', 1],
  ['𠀀𠀀', 1],
])('the estimate of a text %j has %i tokens', (text, tokens) => {
  expect(estimateText(text)).toBe(tokens);
});

describe('the estimate of a conversation', () => {
  const messages = [user('a'.repeat(4000)), ...turn('1', ['b'.repeat(4000)])];

  it('counts every kind of part', () => {
    expect(estimateTokens([])).toBe(0);
    expect(estimateTokens(messages)).toBeGreaterThan(2000);
    expect(estimateTokens(messages)).toBeLessThan(2100);
    for (const message of parts) expect(estimateTokens([message])).toBeGreaterThanOrEqual(100);
  });

  it('adds what followed, at the provider’s rate if that is higher', () => {
    const measured = { estimate: 2000, inputTokens: 3000 };
    const added = [...messages, user('c'.repeat(4000))];
    expect(estimateTokens(added, measured)).toBe(
      3000 + Math.ceil((estimateTokens(added) - 2000) * 1.5),
    );
    const cheap = { estimate: 2000, inputTokens: 1500 };
    expect(estimateTokens(added, cheap)).toBe(1500 + estimateTokens(added) - 2000);
  });

  it('subtracts no more than what the removed part certainly had', () => {
    const estimate = estimateTokens(messages);
    expect(estimateTokens(messages, { estimate: estimate + 1000, inputTokens: 2 * estimate })).toBe(
      2 * estimate - 1000,
    );
  });

  it('never falls when a message is added', () => {
    fc.assert(
      fc.property(conversations, fc.integer({ min: 1, max: 200_000 }), (all, inputTokens) => {
        const before = all.slice(0, -1);
        const measured = { estimate: estimateTokens(before), inputTokens };
        expect(estimateTokens(all, measured)).toBeGreaterThanOrEqual(
          estimateTokens(before, measured),
        );
      }),
      { numRuns: 40 },
    );
  });
});

const LONG = 'x'.repeat(600);

/** A message for each kind of part; each has a hundred tokens or more. */
const parts: readonly LanguageModelV4Message[] = [
  { role: 'system', content: LONG },
  { role: 'assistant', content: [{ type: 'reasoning', text: LONG }] },
  {
    role: 'assistant',
    content: [{ type: 'reasoning', text: '', providerOptions: { a: { data: LONG } } }],
  },
  {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: '1', toolName: 'a', input: { a: LONG } }],
  },
  result({ type: 'json', value: { a: LONG } }),
  result({ type: 'error-json', value: [LONG] }),
  result({ type: 'execution-denied', reason: LONG }),
  result({ type: 'content', value: [{ type: 'text', text: LONG }] }),
];

type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>;
type Output = Extract<ToolMessage['content'][number], { type: 'tool-result' }>['output'];

function result(output: Output): LanguageModelV4Message {
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: '1', toolName: 'a', output }],
  };
}
