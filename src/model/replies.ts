import {
  APICallError,
  JSONParseError,
  type JSONValue,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Content,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamPart,
  type SharedV4ProviderMetadata,
  TypeValidationError,
} from '@ai-sdk/provider';
import { field, parseJson } from '../lib/json.js';
import { type Chunks, readBytes, withBody } from '../lib/net/http.js';
import type { Protocol } from './catalog.js';

/** What an answer of Chat Completions says; undefined where it says nothing. */
export function firstChoice(body: unknown): unknown {
  const choices = field(body, 'choices');
  return Array.isArray(choices) ? choices[0] : undefined;
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Lets servers answer that keep to an interface only by half, or are ahead of it: the packages refuse a reply whose text
 * comes in parts, one without figures, and one with a kind of content that they do not know, though it is good. An
 * answer that needs no change passes as it came.
 */
export function leniently(fetch: typeof globalThis.fetch, wire: Protocol): typeof globalThis.fetch {
  const repair = REPAIRS[wire];
  if (repair === undefined) return fetch;
  return async (input, init) => {
    const response = await fetch(input, init);
    const isStream = /\bevent-?stream\b/.test(response.headers.get('content-type') ?? '');
    if (!response.ok || isStream) return response;
    // Only when it is read, so that a body that breaks off is still the package's to report.
    return withBody(response, (chunks) => rewritten(chunks, repair));
  };
}

type Repair = (reply: Json) => Json;

const REPAIRS: Readonly<Partial<Record<Protocol, Repair>>> = {
  openai: withPlainContent,
  'openai-compatible': withPlainContent,
  'openai-responses': (reply) => withKnownKinds(reply, 'output', ITEMS),
  anthropic: (reply) =>
    withKnownKinds(withUsage(reply, { input_tokens: 0, output_tokens: 0 }), 'content', BLOCKS),
  bedrock: (reply) => withUsage(reply, { inputTokens: 0, outputTokens: 0, totalTokens: 0 }),
};

/** What a request without tools of the provider's own is answered with; everything else is news, and is left out. */
const BLOCKS = ['text', 'thinking', 'redacted_thinking', 'tool_use'];
const ITEMS = ['message', 'reasoning', 'function_call'];

/** The object without what is of another kind in one of its lists. */
function withKnownKinds(whole: Json, key: string, kinds: readonly string[]): Json {
  const list = whole[key];
  const isOther = (one: unknown): boolean => isObject(one) && !kinds.includes(String(one['type']));
  if (!Array.isArray(list) || !list.some(isOther)) return whole;
  return { ...whole, [key]: list.filter((one) => !isOther(one)) };
}

/** The whole body at its end; as the server sent it, where nothing is to be done. */
async function* rewritten(chunks: Chunks, repair: Repair): AsyncGenerator<Uint8Array> {
  const bytes = await readBytes(chunks);
  const reply = parseJson(new TextDecoder().decode(bytes));
  const better = isObject(reply) ? repair(reply) : reply;
  yield better === reply ? bytes : new TextEncoder().encode(JSON.stringify(better));
}

/** Zeros count as not reported, see `withReportedUsage`. */
function withUsage(reply: Json, nothing: Json): Json {
  if (isObject(reply['usage']) || isObject(reply['error'])) return reply;
  return { ...reply, usage: nothing };
}

/** One text instead of parts, and reasoning in its own place. */
function withPlainContent(reply: Json): Json {
  const { choices } = reply;
  if (!Array.isArray(choices) || !choices.some(hasParts)) return reply;
  return {
    ...reply,
    choices: choices.map((choice: unknown) => (hasParts(choice) ? withOneText(choice) : choice)),
  };
}

interface ChoiceOfParts extends Json {
  readonly message: Json & { readonly content: readonly unknown[] };
}

function hasParts(choice: unknown): choice is ChoiceOfParts {
  return isObject(choice) && isObject(choice['message']) && Array.isArray(choice['message']['content']);
}

function withOneText(choice: ChoiceOfParts): Json {
  const { message } = choice;
  const content = message.content.map(textOf).join('');
  const reasoning = message.content.map(reasoningOf).join('');
  const own =
    reasoning === '' || message['reasoning_content'] !== undefined ? {} : { reasoning_content: reasoning };
  return { ...choice, message: { ...message, content, ...own } };
}

/** `text` of OpenAI's parts, those without a type, and bare texts; what thinks or refers says nothing. */
function textOf(part: unknown): string {
  if (typeof part === 'string') return part;
  if (!isObject(part)) return '';
  const { type, text } = part;
  const isText = type === undefined || type === 'text' || type === 'output_text';
  return isText && typeof text === 'string' ? text : '';
}

/** Mistral has texts in a `thinking` part, others one text. */
function reasoningOf(part: unknown): string {
  if (!isObject(part) || part['type'] !== 'thinking') return '';
  const { thinking } = part;
  if (typeof thinking === 'string') return thinking;
  return Array.isArray(thinking) ? thinking.map(textOf).join('') : '';
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text or a thought, of which more may come. */
interface OpenPart {
  readonly type: 'text' | 'reasoning';
  text: string;
  providerMetadata?: SharedV4ProviderMetadata;
}

type Delta = Extract<LanguageModelV4StreamPart, { type: `${OpenPart['type']}-${'start' | 'delta' | 'end'}` }>;

/**
 * The whole reply of a request that is answered bit by bit: a model that thinks for minutes sends something meanwhile, which
 * keeps the connection. What is newer than the package is left out. Throws what asking throws.
 */
export async function streamReply(
  model: LanguageModelV4,
  options: LanguageModelV4CallOptions,
): Promise<LanguageModelV4GenerateResult> {
  const { stream } = await model.doStream({ ...options, includeRawChunks: true });
  const content: (LanguageModelV4Content | OpenPart)[] = [];
  const open = new Map<string, OpenPart>();
  const details: JSONValue[] = [];
  let warnings: LanguageModelV4GenerateResult['warnings'] = [];
  let response: LanguageModelV4GenerateResult['response'] = {};
  let end: Extract<LanguageModelV4StreamPart, { type: 'finish' }> | undefined;
  for await (const part of stream) {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start':
      case 'text-delta':
      case 'reasoning-delta':
      case 'text-end':
      case 'reasoning-end':
        take(part, open, content);
        break;
      case 'stream-start':
        warnings = part.warnings;
        break;
      case 'response-metadata':
        response = part;
        break;
      case 'finish':
        end = part;
        break;
      case 'error':
        throwUnlessNew(part.error);
        break;
      case 'raw':
        addDetails(part.rawValue, details);
        break;
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'ping':
      case 'custom':
        break;
      default:
        content.push(part);
    }
  }
  if (end === undefined || end.finishReason.unified === 'interrupted')
    throw callError({ cause: new Error('it ended in the middle') });
  const { usage, finishReason } = end;
  const body = { choices: [{ message: details.length === 0 ? {} : { reasoning_details: details } }] };
  return { content, usage, finishReason, warnings, response: { ...response, body } };
}

function take(
  part: Delta,
  open: Map<string, OpenPart>,
  content: (LanguageModelV4Content | OpenPart)[],
): void {
  const type = part.type.startsWith('text') ? 'text' : 'reasoning';
  const key = `${type} ${part.id}`;
  if (part.type === 'text-start' || part.type === 'reasoning-start') {
    const begun = { type, text: '' } as const;
    open.set(key, begun);
    content.push(begun);
  }
  const one = open.get(key);
  // What was left out has no beginning.
  if (one === undefined) return;
  if ('delta' in part) one.text += part.delta;
  if (part.providerMetadata !== undefined) one.providerMetadata = part.providerMetadata;
}

/** Throws what the provider says, or the package; what the package only does not know is no error. */
function throwUnlessNew(error: unknown): void {
  const isForm = TypeValidationError.isInstance(error);
  const said = isForm ? field(error.value, 'error') : error;
  if (said === undefined || said === null) return;
  // Its message repeats what the model wrote.
  if (JSONParseError.isInstance(said)) throw callError({ responseBody: '{' });
  if (said instanceof Error) throw said;
  const status = Number(field(said, 'statusCode')) || 200;
  throw callError({ statusCode: status, responseBody: JSON.stringify({ error: said }) });
}

function callError(details: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({ message: '', url: '', requestBodyValues: {}, statusCode: 200, ...details });
}

/** OpenRouter's reasoning comes in pieces of blocks, and has to go back in whole ones (openrouter.ai/docs, reasoning tokens). */
function addDetails(chunk: unknown, details: JSONValue[]): void {
  const pieces = field(field(firstChoice(chunk), 'delta'), 'reasoning_details');
  if (!Array.isArray(pieces)) return;
  for (const piece of pieces) {
    const last = details.at(-1);
    const isMore =
      last !== undefined && ['type', 'index'].every((key) => field(last, key) === field(piece, key));
    if (isMore) details.splice(-1, 1, joined(last, piece));
    else details.push(piece);
  }
}

function joined(one: JSONValue, more: object): JSONValue {
  const pairs = Object.entries(more).map(([key, value]) => {
    const before = field(one, key);
    const isText = ['text', 'summary', 'data'].includes(key) && typeof before === 'string';
    return [key, isText ? before + (value ?? '') : (value ?? before)];
  });
  return { ...(one as object), ...Object.fromEntries(pairs) };
}
