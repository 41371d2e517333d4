import { STATUS_CODES } from 'node:http';
import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import {
  type ContextOverflow,
  messageOf,
  type NetworkCause,
  networkCause,
  ProviderError,
  type ProviderErrorCategory,
  type ProviderErrorDetails,
} from '../lib/errors.js';
import { field, parseJson } from '../lib/json.js';
import { cleanLine } from '../lib/text/cut.js';
import { redact } from '../safety/redact.js';
import type { Provider } from './catalog.js';

/** HTTP status texts where Go's net/http has others than Node, for answers without a message of their own. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  413: 'Request Entity Too Large',
  529: 'the service is overloaded (HTTP 529)',
};

/** Most characters that are shown of what a provider says; the rest would bury everything else in a log. */
const MAX_ERROR_CHARACTERS = 500;

/** What is told of an error, before the key is taken out of it. */
interface Trouble extends ProviderErrorDetails {
  readonly category: ProviderErrorCategory;
  readonly text: string;
}

/**
 * What went wrong with a provider, in axe's categories and words (axe-behaviour §12). The key is never in the message,
 * also where the provider repeats it; so it is with whatever else is secret.
 */
export function toProviderError(
  thrown: unknown,
  provider: Provider,
  secrets: readonly string[],
): ProviderError {
  const { category, text, axe, ...details } = troubleOf(thrown, provider);
  const clean = (said: string) => cleanLine(redact(said, secrets), MAX_ERROR_CHARACTERS);
  return new ProviderError(category, clean(text), { ...details, axe: axe && clean(axe), cause: thrown });
}

function troubleOf(thrown: unknown, provider: Provider): Trouble {
  if (InvalidResponseDataError.isInstance(thrown)) {
    return { category: 'server', text: 'response contains no choices', remedy: retryRemedy(provider) };
  }
  if (!APICallError.isInstance(thrown)) {
    const text = `failed to parse response: ${messageOf(thrown)}`;
    return { category: 'server', text, remedy: retryRemedy(provider) };
  }
  const { statusCode } = thrown;
  const responseBody: unknown = thrown.responseBody;
  if (statusCode === undefined) return connectionTrouble(thrown, provider);
  const isSaidInside = statusCode < 300 || typeof responseBody === 'object';
  const status = (isSaidInside ? statusInside(responseBody) : undefined) ?? statusCode;
  if (status >= 200 && status < 300)
    return { category: 'server', text: unreadable(thrown), status, remedy: retryRemedy(provider) };
  // The Responses package makes errors of good answers, with a status of its own and the parsed body.
  const ownMessage = typeof responseBody === 'object' ? thrown.message : undefined;
  const statusText = STATUS_TEXTS[status] ?? STATUS_CODES[status] ?? `HTTP status ${status}`;
  const text = apiMessage(responseBody) ?? ownMessage ?? statusText;
  const overflow = findOverflow(status, text, responseBody);
  return {
    category: provider.categories[status] ?? 'server',
    text,
    status,
    retryAfterMs: retryAfter(thrown.responseHeaders, responseBody),
    overflow,
    isLasting: namesIn(errorIn(responseBody)).includes('insufficient_quota'),
    remedy: overflow === undefined ? remedyFor(status, text, provider) : TOO_LONG,
  };
}

/**
 * The API's own error message: `{"error": {"message": …}}`, or `{"error": …}` (Ollama), or `{"message": …}`
 * (Bedrock), or a list of one of them (Vertex), or inside of a response (Responses, streamed).
 */
function apiMessage(body: unknown): string | undefined {
  const error = errorIn(body);
  const message = typeof error === 'string' ? error : field(error, 'message');
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
}

/**
 * The status that an error stands for which came as a good answer: OpenRouter gives it as the code, OpenAI has
 * `server_error` and the like (API reference, Responses, `error`), Anthropic `overloaded_error`.
 */
function statusInside(body: unknown): number | undefined {
  const error = field(typeof body === 'string' ? parseJson(body) : body, 'error') ?? undefined;
  if (error === undefined || apiMessage(body) === undefined) return undefined;
  const code = field(error, 'code');
  if (typeof code === 'number' && code >= 400 && code < 600) return code;
  const names = namesIn(error).join(' ');
  return STATUS_OF_NAMES.find(([words]) => words.test(names))?.[1] ?? 500;
}

function namesIn(error: unknown): readonly string[] {
  return [field(error, 'code'), field(error, 'type')].filter((name) => typeof name === 'string');
}

const STATUS_OF_NAMES: readonly (readonly [RegExp, number])[] = [
  [/rate_limit|insufficient_quota/, 429],
  [/overloaded/, 529],
  [/authentication|api_key/, 401],
  [/permission/, 403],
  [/invalid|context_length|too_large/, 400],
];

/** Says what came instead of an answer: half of one, an HTML page, an empty body, JSON of another shape. */
function unreadable({ responseBody, cause }: APICallError): string {
  if (responseBody === undefined) return `failed to read response body: ${networkCause(cause).message}`;
  const body = responseBody.trim();
  if (body === '') return 'failed to parse response: the body is empty';
  if (/^<(?:!doctype|html|\?xml)/i.test(body))
    return 'failed to parse response: the body is an HTML page, not JSON';
  if (parseJson(body) === undefined) return 'failed to parse response: the body is not valid JSON';
  return `failed to parse response: ${apiMessage(body) ?? 'the body does not have the expected shape'}`;
}

function connectionTrouble(thrown: APICallError, { id, baseUrlVariable, keyVariable }: Provider): Trouble {
  const cause = networkCause(thrown.cause);
  // The proxy did not let the request through, so the model's own host has no part in it.
  if (cause.remedy !== undefined) return { category: 'server', text: cause.message, remedy: cause.remedy };
  const url = new URL(thrown.url);
  if (cause.code === 'ERR_INVALID_CHAR') {
    const remedy = `Set \`${keyVariable}\` again: a key with a line break or a typographic quote cannot be sent.`;
    return { category: 'auth', text: `Post "${thrown.url}": ${cause.message}`, remedy };
  }
  if (cause.code === 'ECONNREFUSED' && id === 'ollama') {
    const text = `connection refused: is Ollama running? (expected at ${url.origin})`;
    const remedy = `Start it with \`ollama serve\`, or set \`${baseUrlVariable}\` to where it runs.`;
    return { category: 'server', text, remedy };
  }
  return {
    category: 'server',
    text: `${url.origin}: ${networkText(cause)}`,
    axe: `Post "${thrown.url}": ${networkTextOfAxe(cause, url)}`,
    remedy: `Check the network and \`${baseUrlVariable}\`.`,
  };
}

/**
 * `Retry-After` in seconds or as a date (RFC 9110 §10.2.3); the date counts from the answer's own `Date`. OpenAI and
 * Azure tell milliseconds as well, Google only writes `"retryDelay": "34s"` into the body (google.rpc.RetryInfo).
 */
function retryAfter(headers: Record<string, string> = {}, body: unknown): number | undefined {
  const milliseconds = headers['retry-after-ms']?.trim() ?? '';
  if (/^\d{1,12}$/.test(milliseconds)) return Number(milliseconds);
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const wait = Date.parse(value) - Date.parse(headers['date'] ?? '');
  if (Number.isFinite(wait) && wait >= 0) return wait;
  const delay = /"retryDelay"\s*:\s*"(\d{1,6}(?:\.\d{1,9})?)s"/.exec(typeof body === 'string' ? body : '');
  return delay === null ? undefined : Math.ceil(Number(delay[1]) * 1000);
}

const PROVIDER_DOWN =
  'The provider has a problem. Try again later, or use another model: a second one in `model` in a workflow, `--model` on the ' +
  'command line.';
const TOO_LONG = 'Give the agent less to read, or choose a model with a larger context window.';

/** For an answer that cannot be read: half of one, or that of a proxy or a sign-in page. */
export function retryRemedy({ baseUrlVariable }: Provider): string {
  return `Run it again. If that does not help, check what answers at the address: a proxy, or \`${baseUrlVariable}\`.`;
}

function remedyFor(status: number, text: string, { id, keyVariable, access }: Provider): string {
  // Google refuses a wrong key with 400.
  const isKeyRefused = status === 401 || (status === 400 && /API key not valid/i.test(text));
  if (isKeyRefused && access === 'direct' && keyVariable !== '')
    return `Check the key in \`${keyVariable}\`.`;
  if ((status === 401 || status === 403) && access !== 'direct')
    return `Check that the key or role can use this model on ${id}, in this region or project.`;
  if (status === 404) return `Check the model's name; ${id} does not know it, or the key cannot use it.`;
  if (status === 402 || /\b(?:credits?|billing|quota)\b/i.test(text))
    return `Check the credits, the quota and the billing of the account at ${id}.`;
  if (status === 403 && keyVariable !== '')
    return `Check that the key in \`${keyVariable}\` can use this model.`;
  if (status === 429)
    return 'The provider limits requests and tokens. Try again later, or use another model.';
  if (status >= 500 || status === 408) return PROVIDER_DOWN;
  if (status >= 300 && status < 400)
    return 'Redirects are not followed; set the base URL to the final address.';
  return 'Check `model` and `[params]` of the agent against what the provider says.';
}

/** `error.code` or `error.type` of OpenAI and those that follow it, llama.cpp, Anthropic and GitHub Models. */
const CODES = new Set([
  'context_length_exceeded',
  'exceed_context_size_error',
  'request_too_large',
  'tokens_limit_reached',
  'model_max_prompt_tokens_exceeded',
]);

/** What the others say in words alone. None of it is said of an output limit that is set too high. */
const WORDS: readonly RegExp[] = [
  /\b(?:prompt|input|conversation|length of all messages) is too long\b/i,
  /\bmaximum (?:context|prompt|input) (?:length|size)\b/i,
  /\bexceed\w*\b.{0,60}\bcontext[ _-](?:length|limit|size|window)\b/is,
  /\bcontext[ _-](?:length|limit|size|window)\b.{0,60}\bexceed/is,
  /\binput token count\b.{0,60}\bexceeds\b/is,
  /\btoo many (?:input |prompt )?tokens\b/i,
  /\btoo large for model with\b/i,
  /\binput tokens exceed/i,
  /\breduce the length of (?:the|your) (?:messages|prompt|input)\b/i,
  /`inputs` tokens \+ `max_new_tokens` must be <=/i,
  /\brequest exceeds the maximum size\b/i,
  // SGLang and Together (sgl-project/sglang issues 8096 and 4048), vLLM, Ollama (llm/llama_server.go).
  /\b(?:longer|greater) than the (?:model's |maximum )?(?:context|model) length\b/i,
  /\bexceeds the maximum allowed length\b/i,
  // Kimi (MoonshotAI/kimi-cli issue 2011); LM Studio (lmstudio-bug-tracker issues 546 and 2256).
  /\bexceeded model token limit\b/i,
  /\btokens when (?:the )?context (?:the )?overflows\b/i,
];

/** How large the window is, the surest form first. */
const LIMITS: readonly RegExp[] = [
  /\bn_ctx: ([\d,]+)/,
  /\bmaximum (?:allowed|model) length\D{0,40}?([\d,]+)/i,
  /\bmodel token limit: ([\d,]+)/i,
  /> ([\d,]+)(?: maximum|\b)/,
  /\b([\d,]+) maximum context length\b/i,
  /\bmaximum (?:context|prompt|input) (?:length|size)\D{0,40}?([\d,]+)/i,
  /\bmaximum number of (?:input )?tokens\D{0,40}?([\d,]+)/i,
  /\bcontext (?:length|limit|size|window)\D{0,40}?([\d,]+)/i,
  /\bmax size:? ([\d,]+) tokens\b/i,
  /<= ([\d,]+)/,
];

/** Less than that is not a window but another number. */
const LEAST_WINDOW = 256;

/**
 * Whether an error says that the request did not fit into the model's window, and how large that is where it says so.
 * A rate limit is none, however much it talks of tokens.
 */
export function findOverflow(status: number, text: string, body: unknown): ContextOverflow | undefined {
  if (status === 401 || status === 403 || status === 404 || status === 429) return undefined;
  const error = errorIn(body);
  const isCoded = namesIn(error).some((name) => CODES.has(name));
  if (!isCoded && !WORDS.some((words) => words.test(text))) return undefined;
  return { windowTokens: windowIn(text, error) };
}

function errorIn(body: unknown): unknown {
  const parsed = typeof body === 'string' ? parseJson(body) : body;
  const one: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
  return field(one, 'error') ?? field(field(one, 'response'), 'error') ?? one;
}

function windowIn(text: string, error: unknown): number | undefined {
  const reported = field(error, 'n_ctx');
  if (typeof reported === 'number' && reported >= LEAST_WINDOW) return reported;
  const found = LIMITS.map((limit) => Number(limit.exec(text)?.[1]?.replaceAll(',', '')));
  return found.find((tokens) => tokens >= LEAST_WINDOW);
}

/** What went wrong on the way to a host, whose name goes before. */
export function networkText({ code, message }: NetworkCause): string {
  switch (code) {
    case 'ECONNREFUSED':
      return 'nothing answers there (connection refused)';
    case 'ENOTFOUND':
      return 'there is no such host';
    case 'ECONNRESET':
    // undici's word for it: "other side closed".
    case 'UND_ERR_SOCKET':
      return 'the connection broke before the answer came';
    default:
      return message;
  }
}

/** The same in Go's words, which are axe's (axe-behaviour §12). */
function networkTextOfAxe({ code, message }: NetworkCause, { host, hostname }: URL): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${host}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ECONNRESET':
    // undici's word for it: "other side closed".
    case 'UND_ERR_SOCKET':
      return 'connection reset by peer';
    default:
      return message;
  }
}
