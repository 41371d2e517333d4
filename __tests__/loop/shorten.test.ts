import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import type { Asker } from '../../src/loop/asker.js';
import { LEFT_OUT_NOTE } from '../../src/loop/compact.js';
import type { LoopDependencies, Summary } from '../../src/loop/events.js';
import { estimateTokens } from '../../src/loop/messages.js';
import { shorten, trimResults } from '../../src/loop/shorten.js';
import { createFakeModel, opened, says } from '../helpers/model-fake.js';
import { turn, unpaired, user } from './conversations.js';
import { loopDeps } from './scene.js';

const SYSTEM: LanguageModelV4Message = { role: 'system', content: 'You review.' };
const TASK = user('Review it.');
/** Texts of the model's own, which only a summary makes shorter. */
const TALK = Array.from({ length: 10 }, (_, index) => turn(`t${index}`, ['seen'])).flatMap(
  ([first, ...rest]) =>
    first?.role === 'assistant'
      ? [
          { ...first, content: [{ type: 'text' as const, text: 'x'.repeat(4000) }, ...first.content] },
          ...rest,
        ]
      : [],
);
const MESSAGES = [SYSTEM, TASK, ...TALK];

interface Scene {
  readonly summary?: string;
  readonly isCut?: boolean;
  readonly keepSummary?: LoopDependencies['keepSummary'];
  /** What the request for the summary is answered with instead. */
  readonly refusal?: Error;
}

async function shortened({ summary = 'Read a.ts.', isCut = false, ...scene }: Scene = {}) {
  const steps: string[] = [];
  const kept: Summary[] = [];
  const asker: Asker = {
    current: opened(createFakeModel([]), { windowTokens: 10_000 }),
    learnWindow: () => {},
    ask: async () => {
      steps.push('ask');
      if (scene.refusal !== undefined) throw scene.refusal;
      return says(summary, isCut ? { finish: { unified: 'length', raw: undefined } } : {});
    },
  };
  const keepSummary =
    scene.keepSummary ??
    (async (one: Summary) => {
      await new Promise((resolve) => setImmediate(resolve));
      steps.push('keep');
      kept.push(one);
    });
  const { deps, warnings } = loopDeps({ keepSummary });
  const tokens = estimateTokens(MESSAGES);
  const measured = { estimate: tokens, inputTokens: tokens };
  const long = { messages: MESSAGES, measured, replyTokens: 0, memoryTokens: 0, settings: {} };
  const messages = await shorten(long, asker, deps);
  return { messages, steps: [...steps], warnings, kept };
}

describe('a conversation that is shortened by a summary', () => {
  it('has the summary kept, with the number of messages that it replaces', async () => {
    const { messages, steps, kept } = await shortened();
    expect(steps).toEqual(['ask', 'keep']);
    const left = messages.length - 3;
    expect(kept).toEqual([{ text: 'Read a.ts.', messages: TALK.length - left }]);
    expect(JSON.stringify(messages[2])).toContain('Read a.ts.');
  });

  it('continues if keeping it fails, and reports it', async () => {
    const { messages, warnings } = await shortened({
      keepSummary: () => Promise.reject(new Error('no space left on device')),
    });
    expect(JSON.stringify(messages[2])).toContain('Read a.ts.');
    expect(warnings).toMatchObject([{ code: 'memory-save-failed' }]);
    expect(warnings[0]?.message).toContain('no space left on device');
  });

  const overflow = { windowTokens: 9000 };

  it.each<[string, Scene]>([
    ['is empty', { summary: '' }],
    ['was cut', { isCut: true }],
    ['is refused', { refusal: new ProviderError('bad_request', 'no such field', { status: 400 }) }],
    ['would not fit', { refusal: new ProviderError('server', 'too large', { status: 413, overflow }) }],
  ])('keeps no summary that %s, and leaves turns out instead', async (_, scene) => {
    const { messages, kept, warnings } = await shortened(scene);
    expect(kept).toEqual([]);
    expect(JSON.stringify(messages[2])).toContain(JSON.stringify(LEFT_OUT_NOTE).slice(1, -1));
    expect(warnings).toMatchObject([{ code: 'model-warning' }]);
  });

  it('ends if no request would be answered', async () => {
    const refusal = new ProviderError('auth', 'wrong key', { status: 401 });
    await expect(shortened({ refusal })).rejects.toBe(refusal);
  });
});

const RESULTS = [
  user('Go.'),
  ...turn('a', ['x'.repeat(40_000), 'short']),
  ...turn('b', ['y'.repeat(40_000)]),
];

describe('long tool results', () => {
  it.each([15_000, 9000, 3000])('lose no more of their middle than %i tokens require', (tokens) => {
    const trimmed = trimResults(RESULTS, tokens) ?? [];
    expect(estimateTokens(trimmed)).toBeLessThanOrEqual(tokens);
    expect(estimateTokens(trimmed)).toBeGreaterThan(tokens / 4);
    expect(unpaired(trimmed)).toEqual([]);
    expect(JSON.stringify(trimmed)).toContain('bytes left out');
    expect(JSON.stringify(trimmed)).toContain('"short"');
  });

  it('are as short as possible if that is not enough', () => {
    const trimmed = trimResults(RESULTS, 10) ?? [];
    expect(estimateTokens(trimmed)).toBeGreaterThan(10);
  });

  it.each([[[user('Go.')]], [[user('x'.repeat(9000)), ...turn('a', ['short'])]]])(
    'that do not exist cannot be shortened, %#',
    (messages) => {
      expect(trimResults(messages, 10)).toBeUndefined();
    },
  );
});
