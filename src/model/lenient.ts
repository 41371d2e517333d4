import { isObject, parseJson } from '../lib/data.js';
import type { Protocol } from './catalog.js';

type Json = Readonly<Record<string, unknown>>;

/** Makes a reply, or an event of a streamed one, readable; returns it unchanged if it is. */
type Repair = (reply: Json) => Json;

interface Repairs {
  readonly reply: Repair;
  /** Events to repair; absent: the package skips unknown events, and the others are readable. */
  readonly event?: { readonly pattern: RegExp; readonly repair: Repair };
}

/** Events of Chat Completions with a text in parts, or with arguments that are not a text. */
const CHAT_EVENT: Repairs['event'] = {
  pattern: /"content":\s*\[|"arguments":\s*[{n]/,
  repair: withPlainChoices,
};

const REPAIRS: Readonly<Partial<Record<Protocol, Repairs>>> = {
  anthropic: {
    reply: (reply) => withUsage(withKnownParts(reply, 'content', ANTHROPIC_PARTS), ANTHROPIC_USAGE),
    event: { pattern: /"message_(?:start|delta)"/, repair: withEventUsage },
  },
  'openai-responses': { reply: withKnownItems },
  openai: { reply: withPlainChoices, event: CHAT_EVENT },
  'openai-compatible': { reply: withPlainChoices, event: CHAT_EVENT },
  bedrock: { reply: (reply) => withUsage(reply, BEDROCK_USAGE) },
};

/** The kinds that answer a request without the provider's own tools. */
const ANTHROPIC_PARTS = ['text', 'thinking', 'redacted_thinking', 'tool_use'];
const RESPONSES_ITEMS = ['message', 'reasoning', 'function_call'];
const MESSAGE_PARTS = ['output_text', 'refusal'];

const ANTHROPIC_USAGE = ['input_tokens', 'output_tokens'];
const BEDROCK_USAGE = ['inputTokens', 'outputTokens', 'totalTokens'];

/**
 * A fetch whose replies the packages can read, even if a server is newer than its package or follows
 * the interface only in part. The packages refuse a whole reply for one block of an unknown kind,
 * for text in parts, and for usage that is `null`. Unknown blocks are left out, as in a stream.
 * Replies that need no repair pass byte for byte.
 */
export function leniently(fetch: typeof globalThis.fetch, wire: Protocol): typeof globalThis.fetch {
  const repairs = REPAIRS[wire];
  if (repairs === undefined) return fetch;
  return async (input, init) => {
    const response = await fetch(input, init);
    const { body, ok } = response;
    if (!ok || body === null) return response;
    const type = response.headers.get('content-type') ?? '';
    if (/\bjson\b/.test(type)) return withBody(response, repairReply(body, repairs.reply));
    const isStream = /\bevent-?stream\b/.test(type) && repairs.event !== undefined;
    return isStream ? withBody(response, repairEvents(body, repairs.event)) : response;
  };
}

function withBody(response: Response, chunks: AsyncIterable<Uint8Array>): Response {
  return new Response(ReadableStream.from(chunks), response);
}

/** Waits until the package reads the body, so that a broken one is still the package's to report. */
async function* repairReply(
  chunks: AsyncIterable<Uint8Array>,
  repair: Repair,
): AsyncGenerator<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  const bytes = Buffer.concat(parts);
  const reply = parseJson(bytes.toString('utf8'));
  const repaired = isObject(reply) ? repair(reply) : reply;
  yield repaired === reply ? new Uint8Array(bytes) : Buffer.from(JSON.stringify(repaired));
}

/** Rewrites the lines of events that need it, and passes all others on as they arrive. */
async function* repairEvents(
  chunks: AsyncIterable<Uint8Array>,
  event: NonNullable<Repairs['event']>,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunks) {
    const text = rest + decoder.decode(chunk, { stream: true });
    const end = text.lastIndexOf('\n') + 1;
    rest = text.slice(end);
    if (end > 0) yield Buffer.from(repairLines(text.slice(0, end), event));
  }
  rest += decoder.decode();
  if (rest !== '') yield Buffer.from(repairLines(rest, event));
}

function repairLines(text: string, { pattern, repair }: NonNullable<Repairs['event']>): string {
  return text.replace(/^data: ?(\{.*\})(\r?)$/gm, (line, data: string, ending: string) => {
    const event = pattern.test(data) ? parseJson(data) : undefined;
    const repaired = isObject(event) ? repair(event) : undefined;
    return repaired === undefined || repaired === event
      ? line
      : `data: ${JSON.stringify(repaired)}${ending}`;
  });
}

function withKnownParts(reply: Json, key: string, kinds: readonly string[]): Json {
  const parts = reply[key];
  if (!Array.isArray(parts)) return reply;
  const known = parts.filter((part) => !isObject(part) || kinds.includes(String(part['type'])));
  return known.length === parts.length ? reply : { ...reply, [key]: known };
}

function withKnownItems(reply: Json): Json {
  const known = withKnownParts(reply, 'output', RESPONSES_ITEMS);
  const items = known['output'];
  if (!Array.isArray(items)) return known;
  const repaired = items.map((item: unknown) =>
    isObject(item) && item['type'] === 'message'
      ? withKnownParts(item, 'content', MESSAGE_PARTS)
      : item,
  );
  return repaired.some((item, index) => item !== items[index])
    ? { ...known, output: repaired }
    : known;
}

/** Fills in zeros for figures that are missing. A zero counts as not reported later. */
function withUsage(reply: Json, figures: readonly string[]): Json {
  if (reply['error'] !== undefined) return reply;
  const usage = isObject(reply['usage']) ? reply['usage'] : {};
  const missing = figures.filter((figure) => typeof usage[figure] !== 'number');
  if (missing.length === 0) return reply;
  const zeros = Object.fromEntries(missing.map((figure) => [figure, 0]));
  return { ...reply, usage: { ...usage, ...zeros } };
}

function withEventUsage(event: Json): Json {
  if (event['type'] === 'message_delta') return withUsage(event, ['output_tokens']);
  const { message } = event;
  if (!isObject(message)) return event;
  const repaired = withUsage(message, ['input_tokens']);
  return repaired === message ? event : { ...event, message: repaired };
}

/** Joins a text that came in parts, and writes arguments of calls as the text that they should be. */
function withPlainChoices(reply: Json): Json {
  const { choices } = reply;
  if (!Array.isArray(choices)) return reply;
  const plain = choices.map((choice: unknown) =>
    isObject(choice) ? withPlainChoice(choice) : choice,
  );
  return plain.some((choice, index) => choice !== choices[index])
    ? { ...reply, choices: plain }
    : reply;
}

function withPlainChoice(choice: Json): Json {
  // Streams have a `delta` in place of the message.
  const key = isObject(choice['delta']) ? 'delta' : 'message';
  const message = choice[key];
  if (!isObject(message)) return choice;
  const plain = withPlainContent(withPlainArguments(message));
  return plain === message ? choice : { ...choice, [key]: plain };
}

/** Some servers send arguments as an object, or null for none. */
function withPlainArguments(message: Json): Json {
  const calls = message['tool_calls'];
  if (!Array.isArray(calls)) return message;
  const plain = calls.map((call: unknown) => (isObject(call) ? withPlainCall(call) : call));
  return plain.some((call, index) => call !== calls[index])
    ? { ...message, tool_calls: plain }
    : message;
}

function withPlainCall(call: Json): Json {
  const { function: called } = call;
  if (!isObject(called)) return call;
  const { arguments: input } = called;
  if (input === null) return { ...call, function: { ...called, arguments: '' } };
  return isObject(input)
    ? { ...call, function: { ...called, arguments: JSON.stringify(input) } }
    : call;
}

/** Thoughts among the parts of a text become the reasoning. */
function withPlainContent(message: Json): Json {
  if (!Array.isArray(message['content'])) return message;
  const parts: readonly unknown[] = message['content'];
  const thoughts = parts.map((part) => (isObject(part) ? textIn(part['thinking']) : '')).join('');
  const hasReasoning = thoughts !== '' && !('reasoning_content' in message);
  const reasoning = hasReasoning ? { reasoning_content: thoughts } : {};
  return { ...message, ...reasoning, content: parts.map(textIn).join('') };
}

/** The text of a part, or of parts; thoughts and references have none. */
function textIn(part: unknown): string {
  if (typeof part === 'string') return part;
  if (Array.isArray(part)) return part.map(textIn).join('');
  if (!isObject(part)) return '';
  const { type = 'text', text } = part;
  return (type === 'text' || type === 'output_text') && typeof text === 'string' ? text : '';
}
