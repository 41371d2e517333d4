import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import {
  messageOf,
  ProviderError,
  type ProviderErrorCategory,
  type ProviderErrorDetails,
} from '../axe/errors.js';
import { redact } from '../axe/outbound/redact.js';
import type { Provider } from './catalog.js';

/** HTTP status texts as Go's net/http has them, for answers without a message of their own. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  301: 'Moved Permanently',
  302: 'Found',
  303: 'See Other',
  307: 'Temporary Redirect',
  308: 'Permanent Redirect',
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Request Entity Too Large',
  422: 'Unprocessable Entity',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
  529: 'the service is overloaded (HTTP 529)',
};

/** What is told of an error, before the key is taken out of it. */
interface Trouble extends Pick<ProviderErrorDetails, 'status' | 'retryAfterMs' | 'remedy'> {
  readonly category: ProviderErrorCategory;
  readonly text: string;
}

/**
 * What went wrong with a provider, in axe's categories and words (axe-behaviour §12). The key is never in the message,
 * also where the provider repeats it.
 */
export function toProviderError(thrown: unknown, provider: Provider, apiKey: string): ProviderError {
  const { category, text, ...details } = troubleOf(thrown, provider);
  return new ProviderError(category, redact(text, [apiKey]), { ...details, cause: thrown });
}

function troubleOf(thrown: unknown, provider: Provider): Trouble {
  if (InvalidResponseDataError.isInstance(thrown)) {
    return { category: 'server', text: 'response contains no choices' };
  }
  if (!APICallError.isInstance(thrown)) {
    return { category: 'server', text: `failed to parse response: ${messageOf(thrown)}` };
  }
  const { statusCode: status, responseBody } = thrown;
  if (status === undefined) return connectionTrouble(thrown, provider);
  if (status >= 200 && status < 300) return { category: 'server', text: unreadable(thrown), status };
  return {
    category: provider.categories[status] ?? 'server',
    text: apiMessage(responseBody) ?? STATUS_TEXTS[status] ?? `HTTP status ${status}`,
    status,
    ...retryAfter(thrown.responseHeaders),
    ...remedy(status, provider),
  };
}

/** The API's own error message: `{"error": {"message": …}}`, or `{"error": …}` (Ollama), or `{"message": …}`. */
function apiMessage(body: string | undefined): string | undefined {
  const parsed = parseJson(body ?? '');
  const error = field(parsed, 'error') ?? parsed;
  const message = typeof error === 'string' ? error : field(error, 'message');
  return typeof message === 'string' && message.trim() !== '' ? message : undefined;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

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

/** Go's words for the network errors people meet, so that logs read as axe's. */
function connectionTrouble(thrown: APICallError, { id, baseUrlVariable }: Provider): Trouble {
  const cause = networkCause(thrown.cause);
  const url = new URL(thrown.url);
  if (cause.code === 'ECONNREFUSED' && id === 'ollama') {
    const text = `connection refused: is Ollama running? (expected at ${url.origin})`;
    return { category: 'server', text };
  }
  return {
    category: 'server',
    text: `Post "${thrown.url}": ${networkText(cause, url)}`,
    remedy: `Check the network and \`${baseUrlVariable}\`.`,
  };
}

function networkText({ code, message }: NetworkCause, { host, hostname }: URL): string {
  switch (code) {
    case 'ECONNREFUSED':
      return `dial tcp ${host}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${hostname}: no such host`;
    case 'ECONNRESET':
      return 'connection reset by peer';
    default:
      return message;
  }
}

interface NetworkCause {
  readonly code: string | undefined;
  readonly message: string;
}

const MAX_CAUSES = 5;

/**
 * fetch wraps the system's error, once or twice, and in an AggregateError without a message where it tried several
 * addresses; the first of them stands for all. Asked without `instanceof`: the error may come from another realm.
 */
function networkCause(error: unknown, depth = 0): NetworkCause {
  const errors = field(error, 'errors');
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined;
  const code = field(error, 'code');
  const inner = first ?? (typeof code === 'string' ? undefined : field(error, 'cause'));
  if (inner !== undefined && depth < MAX_CAUSES) return networkCause(inner, depth + 1);
  const message = field(error, 'message');
  return {
    code: typeof code === 'string' ? code : undefined,
    message: typeof message === 'string' ? message : String(error),
  };
}

/** `Retry-After` in seconds or as a date (RFC 9110 §10.2.3); the date counts from the answer's own `Date`. */
function retryAfter(headers: Record<string, string> | undefined): Pick<ProviderErrorDetails, 'retryAfterMs'> {
  const value = headers?.['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return { retryAfterMs: Number(value) * 1000 };
  const wait = Date.parse(value) - Date.parse(headers?.['date'] ?? '');
  return Number.isFinite(wait) && wait >= 0 ? { retryAfterMs: wait } : {};
}

function remedy(status: number, { id, keyVariable }: Provider): Pick<ProviderErrorDetails, 'remedy'> {
  if (status === 401 && keyVariable !== '') return { remedy: `Check the key in \`${keyVariable}\`.` };
  if (status === 404)
    return { remedy: `Check the model's name; ${id} does not know it, or the key may not use it.` };
  if (status === 429) return { remedy: 'The provider limits how much may be asked; try again later.' };
  if (status >= 300 && status < 400)
    return { remedy: 'Redirects are not followed; set the base URL to the final address.' };
  return {};
}
