import { type Chunks, readBytes, withBody } from '../lib/response.js';
import type { Protocol } from './catalog.js';
import { field, parseJson } from './json.js';

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

/** What a request without tools of the provider's own is answered with; everything else is news. */
const BLOCKS = ['text', 'thinking', 'redacted_thinking', 'tool_use'];
const ITEMS = ['message', 'reasoning', 'function_call'];

/** The kind of content that a chunk of a stream begins, if nothing here knows it. */
export function newKindIn(chunk: unknown): string | undefined {
  const kind = field(field(chunk, 'content_block') ?? field(chunk, 'item'), 'type');
  return typeof kind === 'string' && ![...BLOCKS, ...ITEMS].includes(kind) ? kind : undefined;
}

/** Where a repaired reply says which kinds it has lost (see {@link skippedKinds}). */
export const SKIPPED = 'skipped_kinds';

/** The kinds of content that were left out of a reply since nothing here knows them. */
export function skippedKinds(body: unknown): readonly string[] {
  const kinds: unknown = isObject(body) ? body[SKIPPED] : undefined;
  return Array.isArray(kinds) ? kinds.map(String) : [];
}

/** The object without what is of another kind in one of its lists. */
function withKnownKinds(whole: Json, key: string, kinds: readonly string[]): Json {
  const list = whole[key];
  const isOther = (one: unknown): boolean => isObject(one) && !kinds.includes(String(one['type']));
  if (!Array.isArray(list) || !list.some(isOther)) return whole;
  const skipped = list.filter(isOther).map(({ type }) => String(type));
  return {
    ...whole,
    [key]: list.filter((one) => !isOther(one)),
    [SKIPPED]: [...new Set(skipped)],
  };
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
    choices: choices.map((choice: unknown) => (hasParts(choice) ? joined(choice) : choice)),
  };
}

interface ChoiceOfParts extends Json {
  readonly message: Json & { readonly content: readonly unknown[] };
}

function hasParts(choice: unknown): choice is ChoiceOfParts {
  return isObject(choice) && isObject(choice['message']) && Array.isArray(choice['message']['content']);
}

function joined(choice: ChoiceOfParts): Json {
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
