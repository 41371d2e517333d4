import type { ServerResponse } from 'node:http';
import { LLMock } from '@copilotkit/aimock';
import { afterEach } from '@jest/globals';
import { asStream } from './as-stream.js';
import { type Peer, type RecordedRequest, sendJson, startLoopback } from './loopback.js';
import { type Prompt, promptOf } from './wire-prompt.js';

/** Tokens a reply says it cost. */
export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A tool the model asks for. */
export interface ScriptedToolCall {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly id?: string;
}

/**
 * One reply of the model, in the words of no provider: it is sent in the form of the endpoint that
 * was asked.
 */
export type ModelReply =
  | {
      readonly kind: 'text';
      readonly text: string;
      readonly usage?: Usage;
      /** OpenAI's words (`stop`, `length`, `content_filter`), translated for others. */
      readonly finishReason?: string;
      /** What the model thought before. */
      readonly reasoning?: string;
    }
  | {
      readonly kind: 'tools';
      readonly calls: readonly ScriptedToolCall[];
      readonly text?: string;
      readonly usage?: Usage;
      readonly reasoning?: string;
    }
  /**
   * Exactly this answer: an error of a provider, a page of a proxy, cut-off JSON. An object is sent
   * as JSON, or in bits where those are asked for.
   */
  | {
      readonly kind: 'raw';
      readonly status: number;
      readonly body: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** Status and headers, then part of a body, and then nothing; without a status nothing at all. */
  | { readonly kind: 'stall'; readonly status?: number; readonly body?: string }
  /** The connection is cut without an answer. */
  | { readonly kind: 'disconnect' };

/** A reply in the form of the endpoint. */
export type WholeReply = Extract<ModelReply, { kind: 'text' | 'tools' }>;

/** The replies in the order of the requests, or what to reply to the n-th request (from 0). */
export type ModelScript =
  | readonly ModelReply[]
  | ((request: RecordedRequest, index: number) => ModelReply | Promise<ModelReply>);

/** The model server. */
export interface ModelServer extends Peer {
  /**
   * The variables that lead Anthropic, OpenAI and Ollama clients to it, with keys that look like
   * keys.
   */
  readonly env: Readonly<Record<string, string>>;
  /** The requests as prompts. */
  prompts(): readonly Prompt[];
}

export { type Prompt, promptOf };

const mocks = new Set<LLMock>();

afterEach(async () => {
  await Promise.all([...mocks].map((mock) => mock.stop()));
  mocks.clear();
});

/** A text reply. */
export function text(content: string, usage?: Usage): WholeReply {
  return { kind: 'text', text: content, ...(usage === undefined ? {} : { usage }) };
}

/** A reply that asks for one tool. */
export function toolCall(
  name: string,
  input: Readonly<Record<string, unknown>>,
  id?: string,
): WholeReply {
  return { kind: 'tools', calls: [{ name, input, ...(id === undefined ? {} : { id }) }] };
}

/**
 * Starts a server that speaks Anthropic's Messages, OpenAI's Chat Completions (Ollama's `/v1` too)
 * and Responses. Replies are put in a provider's form by aimock; broken ones are sent by this
 * server itself, which stands before it and records the requests as they came over the wire. A
 * request beyond the end of the script is answered with 400.
 */
export async function startModelServer(script: ModelScript): Promise<ModelServer> {
  let current: ModelReply = text('');
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  const mock = new LLMock({ port: 0, host: '127.0.0.1', logLevel: 'silent', chunkSize: 1000 });
  mock.addFixture({ match: { predicate: () => true }, response: () => aimockReply(current) });
  await mock.start();
  mocks.add(mock);

  const peer = await startLoopback(async (request, response) => {
    // Ollama's own interface, which a test of it brings.
    if (isOllamas(request)) return sendJson(response, 404, { error: 'not found' });
    const index = count;
    count += 1;
    const reply = typeof script === 'function' ? await script(request, index) : script[index];
    if (reply === undefined) {
      const message = `the script of the model server has no reply to request ${index + 1}`;
      return sendJson(response, 400, {
        type: 'error',
        error: { type: 'invalid_request_error', message },
      });
    }
    if (reply.kind !== 'text' && reply.kind !== 'tools')
      return sendBroken(response, reply, request);
    const turn = last.then(() => {
      current = withUsage(reply, request.path);
      return forward(mock.url, request);
    });
    last = turn.catch(() => undefined);
    const answer = await turn;
    response.writeHead(answer.status, { 'content-type': answer.contentType }).end(answer.body);
  });
  return {
    ...peer,
    requests: () => peer.requests().filter((request) => !isOllamas(request)),
    env: {
      ANTHROPIC_API_KEY: 'sk-ant-api03-test-0123456789abcdef',
      OPENAI_API_KEY: 'sk-test-q7Zk2Pv9Xw4Lm8Rt',
      AXE_ANTHROPIC_BASE_URL: peer.url,
      AXE_OPENAI_BASE_URL: peer.url,
      AXE_OLLAMA_BASE_URL: peer.url,
    },
    prompts: () =>
      peer
        .requests()
        .filter((request) => !isOllamas(request))
        .map(promptOf),
  };
}

function isOllamas({ path }: RecordedRequest): boolean {
  return path === '/api/chat' || path === '/api/ps';
}

/** aimock counts what it says over Chat Completions only; no real reply costs nothing. */
function withUsage(reply: WholeReply, path: string): ModelReply {
  if (reply.usage !== undefined || path.endsWith('/chat/completions')) return reply;
  return { ...reply, usage: { inputTokens: 20, outputTokens: 10 } };
}

function aimockReply(reply: ModelReply) {
  if (reply.kind !== 'text' && reply.kind !== 'tools')
    throw new Error(`aimock does not send ${reply.kind}`);
  const { usage } = reply;
  const counts = usage && {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
  };
  const shared = {
    ...(counts === undefined ? {} : { usage: counts }),
    ...(reply.reasoning === undefined ? {} : { reasoning: reply.reasoning }),
  };
  if (reply.kind === 'text') {
    const finish = reply.finishReason === undefined ? {} : { finishReason: reply.finishReason };
    return { content: reply.text, ...finish, ...shared };
  }
  const toolCalls = reply.calls.map(({ name, input, id }) => ({
    name,
    arguments: JSON.stringify(input),
    ...(id === undefined ? {} : { id }),
  }));
  return reply.text === undefined
    ? { toolCalls, ...shared }
    : { content: reply.text, toolCalls, ...shared };
}

type BrokenReply = Exclude<ModelReply, WholeReply>;

async function forward(url: string, request: RecordedRequest) {
  const answer = await fetch(url + request.path, {
    method: request.method,
    headers: { 'content-type': 'application/json' },
    body: request.method === 'GET' ? null : new Uint8Array(request.bytes),
  });
  const contentType = answer.headers.get('content-type') ?? 'application/json';
  return { status: answer.status, contentType, body: Buffer.from(await answer.arrayBuffer()) };
}

function sendBroken(response: ServerResponse, reply: BrokenReply, request: RecordedRequest): void {
  switch (reply.kind) {
    case 'raw': {
      const streamed = reply.status === 200 ? asStream(request, reply.body) : undefined;
      if (streamed !== undefined) {
        response
          .writeHead(200, { 'content-type': streamed.type, ...reply.headers })
          .end(streamed.bytes);
        return;
      }
      const isText = typeof reply.body === 'string';
      const type = isText ? 'text/plain' : 'application/json';
      response
        .writeHead(reply.status, { 'content-type': type, ...reply.headers })
        .end(isText ? reply.body : JSON.stringify(reply.body));
      return;
    }
    case 'stall':
      if (reply.status === undefined) return;
      response.writeHead(reply.status, { 'content-type': 'application/json' });
      response.flushHeaders();
      if (reply.body !== undefined) response.write(reply.body);
      return;
    case 'disconnect':
      response.destroy();
  }
}
