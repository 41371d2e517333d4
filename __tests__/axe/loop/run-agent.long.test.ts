import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { Budget } from '../../../src/axe/loop/budget.js';
import { estimateTokens } from '../../../src/axe/loop/estimate.js';
import { runAgent } from '../../../src/axe/loop/run-agent.js';
import { SUMMARY_REQUEST } from '../../../src/axe/loop/summary.js';
import type { Summary } from '../../../src/axe/loop/world.js';
import type { Tool } from '../../../src/axe/tools/tool.js';
import { call, createFakeModel, opened, reply, says } from '../../helpers/model-fake.js';
import { createFakeClock } from '../../memory-stores/fake-clock.js';

const WINDOW_TOKENS = 16_000;
/** About 5000 tokens. */
const MEMORY = 'fact '.repeat(4000);

const look: Tool = {
  name: 'look',
  effect: 'read',
  description: 'looks',
  inputSchema: { type: 'object' },
  execute: async () => ({ text: 'r'.repeat(2800), isError: false }),
};

interface Talk {
  /** Turns before the answer, each with a result of about 700 tokens. */
  readonly turns: number;
  /** What the model says with each call. */
  readonly said?: string;
  readonly system?: string;
  readonly memory?: string;
}

async function talk({ turns, said = '', system = `Look.${MEMORY}`, memory }: Talk) {
  const kept: Summary[] = [];
  let turn = 0;
  const answer = async ({ prompt }: LanguageModelV4CallOptions) => {
    const inputTokens = estimateTokens(prompt);
    if (JSON.stringify(prompt).includes(SUMMARY_REQUEST.slice(0, 40)))
      return says('I looked.', { inputTokens });
    turn += 1;
    if (turn > turns) return says('Done.', { inputTokens });
    return reply([{ type: 'text', text: said }, call(`c${turn}`, 'look', {})], { inputTokens });
  };
  const model = createFakeModel(Array.from({ length: turns * 2 + 1 }, () => answer));
  const outcome = await runAgent(
    {
      model: opened(model, { windowTokens: WINDOW_TOKENS }),
      fallbacks: [],
      retry: { maxRetries: 0, backoff: 'fixed', initialDelayMs: 1, maxDelayMs: 1 },
      system,
      ...(memory === undefined ? {} : { memory }),
      message: 'Go.',
      params: { temperature: undefined, maxTokens: 0, responseFormat: undefined },
      tools: [look],
      parallel: true,
      maxTurns: 50,
      budget: new Budget({ maxTokens: 0, maxCostUsd: 0 }),
      form: undefined,
    },
    {
      clock: createFakeClock(),
      reporter: { event: () => undefined, warn: () => undefined },
      signal: new AbortController().signal,
      leftMs: () => Number.POSITIVE_INFINITY,
      keepSummary: async (summary) => void kept.push(summary),
    },
  );
  const last = JSON.stringify(model.asked.at(-1)?.prompt);
  return { outcome, kept, isShortened: last.includes('left out to save room') };
}

describe('a long conversation', () => {
  it.each([
    ['a short one is left whole, since memory has its own room', 3, MEMORY, false],
    ['a longer one is shortened', 5, MEMORY, true],
  ])('behind much memory: %s', async (_, turns, memory, isShortened) => {
    const talked = await talk({ turns, memory });
    expect(talked.outcome).toMatchObject({ kind: 'completed', answer: 'Done.' });
    expect(talked.isShortened).toBe(isShortened);
  });

  it('has its summary kept by whoever wants it', async () => {
    const { outcome, kept } = await talk({ turns: 8, said: 's'.repeat(4000), system: 'Look.' });
    expect(outcome).toMatchObject({ kind: 'completed', answer: 'Done.' });
    expect(kept[0]?.text).toBe('I looked.');
    expect(kept[0]?.messages).toBeGreaterThan(1);
  });
});
