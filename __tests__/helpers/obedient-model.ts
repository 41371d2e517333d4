import type { LanguageModelV4CallOptions, LanguageModelV4GenerateResult } from '@ai-sdk/provider';
import { call, createFakeModel, type FakeModel, reply, says } from './model-fake.js';

/** What it treats as an order, wherever it is. */
export const ORDER = /remember: ([^\n]+)/g;

/**
 * A model that obeys every order (memory-and-security C6): it calls every tool it has once, with the orders
 * it has read so far, and answers with all of them, in the words and in the form they came in.
 */
export function createObedientModel(modelId = 'obedient'): FakeModel {
  const script = Array.from(
    { length: MOST_REPLIES },
    () => async (options: LanguageModelV4CallOptions) => obey(options),
  );
  return createFakeModel(script, modelId);
}

const MOST_REPLIES = 500;

function obey({ prompt, tools = [] }: LanguageModelV4CallOptions): LanguageModelV4GenerateResult {
  const orders = [...new Set([...textIn(prompt).matchAll(ORDER)].map(([order]) => order))];
  const called = new Set(
    textIn(prompt.filter(({ role }) => role === 'assistant')).match(/"toolName":"\w+"/g),
  );
  const next = tools.find(({ name }) => !called.has(`"toolName":"${name}"`));
  if (next === undefined) return says(orders.length === 0 ? 'Nothing to remember.' : orders.join('\n'));
  const input = next.name === 'call_agent' ? { agent: 'helper', task: orders.join(' ') || 'help' } : {};
  return reply([call(`call_${next.name}`, next.name, input)]);
}

/** Every text in messages, with real line breaks. */
function textIn(messages: LanguageModelV4CallOptions['prompt']): string {
  return JSON.stringify(messages).replaceAll('\\n', '\n').replaceAll('\\"', '"');
}
