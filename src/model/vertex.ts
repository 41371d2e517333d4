import { sign } from 'node:crypto';
import { AxeError, ProviderError } from '../lib/errors.js';
import { field, parseJson } from '../lib/json.js';
import type { Provider } from './catalog.js';
import {
  bearer,
  type Fresh,
  type KeylessPorts,
  keepFresh,
  NO_KEY,
  readNamedFile,
  readStatement,
  requestAccessToken,
  requestToken,
  textField,
  withAuth,
} from './keyless.js';
import { type OpenedModel, type OpenRequest, openTransport } from './protocols.js';
import { checkedUrl, firstSet, resolveKey, type SettingSources } from './settings.js';

/** What `@ai-sdk/google` takes for Vertex: signatures under another name, function calls without ids. */
const GEMINI_NAME = 'google.vertex.chat';

/**
 * A model of Vertex AI: Gemini, Claude (`vertex/claude-…`) or another maker's (`vertex/maker/model`). Throws an
 * AxeError for settings that are missing or wrong.
 */
export async function openVertex({ ref, provider, wire, sources, ports }: OpenRequest): Promise<OpenedModel> {
  const { model } = ref;
  const apiKey = resolveKey(provider, sources);
  if (apiKey !== undefined) {
    // Express mode needs no project.
    if (wire !== 'google') throw onlyGemini(model);
    const host = findHost(provider, sources) ?? 'https://aiplatform.googleapis.com';
    const baseUrl = `${host}/v1/publishers/google`;
    const shared = { wire, name: GEMINI_NAME, model, apiKey, baseUrl, fetch: ports.fetch };
    return { model: await openTransport(shared), secrets: [apiKey] };
  }
  const { host, path } = findPlace(provider, sources);
  const fetch = withAuth(ports.fetch, bearer(await findGoogleToken(ports)));
  const shared = { wire, name: 'vertex', model, apiKey: NO_KEY, fetch };
  const claude = `${host}/v1/${path}/publishers/anthropic/models/${encodeURIComponent(model)}`;
  const parts =
    wire === 'anthropic'
      ? { ...shared, baseUrl: claude, fetch: asRawPredict(fetch) }
      : wire === 'openai-compatible'
        ? { ...shared, baseUrl: `${host}/v1/${path}/endpoints/openapi` }
        : { ...shared, name: GEMINI_NAME, baseUrl: `${host}/v1beta1/${path}/publishers/google` };
  return { model: await openTransport(parts), secrets: [] };
}

function onlyGemini(model: string): AxeError {
  return new AxeError(`\`${model}\` on Vertex cannot be used with a key, only Gemini can`, {
    exitCode: 3,
    remedy: 'Sign in without a key: set `GOOGLE_WORKLOAD_IDENTITY_PROVIDER` and `GOOGLE_CLOUD_PROJECT`.',
  });
}

/** Claude on Vertex: the model is in the address and the version in the body (docs.claude.com, Vertex AI). */
function asRawPredict(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const { model: _, ...body }: Record<string, unknown> = JSON.parse(String(init?.body));
    return fetch(String(input).replace(/\/messages$/, ':rawPredict'), {
      ...init,
      body: JSON.stringify({ anthropic_version: 'vertex-2023-10-16', ...body }),
    });
  };
}

function findPlace(
  provider: Provider,
  sources: SettingSources,
): { readonly host: string /** `projects/…/locations/…`. */; readonly path: string } {
  const { env, config } = sources;
  const project = firstSet([
    env['GOOGLE_VERTEX_PROJECT'],
    env['GOOGLE_CLOUD_PROJECT'],
    env['GCLOUD_PROJECT'],
  ]);
  if (project === undefined) {
    throw new AxeError('the project of provider "vertex" is not configured (set GOOGLE_CLOUD_PROJECT)', {
      exitCode: 2,
      remedy:
        'Set `GOOGLE_CLOUD_PROJECT` to the id of the project, and `GOOGLE_CLOUD_LOCATION` to its region.',
    });
  }
  const variables = ['GOOGLE_VERTEX_LOCATION', 'GOOGLE_CLOUD_LOCATION', 'CLOUD_ML_REGION'];
  const location =
    firstSet([...variables.map((name) => env[name]), config['vertex']?.region, 'global']) ?? '';
  // It becomes part of a host.
  if (!/^[a-z0-9-]+$/.test(location))
    throw new AxeError('`GOOGLE_CLOUD_LOCATION` is not the name of a region', { exitCode: 2 });
  const host = findHost(provider, sources) ?? `https://${hostOf(location)}`;
  return { host, path: `projects/${encodeURIComponent(project)}/locations/${location}` };
}

function hostOf(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com';
  if (location === 'eu' || location === 'us') return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

function findHost(provider: Provider, { env, config }: SettingSources): string | undefined {
  const address = firstSet([env[provider.baseUrlVariable], config['vertex']?.baseUrl]);
  return address === undefined ? undefined : checkedUrl(address, provider).replace(/\/+$/, '');
}

/**
 * Access tokens of Google Cloud: `CLOUDSDK_AUTH_ACCESS_TOKEN` as it is; the file in `GOOGLE_APPLICATION_CREDENTIALS`;
 * `GOOGLE_WORKLOAD_IDENTITY_PROVIDER` (with `GOOGLE_SERVICE_ACCOUNT`) and GitHub's token; what `gcloud` stored.
 * Throws an AxeError (exit 2) that names them all if there are none.
 */
async function findGoogleToken(ports: KeylessPorts): Promise<Fresh<string>> {
  const { env, readTextFile } = ports;
  const fixed = firstSet([env['CLOUDSDK_AUTH_ACCESS_TOKEN']]);
  if (fixed !== undefined) return async () => fixed;
  const file = firstSet([env['GOOGLE_APPLICATION_CREDENTIALS']]);
  if (file !== undefined) return googleTokens(readCredential(await readNamedFile(ports, file), file), ports);
  const provider = firstSet([env['GOOGLE_WORKLOAD_IDENTITY_PROVIDER']]);
  if (provider !== undefined) {
    return googleTokens(externalAccount(provider, firstSet([env['GOOGLE_SERVICE_ACCOUNT']])), ports);
  }
  // Where `gcloud auth application-default login` leaves a person's credentials.
  const folder = firstSet([env['CLOUDSDK_CONFIG']]) ?? `${firstSet([env['HOME']]) ?? ''}/.config/gcloud`;
  const stored = `${folder}/application_default_credentials.json`;
  const text = await readTextFile?.(stored);
  if (text !== undefined) return googleTokens(readCredential(text, stored), ports);
  throw new AxeError(
    'credentials for provider "vertex" are not configured (set GOOGLE_WORKLOAD_IDENTITY_PROVIDER, GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_VERTEX_API_KEY)',
    {
      exitCode: 2,
      remedy:
        'In a workflow: give the job `permissions: { id-token: write }` and the step `env: { GOOGLE_WORKLOAD_IDENTITY_PROVIDER: …, GOOGLE_CLOUD_PROJECT: … }`, ' +
        'or run `google-github-actions/auth` before.',
    },
  );
}

function readCredential(text: string, file: string): object {
  const credential = parseJson(text);
  if (typeof credential === 'object' && credential !== null) return credential;
  throw new ProviderError('auth', `the credential file \`${file}\` is not JSON`);
}

/** The credential that Google's own action would write, with GitHub's token asked for when it is needed. */
function externalAccount(provider: string, account: string | undefined): object {
  const name = provider.replace(/^(?:https:)?\/\/iam\.googleapis\.com\//, '');
  return {
    type: 'external_account',
    audience: `//iam.googleapis.com/${name}`,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    credential_source: { audience: `https://iam.googleapis.com/${name}` },
    service_account_impersonation_url:
      account &&
      `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${encodeURIComponent(account)}:generateAccessToken`,
  };
}

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const WHO = 'Google';
const FILE = 'the credential file';

/**
 * Access tokens for a parsed credential file of Google's: a service account's key, a person's login, or workload
 * identity (`external_account`). They throw a ProviderError.
 */
function googleTokens(credential: object, ports: KeylessPorts): Fresh<string> {
  const { fetch } = ports;
  const text = (key: string) => textField(credential, key, FILE);
  return keepFresh(async (signal) => {
    const type = field(credential, 'type');
    if (type === 'service_account') {
      const url = textIn(credential, 'token_uri') ?? TOKEN_URL;
      const assertion = signJwt(credential, url);
      const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
      return await requestAccessToken({ fetch, who: WHO, url, form, secrets: [assertion], signal });
    }
    if (type === 'authorized_user') {
      const secret = { client_secret: text('client_secret'), refresh_token: text('refresh_token') };
      const form = { grant_type: 'refresh_token', client_id: text('client_id'), ...secret };
      const secrets = Object.values(secret);
      return await requestAccessToken({ fetch, who: WHO, url: TOKEN_URL, form, secrets, signal });
    }
    if (type !== 'external_account') {
      throw new ProviderError('auth', `${FILE} has the type \`${String(type)}\`, which is not supported`, {
        remedy: 'Supported are `service_account`, `authorized_user` and `external_account`.',
      });
    }
    const subject = await readSubjectToken(field(credential, 'credential_source'), ports, signal);
    const url = textIn(credential, 'token_url') ?? 'https://sts.googleapis.com/v1/token';
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience: text('audience'),
      scope: SCOPE,
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token_type: text('subject_token_type'),
      subject_token: subject,
    };
    const federated = await requestAccessToken({ fetch, who: WHO, url, form, secrets: [subject], signal });
    const account = textIn(credential, 'service_account_impersonation_url');
    return account === undefined ? federated : await impersonate(account, federated.value, fetch, signal);
  });
}

/** The token of a service account for one that may be it (IAM Credentials API, generateAccessToken). */
async function impersonate(
  url: string,
  token: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal | undefined,
) {
  const json = { scope: [SCOPE], lifetime: '3600s' };
  const headers = { authorization: `Bearer ${token}` };
  const answer = parseJson(
    await requestToken({ fetch, who: WHO, url, json, headers, secrets: [token], signal }),
  );
  const expiresAtMs = Date.parse(textField(answer, 'expireTime', WHO));
  return { value: textField(answer, 'accessToken', WHO), expiresAtMs };
}

function textIn(value: unknown, key: string): string | undefined {
  const text = field(value, key);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

/** A statement that a service account signs for itself (RFC 7523). Throws a ProviderError for an unusable key. */
function signJwt(credential: object, audience: string): string {
  const issuedAt = Math.floor(Date.now() / 1000);
  const iss = textField(credential, 'client_email', FILE);
  const key = textField(credential, 'private_key', FILE);
  const header = { alg: 'RS256', typ: 'JWT', kid: textIn(credential, 'private_key_id') };
  const claims = { iss, scope: SCOPE, aud: audience, iat: issuedAt, exp: issuedAt + 3600 };
  const signed = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  try {
    return `${signed}.${sign('sha256', Buffer.from(signed), key).toString('base64url')}`;
  } catch {
    // The error's own text is of no use, and what it was made of is secret.
    throw new ProviderError('auth', 'the private key of the service account cannot be read', {
      remedy: "Use the key's JSON file exactly as Google created it.",
    });
  }
}

const SUBJECT = 'the source of the identity token';

/**
 * The token of the outside identity that an `external_account` exchanges: from a file, an address (GitHub's, in the
 * file that `google-github-actions/auth` writes), or, in a credential of our own making, from GitHub for an audience.
 */
async function readSubjectToken(
  source: unknown,
  ports: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<string> {
  const audience = textIn(source, 'audience');
  if (audience !== undefined) return await readStatement(ports, undefined, audience);
  const text = await readSource(source, ports, signal);
  const format = field(source, 'format');
  if (field(format, 'type') !== 'json') return text.trim();
  return textField(parseJson(text), textField(format, 'subject_token_field_name', SUBJECT), SUBJECT);
}

async function readSource(
  source: unknown,
  ports: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<string> {
  const file = textIn(source, 'file');
  if (file !== undefined) return await readNamedFile(ports, file);
  const url = textIn(source, 'url');
  if (url === undefined || !URL.canParse(url)) {
    throw new ProviderError('auth', 'the credential file has a `credential_source` that is not supported', {
      remedy: 'Supported are `file` and `url`; programs (`executable`) and AWS roles are not.',
    });
  }
  const headers = stringsIn(field(source, 'headers'));
  const secrets = Object.values(headers);
  return await requestToken({ fetch: ports.fetch, who: SUBJECT, url, headers, secrets, signal });
}

function stringsIn(value: unknown): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, one]) => [name, String(one)]));
}
