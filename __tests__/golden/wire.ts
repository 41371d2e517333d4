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
  readonly tools: readonly WireTool[];
  readonly stream: boolean;
}

/** One message of the conversation. */
export interface WireMessage {
  readonly role: string;
  readonly text: string;
  readonly toolCalls: readonly {
    readonly id: unknown;
    readonly name: unknown;
    readonly input: unknown;
  }[];
  readonly toolResults: readonly WireToolResult[];
}

/** The answer to a tool call. */
export interface WireToolResult {
  readonly id: unknown;
  readonly text: string;
  /** Only the Messages API says so. */
  readonly isError: boolean;
}

/** A tool that is offered; the names of required parameters in order, as axe sends them in any. */
export interface WireTool {
  readonly name: unknown;
  readonly description: unknown;
  readonly parameters: unknown;
}

/** Path of Ollama's own API, which axe used. */
const OLLAMA_PATH = '/api/chat';
/** Path of Ollama's OpenAI-compatible endpoint, which we use. */
const COMPLETIONS_PATH = '/v1/chat/completions';

/** Reads a request of the Messages API, of chat completions or of Ollama's `/api/chat`. */
export function readWire(
  request: Pick<RecordedRequest, 'path'> & { key?: string | undefined; body: unknown },
): WireRequest {
  const body = record(request.body);
  const isOllama = request.path === OLLAMA_PATH;
  const all = list(body['messages']).map(record);
  const messages = isOllama ? withCallIds(all) : all;
  const systems = messages
    .filter((message) => message['role'] === 'system')
    .map((message) => message['content']);
  const options = record(body['options']);
  return {
    path: isOllama ? COMPLETIONS_PATH : request.path,
    key: request.key,
    model: body['model'],
    system: systemText(body['system'] ?? systems[0]),
    messages: messages.filter((message) => message['role'] !== 'system').map(readMessage),
    temperature: body['temperature'] ?? options['temperature'],
    maxTokens: body['max_tokens'] ?? body['max_completion_tokens'] ?? options['num_predict'],
    tools: list(body['tools']).map(record).map(readTool),
    stream: body['stream'] === true,
  };
}

/**
 * A recorded answer of `/api/chat` as Ollama's OpenAI-compatible endpoint gives it; any other answer as it is.
 * `turn` is the number of replies before it in the conversation.
 */
export function asCompletion(response: RecordedResponse, turn: number): RecordedResponse {
  const body = record(response.body);
  if (typeof body['error'] === 'string') {
    return {
      ...response,
      body: { error: { message: body['error'], type: 'api_error', param: null, code: null } },
    };
  }
  if (body['done'] !== true) return response;
  const calls = list(record(body['message'])['tool_calls']).map((call, index) =>
    completionCall(call, turn, index),
  );
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
          message: {
            role: 'assistant',
            content: record(body['message'])['content'],
            ...(calls.length === 0 ? {} : { tool_calls: calls }),
          },
          // The endpoint says so whatever Ollama's own reason is.
          finish_reason: calls.length === 0 ? body['done_reason'] : 'tool_calls',
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

function completionCall(call: unknown, turn: number, index: number): unknown {
  const { name, arguments: input } = record(record(call)['function']);
  return {
    id: callId(turn, index),
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  };
}

function callId(turn: number, index: number): string {
  return `call_${turn}_${index}`;
}

/** Calls and results of `/api/chat` have no ids; they get those that the answers above have. */
function withCallIds(
  messages: readonly Record<string, unknown>[],
): readonly Record<string, unknown>[] {
  let turn = -1;
  let results = 0;
  return messages.map((message) => {
    if (message['role'] === 'tool') {
      results += 1;
      return { ...message, tool_call_id: callId(turn, results - 1) };
    }
    if (message['role'] !== 'assistant') return message;
    turn += 1;
    results = 0;
    const calls = list(message['tool_calls']).map((call, index) => ({
      ...record(call),
      id: callId(turn, index),
    }));
    return { ...message, tool_calls: calls };
  });
}

function readTool(tool: Record<string, unknown>): WireTool {
  const definition = tool['type'] === 'function' ? record(tool['function']) : tool;
  const schema = record(definition['parameters'] ?? definition['input_schema']);
  return {
    name: definition['name'],
    description: definition['description'],
    parameters: { ...schema, required: list(schema['required']).toSorted() },
  };
}

function readMessage(message: Record<string, unknown>): WireMessage {
  const content = message['content'];
  const blocks = typeof content === 'string' ? [] : list(content).map(record);
  const isToolResult = message['role'] === 'tool';
  const text =
    typeof content === 'string' ? content : ofType(blocks, 'text').map(blockText).join('');
  return {
    role: isToolResult ? 'user' : String(message['role']),
    text: isToolResult ? '' : text,
    toolCalls: [
      ...ofType(blocks, 'tool_use').map(({ id, name, input }) => ({
        id,
        name,
        input: input ?? {},
      })),
      ...list(message['tool_calls']).map(record).map(readCall),
    ],
    toolResults: [
      ...ofType(blocks, 'tool_result').map(readResult),
      ...(isToolResult ? [{ id: message['tool_call_id'], text, isError: false }] : []),
    ],
  };
}

function readCall(call: Record<string, unknown>): WireMessage['toolCalls'][number] {
  const { name, arguments: input } = record(call['function']);
  return { id: call['id'], name, input: parsed(input) };
}

function readResult(block: Record<string, unknown>): WireToolResult {
  const content = block['content'] ?? '';
  const text =
    typeof content === 'string' ? content : list(content).map(record).map(blockText).join('');
  return { id: block['tool_use_id'], text, isError: block['is_error'] === true };
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

/** Arguments as a value; text that is not JSON as it is. */
function parsed(text: unknown): unknown {
  if (typeof text !== 'string') return text;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
