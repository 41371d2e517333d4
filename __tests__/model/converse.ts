import type { LanguageModel } from '../../src/loop/messages.js';
import { type Conversation, runAgent } from '../../src/loop/run-agent.js';
import type { Tool } from '../../src/tools/tool.js';
import { conversationOf, loopDeps } from '../loop/scene.js';

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
  const opened = { ref: 'provider/model', model, price: undefined, windowTokens: undefined };
  const prompt = { system: 'Be brief.', message: 'Say hi.' };
  const usual = { prompt, tools: [slow, fast], maxTurns: 5 };
  return await runAgent(conversationOf(opened, { ...usual, ...patch }), loopDeps().deps);
}
