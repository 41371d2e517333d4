import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { parseModelRef } from '../../src/agent/model-ref.js';
import { findProvider, protocolOf } from '../../src/model/catalog.js';
import { withCachePoints } from '../../src/model/model-options.js';

const TOOLS: LanguageModelV4CallOptions['tools'] = [
  { type: 'function', name: 'read_file', inputSchema: { type: 'object' } },
];
const SYSTEM: LanguageModelV4Message = { role: 'system', content: 'Be brief.' };
const USER: LanguageModelV4Message = { role: 'user', content: [{ type: 'text', text: 'Look.' }] };
const CALL: LanguageModelV4Message = {
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: '1', toolName: 'read_file', input: {} }],
};
const RESULT: Extract<LanguageModelV4Message, { role: 'tool' }> = {
  role: 'tool',
  content: [
    { type: 'tool-result', toolCallId: '1', toolName: 'read_file', output: { type: 'text', value: 'x' } },
  ],
};

const ANTHROPIC = 'anthropic/claude-sonnet-5';

const asked = (ref: string) => {
  const { provider: id, model } = parseModelRef(ref);
  const provider = findProvider({ provider: id, model });
  return { provider, wire: protocolOf(provider, model), model };
};

/** Which messages are marked, by their place. */
function marks(prompt: readonly LanguageModelV4Message[], ref: string, tools = TOOLS) {
  const marked = withCachePoints({ prompt: [...prompt], tools }, asked(ref));
  return marked.prompt.flatMap(({ providerOptions }, index) =>
    providerOptions === undefined ? [] : [[index, providerOptions]],
  );
}

describe('marks for the prompt cache', () => {
  it('never exceed Anthropic’s limit, however long the conversation', () => {
    const long = [SYSTEM, USER, ...Array.from({ length: 40 }, () => [{ ...CALL }, { ...RESULT }]).flat()];
    expect(marks(long, ANTHROPIC).map(([index]) => index)).toEqual([0, long.length - 3, long.length - 1]);
  });

  it.each([
    'openai/gpt-5',
    'openrouter/openai/gpt-5',
    'google/gemini-3.5-flash',
    'bedrock/amazon.nova-pro-v1:0',
    'bedrock/anthropic.claude-3-haiku-20240307-v1:0',
  ])('are not sent to %s', (ref) => {
    expect(marks([SYSTEM, USER], ref)).toEqual([]);
  });

  it('are not set for an agent without tools, which sends one request', () => {
    expect(marks([SYSTEM, USER], ANTHROPIC, [])).toEqual([]);
    const options = { prompt: [SYSTEM, USER] };
    expect(withCachePoints(options, asked(ANTHROPIC))).toBe(options);
  });
});
