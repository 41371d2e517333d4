import { describe, expect, it } from '@jest/globals';
import { parseModelRef } from '../../src/agent/config.js';
import { EFFORTS, type Effort } from '../../src/agent/keys.js';
import { findFacts, findPrice, MODEL_TABLE } from '../../src/model/catalog.js';

const byStrength = (a: Effort, b: Effort) => EFFORTS.indexOf(a) - EFFORTS.indexOf(b);
const price = (ref: string) => findPrice(parseModelRef(ref));

describe('the price of a model, and its window', () => {
  it.each([
    ['anthropic/claude-sonnet-4-5-20250929', 3, 15, 200_000],
    ['anthropic/claude-opus-4-20250514', 15, 75, 200_000],
    ['anthropic/claude-opus-5-5', 4, 20, 1_000_000],
    ['openai/gpt-4o-2024-11-20', 2.5, 10, 128_000],
    ['openai/gpt-5-mini-2025-08-07', 0.25, 2, 400_000],
    ['openai/gpt-6.1-terra', 1, 5, 1_050_000],
    ['openai/gpt-5.6', 4, 20, 1_050_000],
    ['google/gemini-2.5-flash-lite', 0.1, 0.4, 1_048_576],
    ['google/gemini-3.1-pro-preview', 2, 12, 1_048_576],
    ['bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', 3, 15, 200_000],
    ['bedrock/anthropic.claude-opus-4-6-v1', 5, 25, 1_000_000],
    ['vertex/claude-haiku-4-5@20251001', 1, 5, 200_000],
    ['openrouter/anthropic/claude-sonnet-4.5', 3, 15, 200_000],
    ['azure/gpt-4o', 2.5, 10, 128_000],
    ['minimax/MiniMax-M3', 0.3, 1.2, 1_000_000],
    ['openrouter/x-ai/grok-4.6', 2, 6, 500_000],
    ['ollama/llama3', 0, 0, undefined],
    ['offline/rules', 0, 0, undefined],
  ])('of %s is %d for input and %d for output, and its window %s', (ref, input, output, window) => {
    expect(price(ref)).toMatchObject({ input, output });
    expect(findFacts(parseModelRef(ref))?.windowTokens).toBe(window);
  });

  it.each([
    'anthropic/claude-octo-9',
    'anthropic/claude-opus-4-99',
    'openai/gpt-5-pro',
    'openai/gpt-4o-audio-preview',
    'openai/gpt-50',
    'openrouter/openai/gpt-4o:free',
    'azure/my-deployment',
    'groq/gpt-4o',
    'minimax/MiniMax-M2',
    'openai/constructor',
  ])('of %s is unknown, and not guessed', (ref) => {
    expect(price(ref)).toBeUndefined();
    expect(findFacts(parseModelRef(ref))?.windowTokens).toBeUndefined();
  });

  it('rises with the prompt if the provider charges so', () => {
    expect(price('google/gemini-2.5-pro')).toMatchObject({
      input: 1.25,
      long: { aboveTokens: 200_000, price: { input: 2.5, output: 15 } },
    });
    expect(price('openai/gpt-4o')?.long).toBeUndefined();
  });

  it('is consistent in the whole table: a cached token costs no more than a fresh one, a written one no less', () => {
    const prices = MODEL_TABLE.flatMap(({ price: own }) => [
      own,
      ...(own.long ? [own.long.price] : []),
    ]);
    expect(prices.length).toBeGreaterThan(50);
    for (const { input, output, cacheRead, cacheWrite } of prices) {
      expect(cacheRead).toBeGreaterThan(0);
      expect(cacheRead).toBeLessThanOrEqual(input);
      expect(cacheWrite).toBeGreaterThanOrEqual(input);
      expect(output).toBeGreaterThan(input);
    }
    const families = MODEL_TABLE.map(({ family }) => family);
    expect(new Set(families).size).toBe(families.length);
  });
});

it.each(MODEL_TABLE)(
  'an answer of $family is within its window, and it has efforts only if it thinks',
  (facts) => {
    expect(facts.maxOutputTokens ?? 1).toBeLessThan(facts.windowTokens);
    if (facts.thinks === 'never') expect(facts.efforts).toEqual([]);
    expect([...facts.efforts].sort(byStrength)).toEqual(facts.efforts);
  },
);
