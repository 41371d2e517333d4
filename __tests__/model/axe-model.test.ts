import { describe, expect, it } from '@jest/globals';
import { type ModelScript, startModelServer, text } from '../helpers/model-server.js';
import { question } from './contract.js';
import { converse } from './converse.js';
import {
  always,
  claude,
  completion,
  converseReply,
  gemini,
  openAt,
  openModel,
  outputText,
  playModel,
  response,
} from './open-model.js';

/** The bodies of a conversation: a reply with a tool call, and then a last one. */
async function twoTurns(ref: string, first: unknown, last: unknown): Promise<readonly unknown[]> {
  const bodies = [first, last].map((body) => ({ kind: 'raw' as const, status: 200, body }));
  const { server, model } = await playModel(ref, bodies);
  const outcome = await converse(model);
  expect(outcome).toMatchObject({
    kind: 'completed',
    answer: 'Done',
    stats: { turns: 2, toolCalls: 1 },
  });
  return server.requests().map(({ body }) => body);
}

/** What a model is sent for one question, which a script or a body answers. */
async function sentFor(
  ref: string,
  script: ModelScript,
  patch: Parameters<typeof question>[0] = {},
) {
  const { server, model } = await playModel(ref, script);
  const reply = await model.doGenerate(question(patch));
  return { body: server.requests()[0]?.body, reply };
}

const TOOL_CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'fast', arguments: '{"path":"a"}' },
};

describe('reasoning is preserved in the tool loop', () => {
  it.each(['google', 'vertex'])('with the signatures of Gemini: %s', async (provider) => {
    const parts = [
      { text: 'I need the file.', thought: true },
      { functionCall: { name: 'fast', args: { path: 'a' } }, thoughtSignature: 'c2lnbmVk' },
    ];
    const last = gemini('STOP', [{ text: 'Done' }]);
    const [, second] = await twoTurns(`${provider}/gemini-3.5-flash`, gemini('STOP', parts), last);
    expect(second).toMatchObject({
      contents: [
        { role: 'user' },
        { role: 'model', parts },
        { role: 'user', parts: [{ functionResponse: { name: 'fast' } }] },
      ],
    });
  });

  it('with the signatures of Claude on Bedrock', async () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'I need the file.', signature: 'c2lnbmVk' } } },
      { toolUse: { toolUseId: 'tooluse_1', name: 'fast', input: { path: 'a' } } },
    ];
    const [, second] = await twoTurns(
      'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      converseReply('tool_use', content),
      converseReply('end_turn', [{ text: 'Done' }]),
    );
    expect(second).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant', content },
        { role: 'user', content: [{ toolResult: { toolUseId: 'tooluse_1' } }, { cachePoint: {} }] },
      ],
    });
  });

  it.each(['openai/gpt-6-sol', 'opencode/gpt-6-sol'])(
    'encrypted, and with nothing kept at OpenAI: %s',
    async (ref) => {
      const reasoning = {
        type: 'reasoning',
        id: 'rs_1',
        summary: [],
        encrypted_content: 'ZW5jcnlwdGVk',
      };
      const named = { name: 'fast', arguments: '{"path":"a"}', status: 'completed' };
      const call = { type: 'function_call', id: 'fc_1', call_id: 'call_1', ...named };
      const last = response([outputText('Done')]);
      const [first, second] = await twoTurns(ref, response([reasoning, call]), last);
      expect(first).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
      expect(second).toMatchObject({
        store: false,
        input: expect.arrayContaining([
          expect.objectContaining({ type: 'reasoning', encrypted_content: 'ZW5jcnlwdGVk' }),
          expect.objectContaining({ type: 'function_call', call_id: 'call_1', name: 'fast' }),
          expect.objectContaining({ type: 'function_call_output', call_id: 'call_1' }),
        ]),
      });
    },
  );

  it('with all that OpenRouter gave', async () => {
    const format = 'anthropic-claude-v1';
    const details = [
      { type: 'reasoning.text', text: 'I need the file.', signature: 'c2lnbmVk', format },
      { type: 'reasoning.encrypted', data: 'aGlkZGVu', id: 'call_1' },
    ];
    const said = { content: null, reasoning: 'I need the file.', reasoning_details: details };
    const [, second] = await twoTurns(
      'openrouter/anthropic/claude-sonnet-5',
      completion({ ...said, tool_calls: [TOOL_CALL] }, 'tool_calls'),
      completion({ content: 'Done' }),
    );
    const { messages } = second as { readonly messages: readonly unknown[] };
    const sent = { role: 'assistant', reasoning_details: details, tool_calls: [TOOL_CALL] };
    expect(messages[2]).toMatchObject(sent);
    expect(messages[2]).not.toHaveProperty('reasoning_content');
  });

  it('as text with an OpenAI-compatible endpoint', async () => {
    const said = { content: null, reasoning_content: 'I need the file.', tool_calls: [TOOL_CALL] };
    const last = completion({ content: 'Done' });
    const [, second] = await twoTurns('deepseek/deepseek-x', completion(said, 'tool_calls'), last);
    expect(second).toMatchObject({
      messages: [
        { role: 'system' },
        { role: 'user' },
        { role: 'assistant', reasoning_content: 'I need the file.' },
        { role: 'tool', tool_call_id: 'call_1' },
      ],
    });
  });

  it.each(['ollama/m', 'deepseek/deepseek-x', 'openai/gpt-4o', 'openrouter/a/b'])(
    'as the leading block of a text, which is not part of the answer of %s',
    async (ref) => {
      const content = '<think>\nI need the file.\n</think>\n\nI look.';
      const first = completion({ content, tool_calls: [TOOL_CALL] }, 'tool_calls');
      const [, second] = await twoTurns(
        ref,
        first,
        completion({ content: '<think>Well.</think>\nDone' }),
      );
      expect(second).toMatchObject({
        messages: [
          {},
          {},
          { role: 'assistant', content, tool_calls: [TOOL_CALL] },
          { role: 'tool' },
        ],
      });
    },
  );
});

describe('a request to a model', () => {
  it.each([
    ['openai/gpt-5', { max_completion_tokens: 77 }, 'max_tokens'],
    ['openai/o3', { max_completion_tokens: 77 }, 'max_tokens'],
    ['openai/gpt-4o', { max_tokens: 77 }, 'max_completion_tokens'],
    ['openai/gpt-6-sol', { max_output_tokens: 77 }, 'max_tokens'],
  ])('limits %s with the right parameter', async (ref, sent, not) => {
    const said = ref.endsWith('sol') ? response([outputText('Hi')]) : completion({ content: 'Hi' });
    const { body } = await sentFor(ref, always(said), { maxOutputTokens: 77 });
    expect(body).toMatchObject(sent);
    expect(body).not.toHaveProperty(not);
  });

  it.each([
    ['claude-sonnet-5-5', undefined, 128_000],
    ['claude-sonnet-4-6', undefined, 4096],
    ['claude-sonnet-4-6', 'high', 128_000],
    ['claude-next', undefined, 64_000],
  ] as const)(
    'limits anthropic/%s, asked to think %s, to %i tokens',
    async (name, reasoning, expected) => {
      const { body, reply } = await sentFor(`anthropic/${name}`, [text('Hi')], { reasoning });
      expect(body).toMatchObject({ max_tokens: expected });
      expect(reply.warnings).toEqual([]);
    },
  );

  it.each([
    { GOOGLE_API_KEY: ' google-key\n' },
    { GOOGLE_API_KEY: '', GOOGLE_GENERATIVE_AI_API_KEY: 'google-key' },
  ])("has Google's key in a header and never in the address: %j", async (env) => {
    const server = await startModelServer([text('Hi')]);
    await (await openAt(server, 'google/gemini-2.5-flash', env)).doGenerate(question());
    const [request] = server.requests();
    expect(request?.headers['x-goog-api-key']).toBe('google-key');
    expect([...(request?.query ?? [])]).toEqual([['alt', 'sse']]);
  });

  it.each([
    ['opencode/claude-sonnet-5', '/v1/messages', 'x-api-key', 'k'],
    ['opencode/gpt-5', '/v1/responses', 'authorization', 'Bearer k'],
    [
      'opencode/gemini-3.5-flash',
      '/v1/models/gemini-3.5-flash:streamGenerateContent',
      'x-goog-api-key',
      'k',
    ],
    ['opencode/kimi-k3', '/v1/chat/completions', 'authorization', 'Bearer k'],
    ['minimax/MiniMax-M2', '/v1/messages', 'x-api-key', 'k'],
    ['openrouter/openai/gpt-5', '/v1/chat/completions', 'authorization', 'Bearer k'],
    ['openai/gpt-5.1-codex', '/v1/responses', 'authorization', 'Bearer k'],
    ['openai/gpt-5.4', '/v1/chat/completions', 'authorization', 'Bearer k'],
    ['azure/gpt-5.6', '/openai/v1/responses', 'api-key', 'k'],
    ['azure/gpt-4o', '/openai/v1/chat/completions', 'api-key', 'k'],
  ])('sends %s to %s', async (ref, path, header, value) => {
    const { server, model } = await playModel(ref, [{ kind: 'raw', status: 418, body: 'teapot' }]);
    await expect(model.doGenerate(question())).rejects.toMatchObject({ status: 418 });
    expect(server.requests()[0]).toMatchObject({ path, headers: { [header]: value } });
  });

  it.each([
    ['openrouter', 'https://openrouter.ai/api/v1/chat/completions'],
    ['minimax', 'https://api.minimax.io/anthropic/v1/messages'],
    ['opencode', 'https://opencode.ai/zen/v1/chat/completions'],
    [
      'gemini',
      'https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse',
    ],
  ])('goes to the real %s if no address is set', async (name, url) => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      asked.push(String(input));
      return new Response('{}', { status: 418 });
    };
    const env = { [`${name.toUpperCase()}_API_KEY`]: 'k' };
    const model = await openModel(`${name === 'gemini' ? 'google' : name}/m`, { env, fetch });
    await expect(model.doGenerate(question())).rejects.toMatchObject({ status: 418 });
    expect(asked).toEqual([url]);
  });

  it('names the workflow to OpenRouter as axe does', async () => {
    const server = await startModelServer([text('Hi')]);
    const referer = 'https://github.com/octocat/hello';
    const [AXE_OPENROUTER_TITLE, AXE_OPENROUTER_CATEGORIES] = ['審査', ' '];
    const env = {
      AXE_OPENROUTER_REFERER: referer,
      AXE_OPENROUTER_TITLE,
      AXE_OPENROUTER_CATEGORIES,
    };
    await (await openAt(server, 'openrouter/openai/gpt-5', env)).doGenerate(question());
    const headers = server.requests()[0]?.headers ?? {};
    expect(headers['http-referer']).toBe(referer);
    for (const name of ['title', 'categories'])
      expect(headers).not.toHaveProperty(`x-openrouter-${name}`);
  });

  it.each(['openai/gpt-4o', 'deepseek/x'])(
    'enforces a schema only if OpenAI can: %s',
    async (ref) => {
      const schema = { type: 'object', properties: { a: { type: 'string' } } } as const;
      const { body } = await sentFor(ref, [text('{}')], {
        responseFormat: { type: 'json', schema },
      });
      expect(body).toMatchObject({ response_format: { json_schema: { schema, strict: false } } });
    },
  );
});

describe('prompt caching on the wire', () => {
  const ephemeral = { cache_control: { type: 'ephemeral' } };

  it('marks what Claude reads again in the next turn, and never moves the text before it', async () => {
    const bodies = await twoTurns(
      'anthropic/claude-sonnet-4-5',
      claude('tool_use', [{ type: 'tool_use', id: 'toolu_1', name: 'fast', input: {} }]),
      claude('end_turn', [{ type: 'text', text: 'Done' }]),
    );
    const system = [{ text: 'Be brief.', ...ephemeral }];
    const user = { role: 'user', content: [{ text: 'Say hi.', ...ephemeral }] };
    const result = { role: 'user', content: [{ type: 'tool_result', ...ephemeral }] };
    expect(bodies[0]).toMatchObject({ system, messages: [user] });
    expect(bodies[1]).toMatchObject({ system, messages: [user, { role: 'assistant' }, result] });
    const [first, second] = bodies as readonly {
      readonly tools: unknown;
      readonly system: unknown;
    }[];
    expect([second?.tools, second?.system]).toEqual([first?.tools, first?.system]);
  });

  it('is requested from OpenRouter for Claude', async () => {
    const [first] = await twoTurns(
      'openrouter/anthropic/claude-sonnet-5',
      completion({ content: null, tool_calls: [TOOL_CALL] }, 'tool_calls'),
      completion({ content: 'Done' }),
    );
    expect(first).toMatchObject(ephemeral);
  });

  it('is counted in the usage of the reply', async () => {
    const cached = { cache_read_input_tokens: 100, cache_creation_input_tokens: 20 };
    const byClaude = {
      ...claude('end_turn'),
      usage: { input_tokens: 3, ...cached, output_tokens: 5 },
    };
    const body = { ...byClaude, content: [{ type: 'text', text: 'Hi' }] };
    const { reply } = await sentFor('anthropic/claude-sonnet-4-5', always(body));
    expect(reply.usage.inputTokens).toMatchObject({ total: 123, cacheRead: 100, cacheWrite: 20 });
  });
});

it('an answer of Google that was blocked counts as a refusal', async () => {
  const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } };
  const { model } = await playModel('google/gemini-3.5-flash', always(body));
  expect(await converse(model)).toMatchObject({ kind: 'refused' });
});

it('Google Cloud, which forbids structured outputs, is sent no schema apart from the prompt', async () => {
  const responseFormat = {
    type: 'json',
    schema: { type: 'object', additionalProperties: false },
  } as const;
  const said = always(claude('end_turn', [{ type: 'text', text: '{"a":1}' }]));
  const { body, reply } = await sentFor('vertex/claude-sonnet-5-5', said, { responseFormat });
  for (const key of ['output_config', 'tools', 'tool_choice']) expect(body).not.toHaveProperty(key);
  expect(reply.warnings).toEqual([]);
});

it.each([
  [
    'anthropic/claude-sonnet-5-5',
    claude('end_turn', [{ type: 'text', text: 'Hi' }]),
    'functions_fast_0',
  ],
  ['bedrock/m', converseReply('end_turn', [{ text: 'Hi' }]), 'functions_fast_0'],
  ['deepseek/kimi', completion({ content: 'Hi' }), 'functions.fast:0'],
  ['google/gemini-3.5-flash', gemini('STOP', [{ text: 'Hi' }]), 'functions.fast:0'],
])(
  'the calls of another model are sent as %s takes them, without a warning',
  async (ref, said, id) => {
    const named = { toolCallId: 'functions.fast:0', toolName: 'fast' };
    const output = { type: 'text', value: 'x' } as const;
    const { body, reply } = await sentFor(ref, always(said), {
      tools: [{ type: 'function', name: 'fast', inputSchema: { type: 'object' } }],
      prompt: [
        ...question().prompt,
        { role: 'assistant', content: [{ type: 'tool-call', ...named, input: {} }] },
        { role: 'tool', content: [{ type: 'tool-result', ...named, output }] },
      ],
    });
    expect(JSON.stringify(body).match(/functions.fast.0/g)).toEqual([id, id]);
    expect(reply.warnings).toEqual([]);
  },
);

it('the choice of a tool that a package makes for JSON is nobody’s setting, so nobody is warned of it', async () => {
  const responseFormat = { type: 'json', schema: { type: 'object' } } as const;
  const { reply } = await sentFor('anthropic/claude-sonnet-5-5', [text('{"a":1}')], {
    responseFormat,
  });
  expect(reply.warnings).toEqual([]);
});
