import type { LanguageModelV4CallOptions, LanguageModelV4Message } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import type { ModelParams } from '../../src/agent/config.js';
import type { Effort } from '../../src/agent/keys.js';
import { modelSettings } from '../../src/loop/asker.js';
import { Usage } from '../../src/loop/reply.js';
import { isStrictSchema } from '../../src/model/model-options.js';
import { type ModelServer, text } from '../helpers/model-server.js';
import { question } from './contract.js';
import { always, completion, playModel } from './open-model.js';

const TOOLS: LanguageModelV4CallOptions['tools'] = [
  { type: 'function', name: 'read_file', description: 'Reads', inputSchema: { type: 'object' } },
];

/** What one request with these parameters holds, and what the reply is accompanied by. */
async function ask(
  ref: string,
  params: Partial<ModelParams>,
  patch: Partial<LanguageModelV4CallOptions> = {},
) {
  const { server, model } = await playModel(ref, [text('Hi')]);
  const reply = await model.doGenerate(question({ ...modelSettings(params), ...patch }));
  return { body: server.requests()[0]?.body, warnings: reply.warnings };
}

const OUTPUT_HIGH = { output_config: { effort: 'high' } };

describe('the effort that a model is asked for', () => {
  it.each<[string, Effort, object]>([
    ['anthropic/claude-sonnet-5-5', 'medium', { output_config: { effort: 'medium' } }],
    ['anthropic/claude-opus-4-6', 'xhigh', OUTPUT_HIGH],
    ['anthropic/claude-haiku-4-5', 'low', { thinking: { type: 'enabled', budget_tokens: 6400 } }],
    ['openai/gpt-6.1-sol', 'max', { reasoning: { effort: 'max' } }],
    ['openai/gpt-5.1', 'xhigh', { reasoning_effort: 'high' }],
    [
      'google/gemini-3.1-pro',
      'max',
      { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } },
    ],
    ['ollama/qwen3', 'max', { reasoning_effort: 'high' }],
    ['openrouter/z-ai/glm-5', 'xhigh', { reasoning_effort: 'xhigh' }],
    ['openrouter/deepseek/deepseek-v4-pro', 'medium', { reasoning_effort: 'high' }],
    [
      'bedrock/us.anthropic.claude-opus-4-7',
      'xhigh',
      { additionalModelRequestFields: OUTPUT_HIGH },
    ],
  ])('%s, %s', async (ref, effort, part) => {
    const { body, warnings } = await ask(ref, { effort });
    expect(body).toMatchObject(part);
    const isTaken = JSON.stringify(part).includes(`"${effort}"`) || ref.includes('haiku');
    expect(warnings.map((warning) => 'feature' in warning && warning.feature)).toEqual(
      isTaken ? [] : ['effort'],
    );
  });

  it.each(['openai/gpt-4.1', 'minimax/MiniMax-M3'])(
    '%s cannot be asked for one, and says so',
    async (ref) => {
      const { body, warnings } = await ask(ref, { effort: 'low' });
      expect(JSON.stringify(body)).not.toMatch(/effort|thinking/);
      const details = 'this model has no setting for effort, so `effort` is ignored';
      expect(warnings).toEqual([{ type: 'compatibility', feature: 'effort', details }]);
    },
  );

  it('asks OpenAI for no summary of the thoughts, which needs a verified organisation', async () => {
    const { body } = await ask('openai/gpt-6.1-sol', { effort: 'low' });
    expect(body).toMatchObject({ reasoning: { effort: 'low' } });
    expect(JSON.stringify(body)).not.toContain('summary');
  });

  it('changes nothing where none is asked for', async () => {
    expect((await ask('openai/gpt-5.1', {})).body).not.toHaveProperty('reasoning_effort');
    expect((await ask('anthropic/claude-sonnet-5-5', {})).body).not.toHaveProperty('output_config');
  });
});

describe('raw options', () => {
  const tables = {
    openai: { serviceTier: 'flex', user: 'octo' },
    anthropic: { inferenceGeo: 'us' },
    compatible: { provider: { order: ['a'] } },
  };

  it.each([
    ['openai/gpt-4.1', { user: 'octo' }],
    ['openai/gpt-6.1-sol', { user: 'octo', service_tier: 'flex', store: false }],
    ['azure/reviewer', { user: 'octo' }],
    ['anthropic/claude-sonnet-5-5', { inference_geo: 'us' }],
    ['openrouter/z-ai/glm-5', { provider: { order: ['a'] } }],
    ['litellm/any', { provider: { order: ['a'] } }],
  ])('reach %s, and no other', async (ref, part) => {
    const { body } = await ask(ref, { tables });
    expect(body).toMatchObject(part);
    for (const word of ['octo', 'inference_geo', '"order"'])
      expect(JSON.stringify(body).includes(word)).toBe(JSON.stringify(part).includes(word));
  });

  it('cannot switch off what is ours to say', async () => {
    const { body } = await ask('openai/gpt-6.1-sol', { tables: { openai: { store: true } } });
    expect(body).toMatchObject({ store: false });
  });
});

it("OpenAI's cache has one key for an agent and its instructions, whatever the part of a review", async () => {
  const keyOf = async (system: string, user: string) => {
    const prompt: LanguageModelV4Message[] = [
      { role: 'system', content: system },
      { role: 'user', content: [{ type: 'text', text: user }] },
    ];
    const { body } = await ask('openai/gpt-6.1-sol', {}, { tools: TOOLS, prompt });
    return (body as { readonly prompt_cache_key?: string }).prompt_cache_key;
  };
  const key = await keyOf('Review.', 'part 1');
  expect(key).toMatch(/^[0-9a-f]{32}$/);
  expect(await keyOf('Review.', 'part 2')).toBe(key);
  expect(await keyOf('Verify.', 'part 1')).not.toBe(key);
});

const REFUSAL = {
  kind: 'raw' as const,
  status: 400,
  body: {
    error: {
      message:
        "Function tools with reasoning_effort are not supported for gpt-6.1-sol in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
      type: 'invalid_request_error',
      param: 'reasoning_effort',
      code: null,
    },
  },
};

describe('the form in which a deployment or a gateway is asked', () => {
  const pathsOf = (server: ModelServer) =>
    server.requests().map(({ path }) => path.replace(/^.*\/v1/, ''));

  it.each(['azure/reviewer', 'litellm/gpt-6.1-sol', 'litellm/team/reviewer', 'openai/gpt-5.5'])(
    'is the other one from the refusal of tools on, asked once only: %s',
    async (ref) => {
      const { server, model } = await playModel(ref, [REFUSAL, text('Hi'), REFUSAL]);
      await model.doGenerate(question({ tools: TOOLS }));
      await expect(model.doGenerate(question({ tools: TOOLS }))).rejects.toThrow(/Function tools/);
      expect(pathsOf(server)).toEqual(['/chat/completions', '/responses', '/responses']);
      expect(server.requests()[1]?.body).toMatchObject({
        store: false,
        include: ['reasoning.encrypted_content'],
        tools: [{ name: 'read_file' }],
      });
    },
  );

  it('is the other one for all that are refused at the same time', async () => {
    const replies = [REFUSAL, REFUSAL, REFUSAL, text('Hi'), text('Hi'), text('Hi')];
    const { server, model } = await playModel('litellm/team/reviewer', replies);
    await Promise.all([1, 2, 3].map(() => model.doGenerate(question({ tools: TOOLS }))));
    const [chat, again] = ['/chat/completions', '/responses'];
    expect(pathsOf(server).toSorted()).toEqual([chat, chat, chat, again, again, again]);
  });

  it('stays for another refusal', async () => {
    const body = { error: { message: 'max_tokens is too large' } };
    const { server, model } = await playModel('azure/reviewer', [
      { kind: 'raw', status: 400, body },
    ]);
    await expect(model.doGenerate(question())).rejects.toThrow(/too large/);
    expect(server.requests()).toHaveLength(1);
  });

  it.each([
    ['azure/reviewer', 'responses', '/responses'],
    ['litellm/any', 'responses', '/responses'],
    ['openai/gpt-6.1-sol', 'chat', '/chat/completions'],
    ['azure/gpt-5.6-sol', 'chat', '/chat/completions'],
  ] as const)('is what the agent says: %s, %s', async (ref, api, path) => {
    const { server, model } = await playModel(ref, [text('Hi')], api);
    await model.doGenerate(question());
    expect(pathsOf(server)).toEqual([path]);
  });
});

it.each([
  [{ cost: 0.0123 }, 0.0123],
  [{ cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.25 } }, 0.26],
  [{ cost: 'none' }, undefined],
])('the cost of a reply is what OpenRouter says: %j', async (cost, costUsd) => {
  const body = completion({ content: 'Hi' });
  const usage = { ...body.usage, ...cost };
  const { model } = await playModel('openrouter/z-ai/glm-5', always({ ...body, usage }));
  const reply = await model.doGenerate(question());
  expect(new Usage('m').add(reply, 'm').costUsd).toBe(costUsd);
});

const closed = { additionalProperties: false };
const string = { type: 'string' };

describe('a schema that OpenAI can enforce strictly', () => {
  const a = { type: 'object', properties: { a: string } };
  it.each([
    ['has closed objects with all properties required', true, { ...a, required: ['a'], ...closed }],
    ['has a property that can be left out', false, { ...a, required: [], ...closed }],
    ['does not say what is required', false, { ...a, ...closed }],
    ['has an open object', false, { ...a, required: ['a'] }],
    ['is a free map', false, { type: 'object', additionalProperties: string }],
    ['has an open object in a list', false, { type: 'array', items: { type: 'object' } }],
    ['has an open object among others', false, { anyOf: [string, { properties: { a: string } }] }],
    [
      'has an open object in a definition',
      false,
      { $defs: { a: { type: 'object' } }, type: 'string' },
    ],
    [
      'has data that looks like a schema',
      true,
      { enum: [{ type: 'object' }], default: { type: 'object' } },
    ],
    ['has no objects', true, { type: 'array', items: string }],
  ])('%s: %s', (_, isStrict, schema) => {
    expect(isStrictSchema(schema)).toBe(isStrict);
  });
});

describe('marks for the prompt cache', () => {
  const marksFor = async (ref: string, patch: Partial<LanguageModelV4CallOptions>) => {
    const { body } = await ask(ref, {}, patch);
    return JSON.stringify(body).match(/cache_control|cachePoint/g)?.length ?? 0;
  };

  it('never exceed Anthropic’s limit, however long the conversation', async () => {
    const named = { toolCallId: '1', toolName: 'read_file' };
    const output = { type: 'text', value: 'x' } as const;
    const turn = (): LanguageModelV4Message[] => [
      { role: 'assistant', content: [{ type: 'tool-call', ...named, input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', ...named, output }] },
    ];
    const prompt = [...question().prompt, ...Array.from({ length: 40 }, turn).flat()];
    expect(await marksFor('anthropic/claude-sonnet-5', { prompt, tools: TOOLS })).toBe(3);
  });

  it.each([
    ['openai/gpt-5', TOOLS],
    ['openrouter/openai/gpt-5', TOOLS],
    ['google/gemini-3.5-flash', TOOLS],
    ['bedrock/amazon.nova-pro-v1:0', TOOLS],
    ['bedrock/anthropic.claude-3-haiku-20240307-v1:0', TOOLS],
    ['anthropic/claude-sonnet-5', []],
    ['anthropic/claude-sonnet-5', undefined],
  ])(
    'are not sent to %s, nor for an agent without tools, which sends one request',
    async (ref, tools) => {
      expect(await marksFor(ref, { tools })).toBe(0);
    },
  );
});
