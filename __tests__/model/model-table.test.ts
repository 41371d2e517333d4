import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseModelRef } from '../../src/agent/config.js';
import { findFacts, findPrice, isSameModel, thinkingOf } from '../../src/model/model-facts.js';
import { bareName, habitsOf } from '../../src/model/rules.js';

const FILE = readFileSync(join(import.meta.dirname, '../../src/model/models.json'), 'utf8');

interface Row {
  readonly price: readonly number[];
  readonly long?: readonly number[];
  readonly above?: number;
  readonly window: number;
  readonly output?: number;
  readonly efforts?: string;
}

const MODELS: Readonly<Record<string, Readonly<Record<string, Row>>>> = JSON.parse(FILE).models;
const ROWS = Object.values(MODELS).flatMap((rows) => Object.values(rows));

const price = (ref: string) => findPrice(parseModelRef(ref));

describe('the price of a model, and its window', () => {
  it.each([
    ['anthropic/claude-sonnet-4-5-20250929', 3, 15, 200_000],
    ['anthropic/claude-opus-4-20250514', 15, 75, 200_000],
    ['anthropic/claude-opus-5-5', 4, 20, 1_000_000],
    ['openai/gpt-4o-2024-11-20', 2.5, 10, 128_000],
    // Their prompts cannot have the whole window.
    ['openai/gpt-5-mini-2025-08-07', 0.25, 2, 272_000],
    ['openai/gpt-6.1-terra', 1, 5, 1_050_000],
    ['openai/gpt-6.2-sol', 2, 10, 1_050_000],
    ['google/gemini-2.5-flash-lite', 0.1, 0.4, 1_048_576],
    ['google/gemini-3.1-pro-preview', 2, 12, 1_048_576],
    ['bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', 3, 15, 200_000],
    ['bedrock/anthropic.claude-opus-4-6-v1', 5, 25, 1_000_000],
    ['vertex/claude-haiku-4-5@20251001', 1, 5, 200_000],
    ['openrouter/anthropic/claude-sonnet-4.5', 3, 15, 200_000],
    ['azure/gpt-4o', 2.5, 10, 128_000],
    ['minimax/MiniMax-M3', 0.3, 1.2, 1_000_000],
    ['openrouter/x-ai/grok-4.6', 2, 6, 500_000],
    ['mistral/mistral-large-latest', 0.7, 2.1, 1_048_576],
    ['ollama/llama3', 0, 0, undefined],
    ['offline/rules', 0, 0, undefined],
  ])('of %s is %d for input and %d for output, and its window %s', (ref, input, output, window) => {
    expect(price(ref)).toMatchObject({ input, output });
    expect(findFacts(parseModelRef(ref))?.windowTokens).toBe(window);
  });

  it.each([
    'anthropic/claude-octo-9',
    'anthropic/claude-opus-4-99',
    'openai/gpt-4o-audio-preview',
    'openai/gpt-50',
    'openrouter/openai/gpt-4o:free',
    'azure/my-deployment',
    'groq/gpt-4o',
    'openai/constructor',
    'constructor/name',
    `anthropic/${'x'.repeat(300)}`,
    'anthropic/claude sonnet 5.5',
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

  it.each([
    ['2026-11-30T23:59:59Z', 2, 10],
    ['2026-12-01T00:00:00Z', 4, 20],
  ])('changes on the day for which that is announced: at %s', (at, input, output) => {
    const facts = findFacts(parseModelRef('google/gemini-4-argon'), Date.parse(at));
    expect(facts?.price).toMatchObject({ input, output });
  });

  it('never counts a written token as cheaper than a fresh one', () => {
    expect(price('zai/glm-4.6')).toMatchObject({ input: 0.6, cacheWrite: 0.6 });
  });
});

describe('the file of figures', () => {
  it('has one sorted line for each model, as the script writes it', () => {
    for (const [seller, rows] of Object.entries(MODELS)) {
      const names = Object.keys(rows);
      expect({ seller, names }).toEqual({ seller, names: names.toSorted() });
      for (const [name, row] of Object.entries(rows))
        expect(FILE).toContain(`\n    ${JSON.stringify(name)}: ${JSON.stringify(row)}`);
    }
  });

  it('has figures that can be', () => {
    expect(ROWS.length).toBeGreaterThan(200);
    for (const { price: figures, long, above, window, output = 1 } of ROWS) {
      for (const [input = -1, , cacheRead = -1] of [figures, long ?? figures])
        expect(cacheRead).toBeLessThanOrEqual(input);
      for (const figure of [...figures, ...(long ?? [])]) expect(figure).toBeGreaterThanOrEqual(0);
      expect([figures.length, long?.length ?? 4]).toEqual([4, 4]);
      expect(above === undefined).toBe(long === undefined);
      expect(window).toBeGreaterThan(0);
      expect(output).toBeLessThanOrEqual(window);
    }
  });
});

describe('a model thinks by the rule for its name', () => {
  it.each([
    ['anthropic/claude-opus-6', 'anthropic', 'by default'],
    ['anthropic/claude-sonnet-latest', 'anthropic', 'by default'],
    ['anthropic/claude-3-5-haiku-20241022', 'anthropic', 'never'],
    ['anthropic/claude-3-7-sonnet-20250219', 'anthropic', 'if asked'],
    ['anthropic/claude-instant-1', 'anthropic', 'never'],
    ['anthropic/claude-sonnet-4-5', 'anthropic', 'if asked'],
    ['bedrock/us.anthropic.claude-opus-4-8-v1', 'bedrock', 'if asked'],
    ['openrouter/anthropic/claude-sonnet-5.5', 'openai-compatible', 'by default'],
    ['openai/gpt-4.1', 'openai', 'never'],
    ['openai/gpt-5.2', 'openai', 'if asked'],
    ['openai/gpt-5.2-codex', 'openai-responses', 'by default'],
    ['openai/gpt-7-nova', 'openai-responses', 'by default'],
    ['openai/o9', 'openai', 'by default'],
    ['google/gemini-5-xenon', 'google', 'by default'],
    ['google/gemini-2.5-flash-lite', 'google', 'if asked'],
    ['google/gemini-2.0-flash', 'google', 'never'],
    ['minimax/MiniMax-M9', 'anthropic', 'by default'],
    ['xai/grok-4.20-0309-non-reasoning', 'openai-compatible', 'never'],
    ['together/meta-llama/Llama-3.3-70B-Instruct-Turbo', 'openai-compatible', 'never'],
    ['local/anything', 'openai-compatible', 'by default'],
  ] as const)('%s over %s: %s', (ref, wire, thinks) => {
    expect(thinkingOf(parseModelRef(ref), wire).thinks).toBe(thinks);
  });

  it('unless the data knows that it never does', () => {
    expect(habitsOf('mistral-large-2512', 'openai-compatible').thinks).toBe('by default');
    const ref = parseModelRef('mistral/mistral-large-2512');
    expect(thinkingOf(ref, 'openai-compatible').thinks).toBe('never');
  });
});

describe('a model that no rule is about has the efforts of its wire', () => {
  it.each([
    ['openai-compatible', 'low medium high'],
    ['openai', 'low medium high'],
    ['openai-responses', 'low medium high xhigh max'],
    ['google', 'low medium high xhigh max'],
    ['bedrock', 'low medium high xhigh max'],
  ])('%s: %s', (wire, efforts) => {
    expect(habitsOf('never-heard-of', wire).efforts.join(' ')).toBe(efforts);
  });
});

it.each([
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5-20250929-v1:0'],
  ['accounts/fireworks/models/glm-4.6', 'glm-4.6'],
  ['anthropic/claude-sonnet-4.5', 'claude-sonnet-4-5'],
  ['MiniMax-M3', 'minimax-m3'],
  ['gpt-5.1', 'gpt-5.1'],
])('the bare name of %s is %s', (name, bare) => {
  expect(bareName(name)).toBe(bare);
});

it.each([
  ['gpt-4o', 'gpt-4o-2024-11-20', true],
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5', true],
  ['gemini-3.1-pro-preview', 'models/gemini-3.1-pro', true],
  ['gpt-4o', 'gpt-4o-mini', false],
  ['claude-sonnet-latest', 'claude-sonnet-6', false],
])('%s and %s are the same model: %s', (first, second, isSame) => {
  expect(isSameModel(first, second)).toBe(isSame);
});
