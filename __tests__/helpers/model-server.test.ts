import { describe, expect, it } from '@jest/globals';
import { type ModelReply, startModelServer, text, toolCall } from './model-server.js';

const MESSAGE = { role: 'user', content: 'Say hi' };
const WIRES = [
  [
    'Anthropic',
    '/v1/messages',
    { model: 'claude-sonnet-4-5', max_tokens: 9, system: 'Be brief', messages: [MESSAGE] },
    { content: [{ type: 'text', text: 'Hi' }], usage: { input_tokens: 11, output_tokens: 7 } },
    {
      content: [{ type: 'tool_use', name: 'read_file', input: { path: 'a' }, id: 'call_1' }],
      stop_reason: 'tool_use',
    },
  ],
  [
    'OpenAI and Ollama',
    '/v1/chat/completions',
    { model: 'gpt-4o', messages: [{ role: 'system', content: 'Be brief' }, MESSAGE] },
    { choices: [{ message: { content: 'Hi' } }], usage: { prompt_tokens: 11, completion_tokens: 7 } },
    {
      choices: [
        {
          message: {
            tool_calls: [{ id: 'call_1', function: { name: 'read_file', arguments: '{"path":"a"}' } }],
          },
        },
      ],
    },
  ],
  [
    'OpenAI Responses',
    '/v1/responses',
    { model: 'gpt-4o', instructions: 'Be brief', input: [MESSAGE] },
    { output: [{ content: [{ text: 'Hi' }] }], usage: { input_tokens: 11, output_tokens: 7 } },
    { output: [{ type: 'function_call', call_id: 'call_1', name: 'read_file', arguments: '{"path":"a"}' }] },
  ],
] as const;

function ask(url: string, body: unknown = { model: 'gpt-4o', messages: [MESSAGE] }) {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  return fetch(url.endsWith('/v1') ? `${url}/chat/completions` : url, {
    ...init,
    signal: AbortSignal.timeout(20_000),
  });
}

describe('the model server', () => {
  it.each(WIRES)('replies in the form of %s and records the prompt', async (_, path, body, spoken, asked) => {
    const server = await startModelServer([
      text('Hi', { inputTokens: 11, outputTokens: 7 }),
      toolCall('read_file', { path: 'a' }, 'call_1'),
    ]);
    expect(await (await ask(server.url + path, body)).json()).toMatchObject(spoken);
    expect(await (await ask(server.url + path, body)).json()).toMatchObject(asked);
    expect(server.requests()[0]?.body).toEqual(body);
    expect(server.prompts()[0]).toEqual({
      model: body.model,
      system: 'Be brief',
      messages: ['user: Say hi'],
      tools: [],
    });
  });

  it('sends broken replies as configured', async () => {
    const replies: ModelReply[] = [
      { kind: 'raw', status: 529, body: { type: 'error' }, headers: { 'retry-after': '3' } },
      { kind: 'raw', status: 200, body: '{"cut' },
      { kind: 'disconnect' },
    ];
    const server = await startModelServer(replies);
    const overloaded = await ask(`${server.url}/v1`);
    expect([overloaded.status, overloaded.headers.get('retry-after')]).toEqual([529, '3']);
    expect(await (await ask(`${server.url}/v1`)).text()).toBe('{"cut');
    await expect(ask(`${server.url}/v1`)).rejects.toThrow();
    expect((await ask(`${server.url}/v1`)).status).toBe(400);
  });

  it('stalls during a body until the caller aborts', async () => {
    const server = await startModelServer([{ kind: 'stall', status: 200, body: '{"id":' }]);
    const caller = new AbortController();
    const answer = await fetch(`${server.url}/v1/messages`, { method: 'POST', signal: caller.signal });
    const reader = answer.body?.getReader();
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('{"id":');
    const rest = reader?.read();
    caller.abort();
    await expect(rest).rejects.toThrow('abort');
  });

  it('gives each of many requests at once its own reply', async () => {
    const server = await startModelServer((request) => {
      const { messages } = request.body as { messages: { content: string }[] };
      return text(`echo ${messages[0]?.content}`);
    });
    const answers = await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const body = { model: 'gpt-4o', messages: [{ role: 'user', content: String(index) }] };
        const answer = (await (await ask(`${server.url}/v1`, body)).json()) as {
          choices: { message: { content: string } }[];
        };
        return answer.choices[0]?.message.content;
      }),
    );
    expect(answers).toEqual(Array.from({ length: 10 }, (_, index) => `echo ${index}`));
  });

  it('calls back when a request arrives, before it is answered', async () => {
    const server = await startModelServer([text('Hi')]);
    const seen: string[] = [];
    server.onRequest((request) => seen.push(request.path));
    await ask(`${server.url}/v1`);
    expect(seen).toEqual(['/v1/chat/completions']);
  });
});
