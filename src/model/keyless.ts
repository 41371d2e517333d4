import type { Environment } from '../lib/environment.js';
import { AxeError, messageOf, ProviderError } from '../lib/errors.js';

/** A signed statement of who runs this job, for one audience: GitHub's OIDC token. */
export type IdToken = (audience: string) => Promise<string>;

/** Text of a file that the environment names; undefined if there is none. */
export type ReadTextFile = (path: string) => Promise<string | undefined>;

export interface KeylessPorts {
  readonly env: Environment;
  readonly fetch: typeof globalThis.fetch;
  /** Absent outside of a workflow. */
  readonly idToken?: IdToken;
  readonly readTextFile?: ReadTextFile;
}

/** A credential and how long it holds. */
export interface Expiring<T> {
  readonly value: T;
  readonly expiresAtMs: number;
}

/** Gets a credential, from the signal's point of view for one request. */
export type Fresh<T> = (signal?: AbortSignal) => Promise<T>;

/** A new one is asked for this long before the old one ends: no request may outlive its credential. */
const MARGIN_MS = 5 * 60_000;

/** The credential, kept until shortly before it ends. */
export function keepFresh<T>(
  load: (signal?: AbortSignal) => Promise<Expiring<T>>,
  now: () => number = Date.now,
): Fresh<T> {
  let kept: Expiring<T> | undefined;
  return async (signal) => {
    if (kept === undefined || kept.expiresAtMs - MARGIN_MS <= now()) kept = await load(signal);
    return kept.value;
  };
}

/**
 * The signed statement: from the file that the cloud's own tools name, else GitHub's. Throws a ProviderError (`auth`)
 * that says what the workflow lacks.
 */
export async function readStatement(
  { idToken, readTextFile }: KeylessPorts,
  { file, audience }: { readonly file: string | undefined; readonly audience: string },
): Promise<string> {
  if (file !== undefined) return (await readNamedFile(readTextFile, file)).trim();
  if (idToken === undefined) {
    throw new ProviderError('auth', 'there is no identity token: this is not a job of a workflow', {
      remedy: 'Outside of a workflow use a key, or the file of an identity token.',
    });
  }
  try {
    return await idToken(audience);
  } catch (thrown) {
    if (thrown instanceof AxeError) throw thrown;
    throw new ProviderError('auth', `GitHub gave no identity token: ${messageOf(thrown)}`, {
      remedy: 'Give the job `permissions: { id-token: write }`.',
      cause: thrown,
    });
  }
}

/** Text of a file that the environment names. Throws a ProviderError (`auth`) if there is none. */
export async function readNamedFile(readTextFile: ReadTextFile | undefined, path: string): Promise<string> {
  const text = await readTextFile?.(path);
  if (text !== undefined) return text;
  throw new ProviderError('auth', `the credential file \`${path}\` cannot be read`, {
    remedy: 'Check the path in the environment of the step.',
  });
}

/** Headers in which the packages send a key; each insists on one, also where there is none to send. */
const KEY_HEADERS = ['authorization', 'api-key', 'x-api-key', 'x-goog-api-key'];

/** Stands for the key that a package insists on, and never leaves: {@link withAuth} takes it out. */
export const NO_KEY = 'none';

/** Sends these headers instead of the package's own key. */
export function withAuth(
  fetch: typeof globalThis.fetch,
  auth: Fresh<Readonly<Record<string, string>>>,
): typeof globalThis.fetch {
  return async (input, init) => {
    const headers = new Headers(init?.headers);
    for (const name of KEY_HEADERS) headers.delete(name);
    const own = await auth(init?.signal ?? undefined);
    return await fetch(input, { ...init, headers: { ...Object.fromEntries(headers), ...own } });
  };
}

/** The token as a header (RFC 6750). */
export function bearer(token: Fresh<string>): Fresh<Readonly<Record<string, string>>> {
  return async (signal) => ({ authorization: `Bearer ${await token(signal)}` });
}
