import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { createModels } from '../../src/model/create.js';
import { type ModelServer, startModelServer, text } from '../helpers/model-server.js';
import { realmFetch } from '../helpers/realm-fetch.js';
import { question } from './contract.js';
import { converse } from './converse.js';
import { routedFetch } from './routed-fetch.js';

/** Settings that lead every provider to one server. */
function envOf({ url }: ModelServer): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_API_KEY: 'k',
    AXE_ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: 'k',
    AXE_OPENAI_BASE_URL: url,
    GEMINI_API_KEY: 'k',
    AXE_GOOGLE_BASE_URL: url,
    OPENROUTER_API_KEY: 'k',
    AXE_OPENROUTER_BASE_URL: `${url}/api/v1`,
    OPENCODE_API_KEY: 'k',
    AXE_OPENCODE_BASE_URL: url,
    MINIMAX_API_KEY: 'k',
    AXE_MINIMAX_BASE_URL: `${url}/anthropic`,
    DEEPSEEK_API_KEY: 'k',
    AXE_DEEPSEEK_BASE_URL: url,
    AWS_BEARER_TOKEN_BEDROCK: 'k',
    AWS_REGION: 'us-east-1',
    AXE_BEDROCK_BASE_URL: url,
    CLOUDSDK_AUTH_ACCESS_TOKEN: 'k',
    GOOGLE_CLOUD_PROJECT: 'octo-project',
    AXE_VERTEX_BASE_URL: url,
  };
}

async function open(ref: string, server: ModelServer, env: Readonly<Record<string, string>> = {}) {
  const [provider = '', ...rest] = ref.split('/');
  const models = createModels({
    env: { ...envOf(server), ...env },
    loadConfig: async () => ({}),
    fetch: realmFetch,
  });
  return await models.open({ provider, model: rest.join('/') });
}

/** The bodies of a conversation: a reply with a tool call, and then a last one. */
async function twoTurns(ref: string, first: unknown, last: unknown): Promise<readonly unknown[]> {
  const server = await startModelServer([
    { kind: 'raw', status: 200, body: first },
    { kind: 'raw', status: 200, body: last },
  ]);
  const outcome = await converse(await open(ref, server));
  expect(outcome).toMatchObject({ kind: 'completed', answer: 'Done', stats: { turns: 2, toolCalls: 1 } });
  return server.requests().map(({ body }) => body);
}

function completion(message: object, finish = 'stop') {
  return {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 },
  };
}

function response(output: readonly object[]) {
  return {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'gpt-6-sol',
    output,
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 60 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 3 },
    },
  };
}

const OUTPUT_TEXT = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Done', annotations: [] }],
};
const TOOL_CALL = { id: 'call_1', type: 'function', function: { name: 'fast', arguments: '{"path":"a"}' } };

describe('reasoning is preserved in the tool loop', () => {
  it.each(['google', 'vertex'])('with the signatures of Gemini: %s', async (provider) => {
    const parts = [
      { text: 'I need the file.', thought: true },
      { functionCall: { name: 'fast', args: { path: 'a' } }, thoughtSignature: 'c2lnbmVk' },
    ];
    const [, second] = await twoTurns(
      `${provider}/gemini-3.5-flash`,
      { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] },
      { candidates: [{ content: { role: 'model', parts: [{ text: 'Done' }] }, finishReason: 'STOP' }] },
    );
    expect(second).toMatchObject({
      contents: [
        { role: 'user' },
        { role: 'model', parts },
        { role: 'user', parts: [{ functionResponse: { name: 'fast' } }] },
      ],
    });
  });

  it('with the signatures of Claude on Bedrock', async () => {
    const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 };
    const content = [
      { reasoningContent: { reasoningText: { text: 'I need the file.', signature: 'c2lnbmVk' } } },
      { toolUse: { toolUseId: 'tooluse_1', name: 'fast', input: { path: 'a' } } },
    ];
    const [, second] = await twoTurns(
      'bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      { output: { message: { role: 'assistant', content } }, stopReason: 'tool_use', usage },
      {
        output: { message: { role: 'assistant', content: [{ text: 'Done' }] } },
        stopReason: 'end_turn',
        usage,
      },
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
      const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'ZW5jcnlwdGVk' };
      const call = {
        type: 'function_call',
        id: 'fc_1',
        call_id: 'call_1',
        name: 'fast',
        arguments: '{"path":"a"}',
        status: 'completed',
      };
      const [first, second] = await twoTurns(ref, response([reasoning, call]), response([OUTPUT_TEXT]));
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
    const details = [
      {
        type: 'reasoning.text',
        text: 'I need the file.',
        signature: 'c2lnbmVk',
        format: 'anthropic-claude-v1',
      },
      { type: 'reasoning.encrypted', data: 'aGlkZGVu', id: 'call_1' },
    ];
    const [, second] = await twoTurns(
      'openrouter/anthropic/claude-sonnet-5',
      completion(
        {
          content: null,
          reasoning: 'I need the file.',
          reasoning_details: details,
          tool_calls: [TOOL_CALL],
        },
        'tool_calls',
      ),
      completion({ content: 'Done' }),
    );
    const { messages } = second as { readonly messages: readonly unknown[] };
    expect(messages[2]).toMatchObject({
      role: 'assistant',
      reasoning_details: details,
      tool_calls: [TOOL_CALL],
    });
    expect(messages[2]).not.toHaveProperty('reasoning_content');
  });

  it('as text with an OpenAI-compatible endpoint', async () => {
    const [, second] = await twoTurns(
      'deepseek/deepseek-x',
      completion(
        { content: null, reasoning_content: 'I need the file.', tool_calls: [TOOL_CALL] },
        'tool_calls',
      ),
      completion({ content: 'Done' }),
    );
    expect(second).toMatchObject({
      messages: [
        { role: 'system' },
        { role: 'user' },
        { role: 'assistant', reasoning_content: 'I need the file.' },
        { role: 'tool', tool_call_id: 'call_1' },
      ],
    });
  });
});

describe('a leading block of reasoning in the text', () => {
  it.each(['ollama/m', 'deepseek/deepseek-x', 'openai/gpt-4o', 'openrouter/a/b'])(
    'is not part of the answer of %s, and is sent back with its turn',
    async (ref) => {
      const content = '<think>\nI need the file.\n</think>\n\nI look.';
      const server = await startModelServer([
        { kind: 'raw', status: 200, body: completion({ content, tool_calls: [TOOL_CALL] }, 'tool_calls') },
        { kind: 'raw', status: 200, body: completion({ content: '<think>Well.</think>\nDone' }) },
      ]);
      const env = { AXE_OLLAMA_BASE_URL: server.url };
      const outcome = await converse(await open(ref, server, env));
      expect(outcome).toMatchObject({ kind: 'completed', answer: 'Done' });
      expect(server.requests()[1]?.body).toMatchObject({
        messages: [{}, {}, { role: 'assistant', content, tool_calls: [TOOL_CALL] }, { role: 'tool' }],
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
    const server = await startModelServer(({ path }) => ({
      kind: 'raw',
      status: 200,
      body: path.endsWith('/responses') ? response([OUTPUT_TEXT]) : completion({ content: 'Hi' }),
    }));
    await (await open(ref, server)).doGenerate(question({ maxOutputTokens: 77 }));
    expect(server.requests()[0]?.body).toMatchObject(sent);
    expect(server.requests()[0]?.body).not.toHaveProperty(not);
  });

  it.each([
    ['claude-sonnet-5-5', undefined, 128_000],
    ['claude-sonnet-4-6', undefined, 4096],
    ['claude-sonnet-4-6', 'high', 64_000],
    ['claude-next', undefined, 4096],
  ] as const)('limits anthropic/%s, asked to think %s, to %i tokens', async (model, reasoning, expected) => {
    const server = await startModelServer([text('Hi')]);
    const asked = question(reasoning === undefined ? {} : { reasoning });
    const { warnings } = await (await open(`anthropic/${model}`, server)).doGenerate(asked);
    expect(server.requests()[0]?.body).toMatchObject({ max_tokens: expected });
    expect(warnings).toEqual([]);
  });

  it.each([
    ['google', 'gemini-2.5-flash', ['GOOGLE_API_KEY']],
    ['google', 'gemini-2.5-flash', ['GOOGLE_GENERATIVE_AI_API_KEY', '']],
  ])("has %s's key in a header and never in the address (%s)", async (provider, model, [variable = '']) => {
    const server = await startModelServer([text('Hi')]);
    const env = { GEMINI_API_KEY: '', [variable]: ' google-key\n' };
    await (await open(`${provider}/${model}`, server, env)).doGenerate(question());
    const [request] = server.requests();
    expect(request?.headers['x-goog-api-key']).toBe('google-key');
    expect([...(request?.query ?? [])]).toEqual([['alt', 'sse']]);
  });

  it.each([
    ['opencode/claude-sonnet-5', '/v1/messages', 'x-api-key', 'k'],
    ['opencode/gpt-5', '/v1/responses', 'authorization', 'Bearer k'],
    ['opencode/gemini-3.5-flash', '/v1/models/gemini-3.5-flash:streamGenerateContent', 'x-goog-api-key', 'k'],
    ['opencode/kimi-k3', '/v1/chat/completions', 'authorization', 'Bearer k'],
    ['minimax/MiniMax-M2', '/anthropic/v1/messages', 'x-api-key', 'k'],
    ['openrouter/openai/gpt-5', '/api/v1/chat/completions', 'authorization', 'Bearer k'],
    ['openai/gpt-5.1-codex', '/v1/responses', 'authorization', 'Bearer k'],
    ['openai/gpt-5.4', '/v1/chat/completions', 'authorization', 'Bearer k'],
    ['openai/gpt-4o', '/v1/chat/completions', 'authorization', 'Bearer k'],
  ])('sends %s to %s', async (ref, path, header, value) => {
    const server = await startModelServer(() => ({ kind: 'raw', status: 418, body: 'teapot' }));
    await expect((await open(ref, server)).doGenerate(question())).rejects.toMatchObject({ status: 418 });
    expect(server.requests()[0]).toMatchObject({ path, headers: { [header]: value } });
  });

  it.each([
    ['openrouter', 'https://openrouter.ai/api/v1/chat/completions'],
    ['minimax', 'https://api.minimax.io/anthropic/v1/messages'],
    ['opencode', 'https://opencode.ai/zen/v1/chat/completions'],
    ['google', 'https://generativelanguage.googleapis.com/v1beta/models/m:generateContent'],
  ])('goes to the real %s if no address is set', async (provider, url) => {
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = (input) => {
      asked.push(String(input));
      return Promise.resolve(new Response('{}', { status: 418 }));
    };
    const env = {
      OPENROUTER_API_KEY: 'k',
      MINIMAX_API_KEY: 'k',
      OPENCODE_API_KEY: 'k',
      GEMINI_API_KEY: 'k',
    };
    const models = createModels({ env, loadConfig: async () => ({}), fetch });
    const model = await models.open({ provider, model: 'm' });
    await expect(model.doGenerate(question())).rejects.toMatchObject({ status: 418 });
    expect(asked).toEqual([url]);
  });

  it('names the workflow to OpenRouter as axe does, and leaves out characters that a header cannot carry', async () => {
    const server = await startModelServer([text('Hi')]);
    const env = {
      AXE_OPENROUTER_BASE_URL: server.url,
      AXE_OPENROUTER_REFERER: 'https://github.com/octocat/hello',
      AXE_OPENROUTER_TITLE: 'line\nbreak',
    };
    await (await open('openrouter/openai/gpt-5', server, env)).doGenerate(question());
    expect(server.requests()[0]?.headers['http-referer']).toBe('https://github.com/octocat/hello');
    expect(server.requests()[0]?.headers).not.toHaveProperty('x-openrouter-title');
  });

  it('enforces a schema only if OpenAI can', async () => {
    const server = await startModelServer([text('{}'), text('{}')]);
    const schema = { type: 'object', properties: { a: { type: 'string' } } } as const;
    for (const ref of ['openai/gpt-4o', 'deepseek/x'])
      await (await open(ref, server)).doGenerate(question({ responseFormat: { type: 'json', schema } }));
    for (const { body } of server.requests())
      expect(body).toMatchObject({ response_format: { json_schema: { schema, strict: false } } });
  });
});

describe('prompt caching on the wire', () => {
  const ephemeral = { cache_control: { type: 'ephemeral' } };
  const anthropic = (content: readonly object[], stop: string) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: {
      input_tokens: 3,
      cache_read_input_tokens: 100,
      cache_creation_input_tokens: 20,
      output_tokens: 5,
    },
  });

  it('marks what Claude reads again in the next turn, and never moves the text before it', async () => {
    const bodies = await twoTurns(
      'anthropic/claude-sonnet-4-5',
      anthropic([{ type: 'tool_use', id: 'toolu_1', name: 'fast', input: {} }], 'tool_use'),
      anthropic([{ type: 'text', text: 'Done' }], 'end_turn'),
    );
    expect(bodies[0]).toMatchObject({
      system: [{ text: 'Be brief.', ...ephemeral }],
      messages: [{ role: 'user', content: [{ text: 'Say hi.', ...ephemeral }] }],
    });
    expect(bodies[1]).toMatchObject({
      system: [{ text: 'Be brief.', ...ephemeral }],
      messages: [
        { role: 'user', content: [{ text: 'Say hi.', ...ephemeral }] },
        { role: 'assistant' },
        { role: 'user', content: [{ type: 'tool_result', ...ephemeral }] },
      ],
    });
    const [first, second] = bodies as readonly { readonly tools: unknown; readonly system: unknown }[];
    expect(second?.tools).toEqual(first?.tools);
    expect(second?.system).toEqual(first?.system);
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
    const server = await startModelServer([
      { kind: 'raw', status: 200, body: anthropic([{ type: 'text', text: 'Hi' }], 'end_turn') },
      { kind: 'raw', status: 200, body: response([OUTPUT_TEXT]) },
    ]);
    const claude = await (await open('anthropic/claude-sonnet-4-5', server)).doGenerate(question());
    expect(claude.usage.inputTokens).toMatchObject({ total: 123, cacheRead: 100, cacheWrite: 20 });
    const gpt = await (await open('openai/gpt-6-sol', server)).doGenerate(question());
    expect(gpt.usage.inputTokens).toMatchObject({ total: 100, cacheRead: 60 });
  });
});

describe('an empty tool result', () => {
  const results = (type: 'text' | 'error-text'): LanguageModelV4CallOptions['prompt'] => [
    ...question().prompt,
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 't1', toolName: 'fast', input: {} }] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 't1', toolName: 'fast', output: { type, value: '' } }],
    },
  ];
  const tools: LanguageModelV4CallOptions['tools'] = [
    { type: 'function', name: 'fast', inputSchema: { type: 'object' } },
  ];

  it('carries no mark for the cache of Anthropic', async () => {
    const server = await startModelServer([text('Hi')]);
    const model = await open('anthropic/claude-sonnet-4-5', server);
    await model.doGenerate(question({ prompt: results('text'), tools }));
    expect(server.requests()[0]?.body).toMatchObject({
      messages: [
        { role: 'user', content: [{ cache_control: { type: 'ephemeral' } }] },
        { role: 'assistant' },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: '' }] },
      ],
    });

    expect(server.requests()[0]?.body).not.toHaveProperty('messages.2.content.0.cache_control');
  });

  it('is a placeholder for Converse, which refuses empty ones', async () => {
    const server = await startModelServer([text('Hi')]);
    const model = await open('bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0', server);
    await model.doGenerate(question({ prompt: results('text'), tools }));
    expect(server.requests()[0]?.body).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'assistant' },
        { role: 'user', content: [{ toolResult: { toolUseId: 't1', content: [{ text: '(empty)' }] } }, {}] },
      ],
    });
  });
});

describe('an answer of Google', () => {
  it('that was blocked counts as a refusal', async () => {
    const body = { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } };
    const server = await startModelServer([{ kind: 'raw', status: 200, body }]);
    expect(await converse(await open('google/gemini-3.5-flash', server))).toMatchObject({ kind: 'refused' });
  });

  it('that refuses the key names where the key is set', async () => {
    const body = { error: { code: 400, message: 'API key not valid. Please pass a valid API key.' } };
    const server = await startModelServer([{ kind: 'raw', status: 400, body }]);
    await expect((await open('google/m', server)).doGenerate(question())).rejects.toMatchObject({
      message: 'bad_request: API key not valid. Please pass a valid API key.',
      remedy: 'Check the key in `GEMINI_API_KEY`.',
    });
  });
});

describe('an error inside of a successful response', () => {
  it('of the Responses interface is reported with its message', async () => {
    const body = { ...response([]), error: { code: 'server_error', message: 'the model fell over' } };
    const server = await startModelServer([{ kind: 'raw', status: 200, body }]);
    await expect((await open('openai/gpt-6-sol', server)).doGenerate(question())).rejects.toMatchObject({
      message: expect.stringContaining('the model fell over'),
    });
  });
});

describe('facts about a model', () => {
  it('are its price and its window', () => {
    const models = createModels({ env: {}, loadConfig: async () => ({}), fetch: routedFetch({}) });
    expect(models.facts({ provider: 'openai', model: 'gpt-4o' })).toMatchObject({
      price: { input: 2.5 },
      windowTokens: 128_000,
    });
    expect(models.facts({ provider: 'groq', model: 'x' })).toEqual({
      price: undefined,
      windowTokens: undefined,
      mayCut: true,
    });
  });
});

it('the choice of a tool that a package makes for JSON is nobody’s setting, so nobody is warned of it', async () => {
  const server = await startModelServer([text('{"a":1}')]);
  const model = await open('anthropic/claude-sonnet-5-5', server);
  const schema = { type: 'object' } as const;
  const { warnings } = await model.doGenerate(question({ responseFormat: { type: 'json', schema } }));
  expect(warnings).toEqual([]);
});
