import type {
  LanguageModelV4CallOptions,
  LanguageModelV4Content,
  LanguageModelV4FunctionTool,
} from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import { AxeError, ProviderError, type ProviderErrorCategory } from '../../src/lib/errors.js';
import type { LanguageModel } from '../../src/loop/messages.js';
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
  text,
} from '../helpers/model-server.js';

/** A model that is called over the wire, and how its provider reports errors. */
export interface WireModel {
  readonly name: string;
  open(server: ModelServer): Promise<LanguageModel>;
  /** Path that is asked. */
  readonly path: string;
  /** It is asked for a stream; absent: for whole replies. */
  readonly isStreamed?: boolean;
  /** The body of an error. */
  readonly errorBody: (message: string) => unknown;
  readonly statuses: Partial<Readonly<Record<ProviderErrorCategory, readonly number[]>>>;
  /** A good answer without content. */
  readonly emptyBody: unknown;
  /** How it is treated: as an error, or as an empty answer (axe-behaviour §11). */
  readonly emptyAnswer: 'error' | 'empty';
  /**
   * Part of a request with temperature 0 and at most 77 tokens; `temperature` and `max_tokens`
   * unless said.
   */
  readonly settings?: object;
  /** How a good answer of another shape is treated. */
  readonly otherShape?: string;
  /** Part of a request for JSON of {@link SCHEMA}. */
  readonly jsonSchema: object;
  /** Part of a request for any JSON; undefined where the provider cannot be asked. */
  readonly jsonObject: object | undefined;
}

/** A schema that every provider takes. */
export const SCHEMA: LanguageModelV4FunctionTool['inputSchema'] = {
  type: 'object',
  properties: { verdict: { type: 'string' } },
  required: ['verdict'],
  additionalProperties: false,
};

const TOOL: LanguageModelV4FunctionTool = {
  type: 'function',
  name: 'read_file',
  description: 'Reads a file',
  inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
};

/** A question with nothing set. */
export function question(
  patch: Partial<LanguageModelV4CallOptions> = {},
): LanguageModelV4CallOptions {
  return {
    prompt: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Say hi.' }] },
    ],
    ...patch,
  };
}

/** What a promise is rejected with. */
export async function rejection(promise: PromiseLike<unknown>): Promise<unknown> {
  const ended = await Promise.allSettled([promise]);
  if (ended[0].status === 'fulfilled') throw new Error('it was not rejected');
  return ended[0].reason;
}

function withoutThoughts(content: readonly LanguageModelV4Content[]) {
  return content.filter(({ type }) => type !== 'reasoning');
}

/** What every model keeps to, on whatever wire or on none. */
export function describeModel(name: string, open: () => Promise<LanguageModel>): void {
  describe(`${name} as a model`, () => {
    it('answers a question with text, and names itself', async () => {
      const model = await open();
      const { content, finishReason, response } = await model.doGenerate(question());
      const answer = withoutThoughts(content);
      expect(answer.map(({ type }) => type)).toEqual(['text']);
      expect(answer[0]).toMatchObject({ text: expect.stringMatching(/\S/) });
      expect(finishReason.unified).toBe('stop');
      expect(response?.modelId ?? model.modelId).toMatch(/\S/);
    });

    it('reports its usage', async () => {
      const { usage } = await (await open()).doGenerate(question());
      for (const { total } of [usage.inputTokens, usage.outputTokens])
        expect(total).toBeGreaterThanOrEqual(0);
    });

    it('does not answer when the run has ended', async () => {
      const reason = new AxeError('over');
      const asked = (await open()).doGenerate(question({ abortSignal: AbortSignal.abort(reason) }));
      await expect(asked).rejects.toBe(reason);
    });
  });
}

/** What every model on a wire keeps to (axe-behaviour §11, §12). */
export function describeWireModel(wire: WireModel): void {
  const start = async (script: ModelScript) => {
    const server = await startModelServer(script);
    return { server, model: await wire.open(server) };
  };
  const errorOf = async (script: ModelScript): Promise<ProviderError> => {
    const { model } = await start(script);
    const thrown = await rejection(model.doGenerate(question()));
    if (thrown instanceof ProviderError) return thrown;
    throw new Error(`not an error of a provider: ${String(thrown)}`);
  };

  describeModel(wire.name, async () => (await start([text('Hi')])).model);

  describe(`${wire.name} over the wire`, () => {
    it('sends one request without settings, and returns text and figures', async () => {
      const { server, model } = await start([
        text('Hi there', { inputTokens: 11, outputTokens: 7 }),
      ]);
      const { content, usage } = await model.doGenerate(question());
      expect(withoutThoughts(content)).toMatchObject([{ type: 'text', text: 'Hi there' }]);
      expect([usage.inputTokens.total, usage.outputTokens.total]).toEqual([11, 7]);
      expect(server.requests()).toMatchObject([{ method: 'POST', path: wire.path }]);
      const sent = server.requests()[0]?.bytes.toString() ?? '';
      const isStreamed = /stream/i.test(wire.path) || sent.includes('"stream":true');
      expect(isStreamed).toBe(wire.isStreamed === true);
      expect(sent).not.toContain('temperature');
      for (const text of ['Be brief.', 'Say hi.']) expect(sent.split(text)).toHaveLength(2);
    });

    it('sends a temperature of 0 and the maximum number of tokens', async () => {
      const { server, model } = await start([text('Hi')]);
      await model.doGenerate(question({ temperature: 0, maxOutputTokens: 77 }));
      const [request] = server.requests();
      expect(request?.body).toMatchObject(wire.settings ?? { temperature: 0, max_tokens: 77 });
      expect(request?.bytes.toString().match(/\b77\b/g)).toHaveLength(1);
    });

    it('calls two tools at once, and receives both results in order', async () => {
      const calls = ['a.ts', 'b.ts'].map((path) => ({ name: 'read_file', input: { path } }));
      const { server, model } = await start([{ kind: 'tools', calls }, text('Done')]);
      const asked = question({ tools: [TOOL] });
      const { content } = await model.doGenerate(asked);
      expect(server.requests()[0]?.bytes.toString()).toContain('"read_file"');
      const received = content.flatMap((part) =>
        part.type === 'tool-call' ? [{ name: part.toolName, input: JSON.parse(part.input) }] : [],
      );
      expect(received).toEqual(calls);
      const ids = content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
      expect(new Set(ids).size).toBe(2);

      const answered = await model.doGenerate({
        ...asked,
        prompt: [...asked.prompt, ...turn(content)],
      });
      expect(withoutThoughts(answered.content)).toMatchObject([{ type: 'text', text: 'Done' }]);
      const sent = server.requests()[1]?.bytes.toString() ?? '';
      expect(sent.indexOf('content of a.ts')).toBeGreaterThan(sent.indexOf('Say hi.'));
      expect(sent.indexOf('content of b.ts')).toBeGreaterThan(sent.indexOf('content of a.ts'));
    });

    it.each([
      ['JSON that matches a schema', SCHEMA, wire.jsonSchema],
      ['any JSON, where it can', undefined, wire.jsonObject ?? {}],
    ])('requests %s', async (_, schema, sent) => {
      const { server, model } = await start([text('{"verdict":"ok"}')]);
      await model.doGenerate(question({ responseFormat: { type: 'json', schema } }));
      expect(server.requests()[0]?.body).toMatchObject(sent);
    });

    const statuses = Object.entries(wire.statuses).flatMap(([category, all]) =>
      all.map((status) => [status, category] as const),
    );
    it.each(statuses)(
      'C4 58: reports status %i as %s, and does not try again',
      async (status, category) => {
        const body = wire.errorBody(`msg ${status}`);
        const { server, model } = await start([{ kind: 'raw', status, body }]);
        const thrown = await rejection(model.doGenerate(question()));
        expect(thrown).toMatchObject({
          name: 'ProviderError',
          message: `${category}: msg ${status}`,
          category,
          status,
          exitCode: category === 'bad_request' ? 1 : 3,
        });
        expect(server.requests()).toHaveLength(1);
      },
    );

    const noJson = 'server: failed to parse response: the body is not valid JSON';
    const page = 'server: failed to parse response: the body is an HTML page';
    const noShape = 'server: failed to parse response: the body does not have the expected shape';
    it.each([
      ['an HTML page', '<html><body>Log in</body></html>', page],
      ['cut-off JSON', '{"id":"x","con', noJson],
      ['a list', '[]', noShape],
      ['another shape', '{"hello":"world"}', wire.otherShape ?? noShape],
    ])('C4 61: with status 200 and %s cannot be read', async (_, body, message) => {
      const headers = { 'content-type': 'application/json' };
      // A stream that is answered so is asked for whole.
      const error = await errorOf(() => ({ kind: 'raw', status: 200, body, headers }));
      expect(error.message).toBe(message);
    });

    it('C4 66: calls no other server, wherever a redirect points', async () => {
      const other = await startModelServer([text('Give me your key')]);
      for (const status of [301, 302, 307, 308]) {
        const headers = { location: `${other.url}${wire.path}` };
        const error = await errorOf([{ kind: 'raw', status, body: '', headers }]);
        expect(error).toMatchObject({ category: 'server', status });
      }
      expect(other.requests()).toEqual([]);
    });

    it('reads how long it is asked to wait', async () => {
      const headers = { 'retry-after': '3' };
      const error = await errorOf([
        { kind: 'raw', status: 429, body: wire.errorBody('slow down'), headers },
      ]);
      expect(error.retryAfterMs).toBe(3000);
    });

    it('C4 67: never shows the key, even if the server does', async () => {
      const error = await errorOf((request) => {
        const names = ['x-api-key', 'api-key', 'x-goog-api-key', 'authorization'];
        const key = names.map((name) => request.headers[name]).find(Boolean) ?? 'no key';
        return { kind: 'raw', status: 401, body: wire.errorBody(`wrong: ${key}`) };
      });
      expect(error.message).toContain('wrong: ');
      expect(error.message).not.toContain('q7Zk2Pv9Xw4Lm8Rt');
    });

    it.each([
      ['before the answer', { kind: 'disconnect' }],
      ['in the middle of it', { kind: 'stall', status: 200, body: '{"id":' }],
    ] as const)('C4 62: reports a connection that breaks %s', async (when, reply) => {
      const { server, model } = await start(() => reply);
      if (reply.kind === 'stall') server.onRequest(() => setImmediate(() => void server.close()));
      const thrown = await rejection(model.doGenerate(question()));
      expect(thrown).toMatchObject({
        message: expect.stringMatching(
          when === 'before the answer'
            ? /^server: http:\/\/127\.0\.0\.1:\d+: the connection broke before the answer came$/
            : /^server: (?:the answer broke off: |http:\/\/127\.0\.0\.1:\d+: ).*\w/,
        ),
        exitCode: 3,
      });
    });

    it.each([
      ['nothing at all', { kind: 'stall' }],
      ['half an answer', { kind: 'stall', status: 200, body: '{"id":' }],
      ['half an error', { kind: 'stall', status: 500, body: '{"err' }],
    ] as const)(
      'C4 62: ends with the reason when the run is stopped after %s',
      async (_, reply) => {
        const { server, model } = await start(() => reply);
        const controller = new AbortController();
        const reason = new ProviderError('timeout', 'context deadline exceeded');
        server.onRequest(() => setImmediate(() => controller.abort(reason)));
        // The loop looks at the signal for the reason; what matters here is that no other reason is
        // made up.
        const thrown = await rejection(
          model.doGenerate(question({ abortSignal: controller.signal })),
        );
        expect(controller.signal.aborted).toBe(true);
        expect(thrown === reason || (thrown as Error).name === 'AbortError').toBe(true);
      },
    );

    it(`treats an answer without content as ${wire.emptyAnswer === 'error' ? 'an error' : 'an empty one'}`, async () => {
      const { model } = await start([{ kind: 'raw', status: 200, body: wire.emptyBody }]);
      const asked = model.doGenerate(question());
      if (wire.emptyAnswer === 'error')
        await expect(asked).rejects.toMatchObject({
          message: 'server: response contains no content',
        });
      else expect((await asked).content).toEqual([]);
    });
  });
}

/** The turn of a model that called tools, and their results. */
function turn(content: readonly LanguageModelV4Content[]): LanguageModelV4CallOptions['prompt'] {
  const calls = content.flatMap((part) => {
    if (part.type !== 'tool-call') return [];
    const { toolCallId, toolName, input } = part;
    return [{ call: { toolCallId, toolName }, input: JSON.parse(input) }];
  });
  return [
    {
      role: 'assistant',
      content: calls.map(({ call, input }) => ({ type: 'tool-call', ...call, input })),
    },
    {
      role: 'tool',
      content: calls.map(({ call, input }) => {
        return {
          type: 'tool-result',
          ...call,
          output: { type: 'text', value: `content of ${input.path}` },
        };
      }),
    },
  ];
}
