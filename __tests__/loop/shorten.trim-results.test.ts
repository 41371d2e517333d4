import { describe, expect, it } from '@jest/globals';
import { estimateTokens } from '../../src/loop/messages.js';
import { trimResults } from '../../src/loop/shorten.js';
import { turn, unpaired, user } from '../helpers/conversations.js';

const TALK = [user('Go.'), ...turn('a', ['x'.repeat(40_000), 'short']), ...turn('b', ['y'.repeat(40_000)])];

describe('long tool results', () => {
  it.each([15_000, 9000, 3000])('lose no more of their middle than %i tokens require', (tokens) => {
    const trimmed = trimResults(TALK, tokens) ?? [];
    expect(estimateTokens(trimmed)).toBeLessThanOrEqual(tokens);
    expect(estimateTokens(trimmed)).toBeGreaterThan(tokens / 4);
    expect(unpaired(trimmed)).toEqual([]);
    expect(JSON.stringify(trimmed)).toContain('bytes left out');
    expect(JSON.stringify(trimmed)).toContain('"short"');
  });

  it('are as short as possible if that is not enough', () => {
    const trimmed = trimResults(TALK, 10) ?? [];
    expect(estimateTokens(trimmed)).toBeGreaterThan(10);
  });

  it.each([[[user('Go.')]], [[user('x'.repeat(9000)), ...turn('a', ['short'])]]])(
    'that do not exist cannot be shortened, %#',
    (messages) => {
      expect(trimResults(messages, 10)).toBeUndefined();
    },
  );
});
