import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
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

type CachedModel = Parameters<typeof withCachePoints>[1];
const ANTHROPIC: CachedModel = { provider: 'anthropic', wire: 'anthropic', model: 'claude-sonnet-5' };
const BEDROCK: CachedModel = { provider: 'bedrock', wire: 'bedrock', model: '' };

/** Which messages are marked, by their place. */
function marks(prompt: readonly LanguageModelV4Message[], model: CachedModel, tools = TOOLS) {
  const marked = withCachePoints({ prompt: [...prompt], tools }, model);
  return marked.prompt.flatMap(({ providerOptions }, index) =>
    providerOptions === undefined ? [] : [[index, providerOptions]],
  );
}

describe('marks for the prompt cache', () => {
  it('never exceed Anthropic’s limit, however long the conversation', () => {
    const long = [SYSTEM, USER, ...Array.from({ length: 40 }, () => [{ ...CALL }, { ...RESULT }]).flat()];
    expect(marks(long, ANTHROPIC).map(([index]) => index)).toEqual([0, long.length - 3, long.length - 1]);
  });

  it.each<[string, CachedModel]>([
    ['OpenAI', { provider: 'openai', wire: 'openai', model: 'gpt-5' }],
    [
      'another model of OpenRouter',
      { provider: 'openrouter', wire: 'openai-compatible', model: 'openai/gpt-5' },
    ],
    ['Google', { provider: 'google', wire: 'google', model: 'gemini-3.5-flash' }],
    ['another model of Bedrock', { ...BEDROCK, model: 'amazon.nova-pro-v1:0' }],
    ['Claude 3 on Bedrock', { ...BEDROCK, model: 'anthropic.claude-3-haiku-20240307-v1:0' }],
  ])('are not sent to %s', (_, model) => {
    expect(marks([SYSTEM, USER], model)).toEqual([]);
  });

  it('are not set for an agent without tools, which sends one request', () => {
    expect(marks([SYSTEM, USER], ANTHROPIC, [])).toEqual([]);
    const options = { prompt: [SYSTEM, USER] };
    expect(withCachePoints(options, ANTHROPIC)).toBe(options);
  });
});
