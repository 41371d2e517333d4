import { crc32 } from 'node:zlib';
import type { RecordedRequest } from './loopback.js';

type Json = Readonly<Record<string, unknown>>;

/**
 * A whole reply as the bits of a stream, where the request asks for one; undefined where it does
 * not.
 */
export function asStream(request: Pick<RecordedRequest, 'path' | 'body'>, body: unknown) {
  const { path } = request;
  if (!isJson(body)) return undefined;
  if (path.endsWith('/converse-stream')) {
    const frames = bedrockEvents(body).map(([type, event]) => awsFrame(type, event));
    return { type: 'application/vnd.amazon.eventstream', bytes: Buffer.concat(frames) };
  }
  const isAsked = isJson(request.body) && request.body['stream'] === true;
  // Vertex has an address for each.
  const isAlways = /:stream(?:GenerateContent|RawPredict)$/.test(path);
  if (!isAlways && (!isAsked || path.endsWith(':rawPredict'))) return undefined;
  const events = eventsOf(path, body);
  const bytes = events
    .map((event) => `${nameOf(event)}data: ${JSON.stringify(event)}\n\n`)
    .join('');
  return { type: 'text/event-stream', bytes };
}

function eventsOf(path: string, body: Json): readonly Json[] {
  if (path.endsWith(':streamGenerateContent')) return [body];
  if (path.endsWith('/responses')) return responseEvents(body);
  return path.endsWith('/chat/completions') ? chatEvents(body) : claudeEvents(body);
}

/** Chat Completions has none, nor has Google. */
function nameOf({ type }: Json): string {
  return typeof type === 'string' ? `event: ${type}\n` : '';
}

function claudeEvents(body: Json): readonly Json[] {
  if ('error' in body) return [body];
  const { content = [], stop_reason, stop_sequence = null, usage, ...message } = body;
  return [
    {
      type: 'message_start',
      message: { ...message, content: [], stop_reason: null, usage: usage ?? {} },
    },
    { type: 'ping' },
    ...list(content).flatMap((block, index) => claudeBlock(block, index)),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: usage ?? {} },
    { type: 'message_stop' },
  ];
}

function claudeBlock(block: Json, index: number): readonly Json[] {
  const { type, text, thinking, signature = '', input } = block;
  const delta = (one: Json) => ({ type: 'content_block_delta', index, delta: one });
  const deltas: Readonly<Record<string, readonly Json[]>> = {
    text: [delta({ type: 'text_delta', text })],
    thinking: [
      delta({ type: 'thinking_delta', thinking }),
      delta({ type: 'signature_delta', signature }),
    ],
    tool_use: [delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) })],
  };
  const emptied = { text: { text: '' }, thinking: { thinking: '' }, tool_use: { input: {} } };
  const begun = { ...block, ...emptied[String(type) as keyof typeof emptied] };
  return [
    { type: 'content_block_start', index, content_block: begun },
    ...(deltas[String(type)] ?? []),
    { type: 'content_block_stop', index },
  ];
}

function chatEvents(body: Json): readonly Json[] {
  const { choices, usage, ...head } = body;
  const bits = list(choices).flatMap(({ message, finish_reason, ...choice }) => {
    const calls = list(isJson(message) ? message['tool_calls'] : []);
    const delta = {
      ...(isJson(message) ? message : {}),
      ...(calls.length === 0
        ? {}
        : { tool_calls: calls.map((call, index) => ({ index, ...call })) }),
    };
    return [
      { ...head, choices: [{ index: 0, ...choice, delta, finish_reason: null }] },
      { ...head, choices: [{ index: 0, ...choice, delta: {}, finish_reason }] },
    ];
  });
  if (usage !== undefined) return [...bits, { ...head, choices: [], usage }];
  return bits.length > 0 ? bits : [head];
}

function responseEvents(body: Json): readonly Json[] {
  const { status = 'completed', output, ...rest } = body;
  const response = { id: 'resp_1', created_at: 1, model: 'gpt', ...rest };
  const items = list(output).flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: emptied(item) },
    ...textEvents(item, output_index),
    { type: 'response.output_item.done', output_index, item },
  ]);
  if (items.length === 0 && isJson(body['error']))
    return [{ type: 'response.failed', sequence_number: 1, response: { ...response, status } }];
  return [
    { type: 'response.created', response },
    ...items,
    { type: `response.${String(status)}`, sequence_number: 9, response: { ...response, status } },
  ];
}

function emptied(item: Json): Json {
  const { type } = item;
  if (type === 'message') return { ...item, content: [] };
  return type === 'function_call' ? { ...item, arguments: '' } : item;
}

function textEvents(
  { type, id, content, arguments: input }: Json,
  output_index: number,
): readonly Json[] {
  if (type === 'function_call')
    return [
      { type: 'response.function_call_arguments.delta', item_id: id, output_index, delta: input },
    ];
  if (type !== 'message') return [];
  return list(content).map((part) => ({
    type: 'response.output_text.delta',
    item_id: id,
    output_index,
    delta: part['text'] ?? part['refusal'],
  }));
}

function bedrockEvents(body: Json): readonly (readonly [string, Json])[] {
  const { output, stopReason, usage, ...more } = body;
  const message = isJson(output) ? output['message'] : undefined;
  const content = list(isJson(message) ? message['content'] : []);
  return [
    ['messageStart', { role: 'assistant' }],
    ...content.flatMap((block, contentBlockIndex) => bedrockBlock(block, contentBlockIndex)),
    ['messageStop', { stopReason }],
    ['metadata', { ...more, ...(usage === undefined ? {} : { usage }) }],
  ];
}

function bedrockBlock(
  block: Json,
  contentBlockIndex: number,
): readonly (readonly [string, Json])[] {
  const { text, toolUse, reasoningContent } = block;
  const delta = (one: Json) => ['contentBlockDelta', { contentBlockIndex, delta: one }] as const;
  const stop = ['contentBlockStop', { contentBlockIndex }] as const;
  if (isJson(toolUse)) {
    const { input, ...start } = toolUse;
    return [
      ['contentBlockStart', { contentBlockIndex, start: { toolUse: start } }],
      delta({ toolUse: { input: JSON.stringify(input) } }),
      stop,
    ];
  }
  if (isJson(reasoningContent)) {
    const said = reasoningContent['reasoningText'];
    if (!isJson(said))
      return [delta({ reasoningContent: { data: reasoningContent['redactedReasoning'] } }), stop];
    const { text: thought, signature } = said;
    return [
      delta({ reasoningContent: { text: thought } }),
      delta({ reasoningContent: { signature } }),
      stop,
    ];
  }
  return [delta({ text }), stop];
}

/** A message of AWS's event streams (smithy.io, `application/vnd.amazon.eventstream`). */
function awsFrame(type: string, event: Json): Buffer {
  const names = {
    ':event-type': type,
    ':content-type': 'application/json',
    ':message-type': 'event',
  };
  const headers = Buffer.concat(
    Object.entries(names).map(([name, value]) => {
      const size = Buffer.alloc(2);
      size.writeUInt16BE(value.length);
      const key = [Buffer.from([name.length]), Buffer.from(name)];
      return Buffer.concat([...key, Buffer.from([7]), size, Buffer.from(value)]);
    }),
  );
  const payload = Buffer.from(JSON.stringify(event));
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + headers.length + payload.length, 0);
  prelude.writeUInt32BE(headers.length, 4);
  const front = Buffer.concat([prelude, sumOf(prelude), headers, payload]);
  return Buffer.concat([front, sumOf(front)]);
}

function sumOf(bytes: Buffer): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(bytes));
  return sum;
}

function list(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJson) : [];
}

function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
