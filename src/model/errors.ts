import { STATUS_CODES } from 'node:http';
import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import { parseJson, propertyOf } from '../lib/data.js';
import { LEAST_REVIEW_TOKENS } from '../lib/defaults.js';
import {
  type ContextOverflow,
  messageOf,
  type NetworkCause,
  networkCause,
  ProviderError,
  type ProviderErrorCategory,
  type ProviderErrorDetails,
} from '../lib/errors.js';
import { cleanLine, formatInteger } from '../lib/text/format.js';
import { redact } from '../safety/redact.js';
import { isHardToGuess } from '../safety/secrets.js';
import type { Provider } from './catalog.js';
import { saysTooLong } from './too-long.js';
import { askedWaitMs, isLastingRefusal, isLoadingModel } from './waiting.js';

/**
 * Most characters that are shown of what a provider says; the rest would bury everything else in a
 * log.
 */
const MAX_ERROR_CHARACTERS = 500;

/**
 * A provider's error in axe's categories and words. Its message never contains a key or another
 * secret, even if the provider repeats it.
 */
export function toProviderError(
  thrown: unknown,
  provider: Provider,
  secrets: readonly string[],
): ProviderError {
  const { category, text, axe, ...details } = troubleOf(thrown, provider);
  // A mask for a key such as `none` would be all over the message.
  const keys = secrets.filter(isHardToGuess);
  const clean = (words: string) => cleanLine(redact(words, keys), MAX_ERROR_CHARACTERS);
  return new ProviderError(category, clean(text), {
    ...details,
    axe: axe && clean(axe),
    cause: thrown,
  });
}

type Summary = { readonly category: ProviderErrorCategory; readonly text: string };

/** The category, words and details of an error, in which a key can still be. */
function troubleOf(thrown: unknown, provider: Provider): ProviderErrorDetails & Summary {
  const unreadable = { category: 'server', remedy: retryRemedy(provider) } as const;
  if (InvalidResponseDataError.isInstance(thrown))
    return { ...unreadable, text: 'response contains no choices' };
  if (!APICallError.isInstance(thrown))
    return { ...unreadable, text: `failed to parse response: ${messageOf(thrown)}` };
  const { statusCode } = thrown;
  const responseBody: unknown = thrown.responseBody;
  if (statusCode === undefined) return connectionTrouble(thrown, provider);
  const isSaidInside = statusCode < 300 || typeof responseBody === 'object';
  const status = (isSaidInside ? statusInside(responseBody) : undefined) ?? statusCode;
  if (status >= 200 && status < 300)
    return { ...unreadable, ...troubleOfReading(thrown, responseBody), status };
  // The Responses package makes errors of good answers, with a status of its own and the parsed
  // body.
  const ownMessage = typeof responseBody === 'object' ? thrown.message : undefined;
  const text = apiMessage(responseBody) ?? ownMessage ?? textOfStatus(status);
  const overflow = findOverflow(status, text, responseBody);
  const refusal = { status, text, body: responseBody };
  const names = namesIn(errorIn(responseBody));
  const retryAfterMs = askedWaitMs(thrown.responseHeaders, refusal);
  return {
    category: provider.categories[status] ?? 'server',
    text,
    status,
    retryAfterMs,
    isLasting: isLastingRefusal(refusal, names, retryAfterMs),
    isLoading: isLoadingModel(refusal, names),
    overflow,
    remedy: overflow === undefined ? remedyFor(status, text, provider) : TOO_LONG,
  };
}

/** Go's words, which are axe's, if Node has others, and ours if neither has any. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  413: 'Request Entity Too Large',
  529: 'the service is overloaded (HTTP 529)',
};

function textOfStatus(status: number): string {
  return STATUS_TEXTS[status] ?? STATUS_CODES[status] ?? `HTTP status ${status}`;
}

/**
 * The API's own error message: `{"error": {"message": …}}`, or `{"error": …}` (Ollama), or
 * `{"message": …}` (Bedrock), or a list of one of them (Vertex), or inside of a response
 * (Responses, streamed), or `{"detail": …}` (FastAPI, which many servers of one's own are made with).
 */
function apiMessage(body: unknown): string | undefined {
  const error = errorIn(body);
  // Cloudflare sends a list of errors.
  const errors = propertyOf(error, 'errors');
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const words =
    propertyOf(error, 'message') ??
    propertyOf(first, 'message') ??
    detailOf(propertyOf(error, 'detail'));
  const message = typeof error === 'string' ? error : words;
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
}

/** FastAPI's detail is a text, or a list of places in the request with what is wrong there. */
function detailOf(detail: unknown): unknown {
  const first: unknown = Array.isArray(detail) ? detail[0] : undefined;
  if (first === undefined) return detail;
  const place = propertyOf(first, 'loc');
  const words = propertyOf(first, 'msg');
  return Array.isArray(place) && words !== undefined ? `${place.join('.')}: ${words}` : words;
}

/**
 * The status of an error that came as a good answer: OpenRouter gives it as the code, others have
 * names of their own.
 */
function statusInside(body: unknown): number | undefined {
  const error = propertyOf(typeof body === 'string' ? parseJson(body) : body, 'error') ?? undefined;
  if (error === undefined || apiMessage(body) === undefined) return undefined;
  const code = propertyOf(error, 'code');
  if (typeof code === 'number' && code >= 400 && code < 600) return code;
  const names = namesIn(error).join(' ');
  if (/rate_limit|insufficient_quota/.test(names)) return 429;
  if (/authentication|api_key/.test(names)) return 401;
  if (/permission/.test(names)) return 403;
  if (/invalid_(?:request|prompt|argument)/.test(names)) return 400;
  return /overloaded/.test(names) ? 529 : 500;
}

function namesIn(error: unknown): readonly string[] {
  return [propertyOf(error, 'code'), propertyOf(error, 'type')].filter(
    (name) => typeof name === 'string',
  );
}

/** Says what came instead of an answer: half of one, a page, JSON of another shape. */
function troubleOfReading(
  { cause }: APICallError,
  body: unknown,
): Pick<ProviderErrorDetails & Summary, 'text' | 'axe' | 'connection'> {
  if (body === undefined) {
    const { code = '', message } = networkCause(cause);
    const reason = SOCKET_CODES.has(code) ? 'the server closed the connection' : message;
    const text = `the answer broke off: ${reason}`;
    return { text, axe: `failed to read response body: ${message}`, connection: 'broken' };
  }
  return { text: `failed to parse response: ${apiMessage(body) ?? shapeOf(body)}` };
}

function shapeOf(body: unknown): string {
  if (typeof body !== 'string' || parseJson(body) !== undefined)
    return 'the body does not have the expected shape';
  if (body.trim() === '') return 'the body is empty';
  return /^\s*<(?:!doctype|html)\b/i.test(body)
    ? 'the body is an HTML page'
    : 'the body is not valid JSON';
}

/** Codes of a connection that the other side closed; the second is undici's. */
const SOCKET_CODES = new Set(['ECONNRESET', 'UND_ERR_SOCKET']);

function connectionTrouble(
  thrown: APICallError,
  { id, baseUrlVariable }: Provider,
): ProviderErrorDetails & Summary {
  const cause = networkCause(thrown.cause);
  // The proxy did not let the request through, so the model's own host has no part in it.
  if (cause.remedy !== undefined)
    return { category: 'server', text: cause.message, remedy: cause.remedy };
  const url = new URL(thrown.url);
  if (cause.code === 'ECONNREFUSED' && id === 'ollama') {
    const text = `connection refused: is Ollama running? (expected at ${url.origin})`;
    const remedy = `Start it with \`ollama serve\`, or set \`${baseUrlVariable}\` to where it runs.`;
    return { category: 'server', text, remedy, connection: 'refused' };
  }
  const { text, axe } = networkTexts(cause, url);
  return {
    category: 'server',
    text: `${url.origin}: ${text}`,
    axe: `Post "${thrown.url}": ${axe}`,
    remedy: `Check the network and \`${baseUrlVariable}\`.`,
    connection: cause.code === 'ECONNREFUSED' ? 'refused' : undefined,
  };
}

/** The reason why a host was not reached, to follow its name; and in Go's words, as axe has it. */
export function networkTexts(
  { code, message }: NetworkCause,
  { host, hostname }: URL,
): { readonly text: string; readonly axe: string } {
  switch (code) {
    case 'ECONNREFUSED':
      return {
        text: 'nothing answers there (connection refused)',
        axe: `dial tcp ${host}: connect: connection refused`,
      };
    case 'ENOTFOUND':
      return { text: 'there is no such host', axe: `dial tcp: lookup ${hostname}: no such host` };
    case 'ECONNRESET':
    // undici's word for it: "other side closed".
    case 'UND_ERR_SOCKET':
      return {
        text: 'the connection broke before the answer came',
        axe: 'connection reset by peer',
      };
    default:
      return { text: message, axe: message };
  }
}

const PROVIDER_DOWN =
  'The provider has a problem. Try again later, or use another model: a second one in `model` in a workflow, `--model` on the ' +
  'command line.';
const TOO_LONG = `Give the agent less to read, or choose a model with a larger context window. A review needs at least ${formatInteger(LEAST_REVIEW_TOKENS)} tokens.`;

/** For an answer that cannot be read: half of one, or that of a proxy or a sign-in page. */
export function retryRemedy({ baseUrlVariable }: Provider): string {
  return `Run it again. If that does not help, check what answers at the address: a proxy, or \`${baseUrlVariable}\`.`;
}

function remedyFor(status: number, text: string, provider: Provider): string {
  const { id, keyVariable, access } = provider;
  if (/\bdoes not support tools\b/i.test(text))
    return 'Choose a model that supports tools (in Ollama, `ollama show` lists `tools` for it), or an agent without tools.';
  // LiteLLM looks up every key but its master key in a database.
  if (/\bno connected db\b/i.test(text))
    return `Check the key in \`${keyVariable}\`: without a database, LiteLLM accepts its master key alone.`;
  // Google refuses a wrong key with 400.
  const isKeyRefused =
    [401, 403].includes(status) || (status === 400 && /API key not valid/i.test(text));
  if (isKeyRefused && access !== 'direct')
    return `Check that the key or role can use this model on ${id}, in this region or project.`;
  if (isKeyRefused) return `Check the key in \`${keyVariable}\`, and that it can use this model.`;
  if (status === 404)
    return `Check the model's name; ${id} does not know it, or the key cannot use it.`;
  if (status === 402 || /\b(?:credits?|billing|quota)\b/i.test(text))
    return `Check the credits, the quota and the billing of the account at ${id}.`;
  if (status === 429)
    return 'The provider limits requests and tokens. Try again later, or use another model.';
  if (status >= 500 || status === 408 || status === 424) return PROVIDER_DOWN;
  if (status >= 300 && status < 400)
    return 'Redirects are not followed; set the base URL to the final address.';
  if (/\bcontent management policy\b/.test(text))
    return 'Reword the task, or choose another model.';
  return 'Check `model` and `[params]` of the agent against what the provider says.';
}

/**
 * `error.code` or `error.type` of OpenAI and those that follow it, llama.cpp, Anthropic and GitHub
 * Models.
 */
const CODES = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'request_too_large',
  'tokens_limit_reached',
  'model_max_prompt_tokens_exceeded',
]);

/** Statuses of other refusals, whatever their words say. */
const NEVER_TOO_LONG = new Set([401, 402, 403, 404, 408, 429, 431]);

/** The size of the window, the most certain form first. */
const LIMITS: readonly RegExp[] = [
  /(?:[>=]|\bn_ctx:) ([\d,]+)/,
  /\bmax\w*\D{0,60}?([\d,]+)/i,
  /\b([\d,]+) maximum\b/i,
  /\b(?:context[ _-](?:length|limit|size|window)|model token limit)\D{0,40}?([\d,]+)/i,
  /\blimit is ([\d,]+)/i,
];

/** Less than that is not a window but another number. */
const LEAST_WINDOW = 256;

/**
 * Finds out if an error says that the request did not fit into the model's window, with the size of
 * the window if it says that too. A rate limit does not count, even if it is about tokens.
 * @internal
 */
export function findOverflow(
  status: number,
  text: string,
  body: unknown,
): ContextOverflow | undefined {
  if (NEVER_TOO_LONG.has(status) || status > 500) return undefined;
  const isCoded = namesIn(errorIn(body)).some((name) => CODES.has(name));
  if (!isCoded && !saysTooLong(text)) return undefined;
  const sizes = LIMITS.map((limit) => Number(limit.exec(text)?.[1]?.replaceAll(',', '')));
  return { windowTokens: sizes.find((tokens) => tokens >= LEAST_WINDOW) };
}

function errorIn(body: unknown): unknown {
  const parsed = typeof body === 'string' ? parseJson(body) : body;
  const first: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  return propertyOf(first, 'error') ?? propertyOf(propertyOf(first, 'response'), 'error') ?? first;
}
