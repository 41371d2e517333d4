import { parseJson, propertyOf } from '../lib/data.js';
import type { Environment } from '../lib/environment.js';
import { AxeError, messageOf, networkCause, ProviderError } from '../lib/errors.js';
import { redact } from '../safety/redact.js';
import { networkTexts } from './errors.js';

export interface KeylessPorts {
  readonly env: Environment;
  readonly fetch: typeof globalThis.fetch;
  /**
   * GitHub's signed statement of who runs this job (OIDC), for one audience; absent outside of a
   * workflow.
   */
  readonly idToken?: (audience: string) => Promise<string>;
  /** Text of a credential file; undefined if there is none. */
  readonly readTextFile?: (path: string) => Promise<string | undefined>;
}

interface Expiring<T> {
  readonly value: T;
  readonly expiresAtMs: number;
}

/** Gets a credential that is good for one request, which the signal ends. */
export type FreshCredential<T> = (signal?: AbortSignal) => Promise<T>;

/**
 * A new one is asked for this long before the old one ends: no request may outlive its credential.
 */
const MARGIN_MS = 5 * 60_000;

/** The credential, kept until shortly before it ends. */
export function keepFresh<T>(
  load: (signal?: AbortSignal) => Promise<Expiring<T>>,
): FreshCredential<T> {
  let current: Expiring<T> | undefined;
  return async (signal) => {
    if (current === undefined || !(current.expiresAtMs - MARGIN_MS > Date.now()))
      current = await load(signal);
    return current.value;
  };
}

/** GitHub's signed statement. Throws a ProviderError (`auth`) that says what the workflow lacks. */
export async function readStatement({ idToken }: KeylessPorts, audience: string): Promise<string> {
  if (idToken === undefined) {
    throw new ProviderError('auth', 'there is no identity token: this is not a job of a workflow', {
      remedy: 'Outside of a workflow use a key.',
    });
  }
  try {
    return await idToken(audience);
  } catch (thrown) {
    if (thrown instanceof AxeError) throw thrown;
    throw new ProviderError('auth', `GitHub gave no identity token: ${messageOf(thrown)}`, {
      remedy: 'Add `id-token: write` to the `permissions:` of the job.',
      cause: thrown,
    });
  }
}

/** Text of a file that the environment names. Throws a ProviderError (`auth`) if there is none. */
export async function readNamedFile({ readTextFile }: KeylessPorts, path: string): Promise<string> {
  const text = await readTextFile?.(path);
  if (text !== undefined) return text;
  throw new ProviderError('auth', `the credential file \`${path}\` cannot be read`, {
    remedy: 'Check the path in the environment of the step.',
  });
}

/**
 * Headers in which the packages send a key; each insists on one, also where there is none to send.
 */
const KEY_HEADERS = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'];

/** Replaces the key that a package insists on. It is never sent: {@link withAuth} removes it. */
export const NO_KEY = 'none';

/** Sends these headers instead of the package's own key. */
export function withAuth(
  fetch: typeof globalThis.fetch,
  auth: FreshCredential<Readonly<Record<string, string>>>,
): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const name of KEY_HEADERS) headers.delete(name);
    const credentials = await auth(init?.signal ?? undefined);
    return await fetch(input, {
      ...init,
      headers: { ...Object.fromEntries(headers), ...credentials },
    });
  };
}

/** The token as a header (RFC 6750). */
export function bearer(
  token: FreshCredential<string>,
): FreshCredential<Readonly<Record<string, string>>> {
  return async (signal) => ({ authorization: `Bearer ${await token(signal)}` });
}

interface TokenRequest {
  /** The name of the service, for messages: `AWS STS`. */
  readonly service: string;
  readonly url: string;
  /** Sent as a form; left out, `json` is sent. */
  readonly form?: Readonly<Record<string, string>>;
  readonly json?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** An answer can repeat it, and a message must not show it. */
  readonly secret: string;
}

/**
 * Text of a good answer. Throws a ProviderError: `auth` where the server refuses, else in the words
 * of the network; never with a secret in it. The given fetch follows no redirect, which could carry
 * a credential to another host.
 */
export async function requestToken(
  { service, url, form, json, headers, secret }: TokenRequest,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal | undefined,
): Promise<string> {
  const type = form === undefined ? 'application/json' : 'application/x-www-form-urlencoded';
  const body = form === undefined ? JSON.stringify(json) : new URLSearchParams(form).toString();
  let status: number;
  let text: string;
  try {
    const sent = { method: 'POST', headers: { 'content-type': type, ...headers }, body, signal };
    const response = await fetch(url, sent);
    status = response.status;
    text = await response.text();
  } catch (thrown) {
    if (signal?.aborted === true) throw thrown;
    const cause = networkCause(thrown);
    const { remedy } = cause;
    const address = new URL(url);
    const problem =
      remedy === undefined
        ? `${address.origin}: ${networkTexts(cause, address).text}`
        : cause.message;
    throw new ProviderError('server', `${service}: ${problem}`, { remedy, cause: thrown });
  }
  if (status >= 200 && status < 300) return text;
  const isClientError = status >= 400 && status < 500;
  const otherCategory = isClientError ? 'auth' : 'server';
  const category = status === 429 ? 'rate_limit' : otherCategory;
  const reason = redact(reasonOf(text) ?? `HTTP status ${status}`, [secret]);
  throw new ProviderError(category, `${service} gave no credentials: ${reason}`, {
    status,
    remedy:
      'Check that the cloud trusts this repository, and the names of role, client or provider.',
  });
}

/** An access token of OAuth; of an hour, as the clouds have it, where the answer does not say. */
export async function requestAccessToken(
  request: TokenRequest,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal | undefined,
): Promise<Expiring<string>> {
  const answer = parseJson(await requestToken(request, fetch, signal));
  const seconds = Number(propertyOf(answer, 'expires_in')) || 3600;
  return {
    value: textField(answer, 'access_token', request.service),
    expiresAtMs: Date.now() + seconds * 1000,
  };
}

/** OAuth's `error_description`, Google's `error.message`, or AWS's `<Message>`. */
function reasonOf(text: string): string | undefined {
  const xml = /<Message>([^<]+)<\/Message>/.exec(text)?.[1];
  if (xml !== undefined) return xml;
  const answer = parseJson(text);
  const error = propertyOf(answer, 'error');
  const reasons = [propertyOf(answer, 'error_description'), propertyOf(error, 'message'), error];
  return reasons.find((reason) => typeof reason === 'string');
}

/** A text of a JSON object. Throws a ProviderError that names it and who left it out. */
export function textField(value: unknown, key: string, source: string): string {
  const text = propertyOf(value, key);
  if (typeof text === 'string' && text !== '') return text;
  throw new ProviderError('server', `${source}: \`${key}\` is missing`);
}
