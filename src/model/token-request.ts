import { AxeError, ProviderError, type ProviderErrorCategory } from '../lib/errors.js';
import { networkCause } from '../lib/network-cause.js';
import { redact } from '../safety/redact.js';
import { networkText } from './errors.js';
import { field, parseJson } from './json.js';

export interface TokenRequest {
  readonly fetch: typeof globalThis.fetch;
  /** Who is asked, for messages: `AWS STS`. */
  readonly who: string;
  readonly url: string;
  /** Sent as a form; an object as JSON; undefined asks with GET. */
  readonly body: URLSearchParams | Readonly<Record<string, unknown>> | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** What an answer may repeat and a message must not show. */
  readonly secrets: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/**
 * Text of a good answer. Throws a ProviderError: `auth` where the server refuses, else in the words of the network;
 * never with a secret in it. The given fetch follows no redirect, which could carry a credential to another host.
 */
export async function requestToken(request: TokenRequest): Promise<string> {
  const { who, url, secrets, signal } = request;
  const answer = await send(request).catch((thrown: unknown) => {
    if (thrown instanceof AxeError || signal?.aborted === true) throw thrown;
    const cause = networkCause(thrown);
    const { remedy } = cause;
    const text = remedy === undefined ? `Post "${url}": ${networkText(cause, new URL(url))}` : cause.message;
    throw new ProviderError('server', `${who}: ${text}`, {
      ...(remedy === undefined ? {} : { remedy }),
      cause: thrown,
    });
  });
  if (answer.status >= 200 && answer.status < 300) return answer.text;
  const reason = redact(reasonOf(answer.text) ?? `HTTP status ${answer.status}`, secrets);
  throw new ProviderError(categoryOf(answer.status), `${who} gave no credentials: ${reason}`, {
    status: answer.status,
    remedy: 'Check that the cloud trusts this repository, and the names of role, client or provider.',
  });
}

async function send({ fetch, url, body, headers, signal }: TokenRequest) {
  const isForm = body instanceof URLSearchParams;
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(body === undefined ? {} : { 'content-type': type }), ...headers },
    ...(body === undefined ? {} : { body: isForm ? body.toString() : JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
  return { status: response.status, text: await response.text() };
}

function categoryOf(status: number): ProviderErrorCategory {
  if (status === 429) return 'rate_limit';
  return status >= 400 && status < 500 ? 'auth' : 'server';
}

/** OAuth's `error_description`, Google's `error.message`, or AWS's `<Message>`. */
function reasonOf(text: string): string | undefined {
  const xml = /<Message>([^<]+)<\/Message>/.exec(text)?.[1];
  if (xml !== undefined) return xml;
  const answer = parseJson(text);
  const error = field(answer, 'error');
  const reasons = [field(answer, 'error_description'), field(error, 'message'), error];
  return reasons.find((reason) => typeof reason === 'string');
}

/** A text of a JSON object. Throws a ProviderError that names it and who left it out. */
export function textField(value: unknown, key: string, who: string): string {
  const text = field(value, key);
  if (typeof text === 'string' && text !== '') return text;
  throw new ProviderError('server', `${who}: \`${key}\` is missing`);
}

/** The end of a credential's life from its `expires_in` in seconds; an hour, as all three clouds have it, without. */
export function expiryOf(expiresInSeconds: unknown, nowMs: number): number {
  const seconds = Number(expiresInSeconds);
  return nowMs + (Number.isFinite(seconds) && seconds > 0 ? seconds : 3600) * 1000;
}
