import { APICallError, InvalidResponseDataError } from '@ai-sdk/provider';
import { type AxeError, messageOf, ProviderError, type ProviderErrorDetails } from '../axe/errors.js';
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

/** What went wrong with a provider, in axe's categories and words (axe-behaviour §12). Never holds a key. */
export function toProviderError(thrown: unknown, provider: Provider): AxeError {
  if (InvalidResponseDataError.isInstance(thrown)) {
    return new ProviderError('server', 'response contains no choices', { cause: thrown });
  }
  if (!APICallError.isInstance(thrown)) {
    return new ProviderError('server', `failed to parse response: ${messageOf(thrown)}`, { cause: thrown });
  }
  const { statusCode: status } = thrown;
  if (status === undefined) return connectionError(thrown, provider);
  if (status >= 200 && status < 300) {
    return new ProviderError('server', `failed to parse response: ${unreadable(thrown)}`, {
      cause: thrown,
      status,
    });
  }
  const category = provider.categories[status] ?? 'server';
  const text = apiMessage(thrown.responseBody) ?? STATUS_TEXTS[status] ?? `HTTP status ${status}`;
  return new ProviderError(category, text, {
    cause: thrown,
    status,
    ...retryAfter(thrown.responseHeaders),
    ...remedy(status, provider),
  });
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
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

/** Says what came instead of an answer: an HTML page, an empty body, JSON of another shape. */
function unreadable({ responseBody = '', cause }: APICallError): string {
  const body = responseBody.trim();
  if (body === '') return 'the body is empty';
  if (/^<(?:!doctype|html|\?xml)/i.test(body)) return 'the body is an HTML page, not JSON';
  if (parseJson(body) === undefined) return 'the body is not valid JSON';
  return `the body does not have the expected shape (${messageOf(cause).split('\n', 1)[0] ?? ''})`;
}

/** Go's words for the network errors people meet, so that logs read as axe's. */
function connectionError(thrown: APICallError, provider: Provider): AxeError {
  const cause = networkCause(thrown);
  if (cause.code === 'ECONNREFUSED' && provider.id === 'ollama') {
    const base = new URL(thrown.url).origin;
    return new ProviderError('server', `connection refused: is Ollama running? (expected at ${base})`, {
      cause: thrown,
    });
  }
  return new ProviderError('server', `Post "${thrown.url}": ${networkText(cause, thrown)}`, {
    cause: thrown,
    remedy: `Check the network and \`${provider.baseUrlVariable}\`.`,
  });
}

function networkText(cause: NetworkCause, thrown: APICallError): string {
  const { host } = new URL(thrown.url);
  switch (cause.code) {
    case 'ECONNREFUSED':
      return `dial tcp ${host}: connect: connection refused`;
    case 'ENOTFOUND':
      return `dial tcp: lookup ${host}: no such host`;
    case 'ECONNRESET':
      return 'connection reset by peer';
    default:
      return cause.message;
  }
}

interface NetworkCause {
  readonly code: string | undefined;
  readonly message: string;
}

/** fetch wraps the system's error, once or twice, and in an AggregateError where it tried several addresses. */
function networkCause(error: unknown, depth = 0): NetworkCause {
  const code = field(error, 'code');
  if (typeof code === 'string' || depth > 4)
    return { code: typeof code === 'string' ? code : undefined, message: messageOf(error) };
  const inner =
    error instanceof AggregateError ? error.errors[0] : error instanceof Error ? error.cause : undefined;
  return inner === undefined
    ? { code: undefined, message: messageOf(error) }
    : networkCause(inner, depth + 1);
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
