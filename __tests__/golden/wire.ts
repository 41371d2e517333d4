import type { RecordedRequest, RecordedResponse } from './scenario.js';

/** A request to a model, whatever the provider's way of writing it. */
export interface WireRequest {
  readonly path: string;
  readonly key: string | undefined;
  readonly model: unknown;
  readonly system: string | undefined;
  readonly messages: readonly WireMessage[];
  readonly temperature: unknown;
  readonly maxTokens: unknown;
  /** Names of the tools offered. */
  readonly tools: readonly string[];
  readonly stream: boolean;
}

/** One message of the conversation. */
export interface WireMessage {
  readonly role: string;
  readonly text: string;
  readonly toolCalls: readonly { readonly name: unknown; readonly input: unknown }[];
  readonly toolResults: readonly string[];
}

/** Path of Ollama's OpenAI-compatible endpoint; axe used `/api/chat`. */
const COMPLETIONS_PATH = '/v1/chat/completions';

/** Reads a request of the Messages API, of chat completions or of Ollama's `/api/chat`. */
export function readWire(
  request: Pick<RecordedRequest, 'path'> & { key?: string | undefined; body: unknown },
): WireRequest {
  const body = record(request.body);
  const messages = list(body['messages']).map(record);
  const systems = messages
    .filter((message) => message['role'] === 'system')
    .map((message) => message['content']);
  const options = record(body['options']);
  return {
    path: request.path === '/api/chat' ? COMPLETIONS_PATH : request.path,
    key: request.key,
    model: body['model'],
    system: systemText(body['system'] ?? systems[0]),
    messages: messages.filter((message) => message['role'] !== 'system').map(readMessage),
    temperature: body['temperature'] ?? options['temperature'],
    maxTokens: body['max_tokens'] ?? body['max_completion_tokens'] ?? options['num_predict'],
    tools: list(body['tools']).map((tool) =>
      String(record(tool)['name'] ?? record(record(tool)['function'])['name']),
    ),
    stream: body['stream'] === true,
  };
}

/** A recorded answer of `/api/chat` as Ollama's OpenAI-compatible endpoint gives it; any other answer as it is. */
export function asCompletion(response: RecordedResponse): RecordedResponse {
  const body = record(response.body);
  if (typeof body['error'] === 'string') {
    return {
      ...response,
      body: { error: { message: body['error'], type: 'api_error', param: null, code: null } },
    };
  }
  if (body['done'] !== true) return response;
  return {
    ...response,
    body: {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1767225600,
      model: body['model'],
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: record(body['message'])['content'] },
          finish_reason: body['done_reason'],
        },
      ],
      usage: {
        prompt_tokens: body['prompt_eval_count'],
        completion_tokens: body['eval_count'],
        total_tokens: Number(body['prompt_eval_count']) + Number(body['eval_count']),
      },
    },
  };
}

function readMessage(message: Record<string, unknown>): WireMessage {
  const content = message['content'];
  const blocks = typeof content === 'string' ? [] : list(content).map(record);
  const calls = list(message['tool_calls']).map((call) => record(record(call)['function']));
  const isToolResult = message['role'] === 'tool';
  return {
    role: isToolResult ? 'user' : String(message['role']),
    text:
      typeof content === 'string'
        ? isToolResult
          ? ''
          : content
        : ofType(blocks, 'text').map(blockText).join(''),
    toolCalls: [
      ...ofType(blocks, 'tool_use').map((block) => ({ name: block['name'], input: block['input'] ?? {} })),
      ...calls.map((call) => ({ name: call['name'], input: parsed(call['arguments']) })),
    ],
    toolResults: [
      ...ofType(blocks, 'tool_result').map(blockContent),
      ...(isToolResult ? [typeof content === 'string' ? content : blocks.map(blockText).join('')] : []),
    ],
  };
}

function systemText(system: unknown): string | undefined {
  if (system === undefined || typeof system === 'string') return system;
  return list(system).map(record).map(blockText).join('');
}

function ofType(
  blocks: readonly Record<string, unknown>[],
  type: string,
): readonly Record<string, unknown>[] {
  return blocks.filter((block) => block['type'] === type);
}

function blockText(block: Record<string, unknown>): string {
  return String(block['text']);
}

function blockContent(block: Record<string, unknown>): string {
  const content = block['content'] ?? '';
  return typeof content === 'string' ? content : list(content).map(record).map(blockText).join('');
}

function parsed(text: unknown): unknown {
  return typeof text === 'string' ? JSON.parse(text) : text;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
