import { Budget } from '../../src/loop/budget.js';
import type { LoopDependencies } from '../../src/loop/events.js';
import type { LanguageModel } from '../../src/loop/messages.js';
import { type Conversation, runAgent } from '../../src/loop/run-agent.js';
import type { Tool } from '../../src/tools/tool.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

const slow: Tool = {
  name: 'slow',
  effect: 'read',
  description: 'slow',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  execute: (input) =>
    new Promise((resolve) => {
      setImmediate(() => resolve({ text: `slow ${JSON.stringify(input)}`, isError: false }));
    }),
};
const fast: Tool = {
  ...slow,
  name: 'fast',
  description: 'fast',
  execute: async (input) => ({ text: `fast ${JSON.stringify(input)}`, isError: false }),
};

/** A run of the loop with a model and two tools, `slow` and `fast`. */
export async function converse(model: LanguageModel, patch: Partial<Conversation> = {}) {
  const conversation: Conversation = {
    model: { ref: 'provider/model', model, price: undefined, windowTokens: undefined },
    fallbacks: [],
    retry: { maxRetries: 0, backoff: 'fixed', initialDelayMs: 0, maxDelayMs: 0 },
    prompt: { system: 'Be brief.', message: 'Say hi.' },
    params: { temperature: undefined, maxTokens: 0, responseFormat: undefined },
    tools: [slow, fast],
    parallel: true,
    maxTurns: 5,
    budget: new Budget({ maxTokens: 0, maxCostUsd: 0 }),
    form: undefined,
    ...patch,
  };
  const deps: LoopDependencies = {
    clock: createFakeClock(),
    reporter: { event: () => {}, warn: () => {} },
    signal: new AbortController().signal,
    leftMs: () => 60_000,
  };
  return await runAgent(conversation, deps);
}
