import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { ProviderError } from '../../src/lib/errors.js';
import type { OpenModel } from '../../src/loop/asker.js';
import { Budget } from '../../src/loop/budget.js';
import { SUMMARY_REQUEST } from '../../src/loop/compact.js';
import type { Summary } from '../../src/loop/events.js';
import { estimateTokens } from '../../src/loop/messages.js';
import { type Conversation, runAgent } from '../../src/loop/run-agent.js';
import { fakeTool } from '../helpers/dependencies-fake.js';
import { call, createFakeModel, opened, reply, says } from '../helpers/model-fake.js';
import { conversationOf, loopDeps } from './scene.js';

const WINDOW_TOKENS = 16_000;
/** About 5000 tokens. */
const MEMORY = 'fact '.repeat(4000);

const look = fakeTool('look', 'read', { text: 'r'.repeat(2800) });

interface Talk {
  /** Turns before the answer, each with a result of about 700 tokens. */
  readonly turns: number;
  /** What the model says with each call. */
  readonly said?: string;
  readonly system?: string;
  readonly memory?: string;
  readonly thinking?: OpenModel['thinking'];
  readonly maxTokens?: number;
}

async function talk({
  turns,
  said = '',
  system = `Look.${MEMORY}`,
  memory,
  thinking,
  maxTokens = 0,
}: Talk) {
  const kept: Summary[] = [];
  let turn = 0;
  const answer = async ({ prompt }: LanguageModelV4CallOptions) => {
    const inputTokens = estimateTokens(prompt);
    if (isSummaryRequest(prompt)) return says('I looked.', { inputTokens });
    turn += 1;
    if (turn > turns) return says('Done.', { inputTokens });
    return reply([{ type: 'text', text: said }, call(`c${turn}`, 'look', { turn })], {
      inputTokens,
    });
  };
  const model = createFakeModel(Array.from({ length: turns * 2 + 1 }, () => answer));
  const { deps } = loopDeps({ keepSummary: async (summary) => void kept.push(summary) });
  const opening = { windowTokens: WINDOW_TOKENS, thinking };
  const prompt = { system, memory, message: 'Go.' };
  const patch = { prompt, tools: [look], budget: new Budget({ maxTokens, maxCostUsd: 0 }) };
  const outcome = await runAgent(conversationOf(opened(model, opening), patch), deps);
  const last = JSON.stringify(model.asked.at(-1)?.prompt);
  const summaries = model.asked.filter(({ prompt }) => isSummaryRequest(prompt));
  const summaryLimits = new Set(summaries.map(({ maxOutputTokens }) => maxOutputTokens));
  return {
    outcome,
    kept,
    summaryLimits,
    isShortened: last.includes('left out to save room'),
    asked: model.asked,
  };
}

function isSummaryRequest(prompt: LanguageModelV4CallOptions['prompt']): boolean {
  return JSON.stringify(prompt).includes(SUMMARY_REQUEST.slice(0, 40));
}

describe('a long conversation', () => {
  it.each([
    ['a short one is left whole, since memory has its own room', 3, MEMORY, false],
    ['a longer one is shortened', 9, MEMORY, true],
  ])('next to much memory: %s', async (_, turns, memory, isShortened) => {
    const talked = await talk({ turns, memory });
    expect(talked.outcome).toMatchObject({ kind: 'completed', answer: 'Done.' });
    expect(talked.isShortened).toBe(isShortened);
  });

  it.each([
    ['a limit of ours', undefined, 2000],
    [
      'none, where the model thinks',
      { thinks: 'by default', maxOutputTokens: 64_000 } as const,
      undefined,
    ],
  ])('has a summary of it kept, which was written with %s', async (_, thinking, expected) => {
    const long = { turns: 8, said: 's'.repeat(4000), system: 'Look.', thinking };
    const { outcome, kept, summaryLimits } = await talk(long);
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'Done.' });
    expect([...summaryLimits]).toEqual([expected]);
    expect(kept[0]?.text).toBe('I looked.');
    expect(kept[0]?.messages).toBeGreaterThan(1);
  });

  it('ends where its summary has spent the budget', async () => {
    const long = { turns: 8, said: 's'.repeat(4000), system: 'Look.' };
    const prompts = (await talk(long)).asked.map(({ prompt }) => prompt);
    const untilSummary = prompts.slice(0, prompts.findIndex(isSummaryRequest) + 1);
    const maxTokens = untilSummary.reduce((sum, prompt) => sum + estimateTokens(prompt), 0);
    const { outcome, asked } = await talk({ ...long, maxTokens });
    expect(outcome).toMatchObject({ kind: 'exhausted', limit: 'tokens', error: { exitCode: 4 } });
    expect(asked).toHaveLength(untilSummary.length);
  });
});

/**
 * A provider that refuses what does not fit into `windowTokens`, of which the program does not
 * know.
 */
async function talkToSmall({ windowTokens, isTold, sizes, task = 'Go.', shrink }: SmallTalk) {
  let turn = 0;
  const answer = async ({ prompt }: LanguageModelV4CallOptions) => {
    const inputTokens = estimateTokens(prompt);
    if (inputTokens > windowTokens) {
      const overflow = { windowTokens: isTold ? windowTokens : undefined };
      throw new ProviderError('bad_request', 'prompt is too long', { status: 400, overflow });
    }
    if (isSummaryRequest(prompt)) return says('I looked.', { inputTokens });
    const size = sizes[turn];
    turn += 1;
    return size === undefined
      ? says('Done.', { inputTokens })
      : reply([call(`c${turn}`, 'look', { turn, size })], { inputTokens });
  };
  const model = createFakeModel(Array.from({ length: 60 }, () => answer));
  const { deps, events } = loopDeps();
  const execute = async (input: unknown) => ({ text: 'r'.repeat(sizeIn(input)), isError: false });
  const retry = { maxRetries: 2, backoff: 'fixed', initialDelayMs: 1, maxDelayMs: 1 } as const;
  const patch = {
    retry,
    prompt: { system: 'Look.', message: task },
    shrink,
    tools: [{ ...look, execute }],
  };
  const outcome = await runAgent(conversationOf(opened(model), patch), deps);
  const refusals = events.filter(({ kind }) => kind === 'too-long').length;
  return { outcome, refusals, asked: model.asked };
}

interface SmallTalk {
  readonly windowTokens: number;
  /** Whether the error says how large the window is. */
  readonly isTold: boolean;
  /** Characters of the result of each turn. */
  readonly sizes: readonly number[];
  readonly task?: string;
  readonly shrink?: Conversation['shrink'];
}

function sizeIn(input: unknown): number {
  return typeof input === 'object' && input !== null && 'size' in input ? Number(input.size) : 0;
}

describe('a conversation that the provider finds too long', () => {
  const twelve = Array<number>(12).fill(8000);

  it.each([
    ['that says how large its window is, once', true, twelve, 1],
    ['that does not say it', false, twelve, undefined],
    ['whose newest results alone are too much', true, [60_000], undefined],
    ['whose newest results alone are too much, which does not say it', false, [200_000], undefined],
  ])('is shortened and sent again: for a provider %s', async (_, isTold, sizes, times) => {
    const { outcome, refusals } = await talkToSmall({ windowTokens: 12_000, isTold, sizes });
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'Done.' });
    expect(refusals).toBeGreaterThan(0);
    if (times !== undefined) expect(refusals).toBe(times);
  });

  it.each([
    ['and nothing else where that is enough', 9500, true],
    ['with its results where it is not', 7000, false],
  ])('has its beginning made to fit, %s', async (_, windowTokens, isWhole) => {
    const shrink = () => ({ system: 'Look.', message: 'Go.' });
    const task = 'x'.repeat(24_000);
    const talked = await talkToSmall({ windowTokens, isTold: true, sizes: [32_000], task, shrink });
    expect(talked).toMatchObject({ outcome: { kind: 'completed' }, refusals: 1 });
    expect(JSON.stringify(talked.asked.at(-1)?.prompt).includes('r'.repeat(32_000))).toBe(isWhole);
  });

  describe('and answered with nothing', () => {
    const NOTHING = says('');
    const shrink = () => ({ system: 'Look.', message: 'Go.' });
    const ask = async (
      tokens: number,
      windowTokens?: number,
      patch: Partial<Conversation> = {},
    ) => {
      const model = createFakeModel([NOTHING, says('Done.')]);
      const prompt = { system: 'Look.', message: 'x'.repeat(tokens * 4) };
      const conversation = conversationOf(opened(model, { windowTokens }), { prompt, ...patch });
      const { outcome } = { outcome: await runAgent(conversation, loopDeps().deps) };
      return { outcome, requests: model.asked.length };
    };

    it('is shortened once if it filled more than half of an unknown window', async () => {
      const asked = await ask(80_000, undefined, { shrink });
      expect(asked).toMatchObject({ outcome: { answer: 'Done.' }, requests: 2 });
    });

    it.each([
      ['it was shorter', 50_000, undefined, { shrink }],
      ['its window is known', 80_000, 1_000_000, { shrink }],
      ['it cannot get shorter', 80_000, undefined, {}],
    ] as const)('has that answer if %s', async (_what, tokens, windowTokens, patch) => {
      const asked = await ask(tokens, windowTokens, patch);
      expect(asked).toMatchObject({ outcome: { kind: 'completed', answer: '' }, requests: 1 });
    });
  });

  it('ends with the error of the provider if nothing can be left out, without another try', async () => {
    const long = { windowTokens: 1000, isTold: true, sizes: [], task: 'x'.repeat(8000) };
    const { outcome, asked } = await talkToSmall(long);
    expect(outcome).toMatchObject({
      kind: 'failed',
      error: { message: 'bad_request: prompt is too long' },
    });
    expect(asked).toHaveLength(1);
  });
});
