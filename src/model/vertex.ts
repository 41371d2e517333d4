import { sign } from 'node:crypto';
import { parseJson, propertyOf } from '../lib/data.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import type { Provider } from './catalog.js';
import {
  bearer,
  type FreshCredential,
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
import {
  checkedRegion,
  firstNonBlank,
  notConfigured,
  ownBaseUrl,
  resolveKey,
  type SettingSources,
} from './settings.js';
import { type OpenedModel, type OpenRequest, openTransport } from './transport.js';

/** With this name `@ai-sdk/google` speaks Vertex: other names of signatures, calls without ids. */
const GEMINI_NAME = 'google.vertex.chat';

/**
 * A model of Vertex AI: Gemini, or Claude (`vertex/claude-…`). Throws an AxeError for settings that
 * are missing or wrong.
 */
export async function openVertex({
  ref,
  provider,
  wire,
  sources,
  ports,
}: OpenRequest): Promise<OpenedModel> {
  const { model } = ref;
  const apiKey = resolveKey(provider, sources);
  if (apiKey !== undefined) {
    // Express mode needs no project.
    if (wire !== 'google') {
      throw new AxeError(`\`${model}\` on Vertex cannot be used with a key, only Gemini can`, {
        exitCode: 3,
        remedy:
          'Sign in without a key: set `GOOGLE_WORKLOAD_IDENTITY_PROVIDER` and `GOOGLE_CLOUD_PROJECT`.',
      });
    }
    const host = ownBaseUrl(provider, sources) ?? 'https://aiplatform.googleapis.com';
    const baseUrl = `${host}/v1/publishers/google`;
    const shared = { wire, name: GEMINI_NAME, model, apiKey, baseUrl, fetch: ports.fetch };
    return { model: await openTransport(shared), secrets: [apiKey] };
  }
  const { host, path } = findPlace(provider, sources);
  const fetch = withAuth(ports.fetch, bearer(await findGoogleToken(ports)));
  const shared = { wire, model, apiKey: NO_KEY };
  const baseUrl = `${host}/v1/${path}/publishers/anthropic/models/${encodeURIComponent(model)}`;
  const parts =
    wire === 'anthropic'
      ? { ...shared, name: 'vertex', baseUrl, fetch: asRawPredict(fetch) }
      : {
          ...shared,
          name: GEMINI_NAME,
          baseUrl: `${host}/v1beta1/${path}/publishers/google`,
          fetch,
        };
  return { model: await openTransport(parts), secrets: [] };
}

/**
 * Claude on Vertex: the model is in the address and the version in the body (docs.claude.com,
 * Vertex AI).
 */
function asRawPredict(fetch: typeof globalThis.fetch): typeof globalThis.fetch {
  return (input, init) => {
    const { model: _, ...body }: Record<string, unknown> = JSON.parse(String(init?.body));
    const method = body['stream'] === true ? ':streamRawPredict' : ':rawPredict';
    return fetch(String(input).replace(/\/messages$/, method), {
      ...init,
      body: JSON.stringify({ anthropic_version: 'vertex-2023-10-16', ...body }),
    });
  };
}

function findPlace(provider: Provider, sources: SettingSources) {
  const { env, config } = sources;
  const project = firstNonBlank(env['GOOGLE_CLOUD_PROJECT']);
  if (project === undefined) {
    const remedy =
      'Set `GOOGLE_CLOUD_PROJECT` to the id of the project, and `GOOGLE_CLOUD_LOCATION` to its region.';
    throw notConfigured('the project of provider "vertex" is', 'GOOGLE_CLOUD_PROJECT', remedy);
  }
  const location = checkedRegion(
    firstNonBlank(env['GOOGLE_CLOUD_LOCATION'], config['vertex']?.region) ?? 'global',
    'GOOGLE_CLOUD_LOCATION',
  );
  const host = ownBaseUrl(provider, sources) ?? `https://${hostOf(location)}`;
  return { host, path: `projects/${encodeURIComponent(project)}/locations/${location}` };
}

function hostOf(location: string): string {
  if (location === 'global') return 'aiplatform.googleapis.com';
  if (location === 'eu' || location === 'us') return `aiplatform.${location}.rep.googleapis.com`;
  return `${location}-aiplatform.googleapis.com`;
}

/**
 * Access tokens of Google Cloud: `CLOUDSDK_AUTH_ACCESS_TOKEN` as it is, or those of a workload
 * identity that trusts GitHub's statement, `GOOGLE_WORKLOAD_IDENTITY_PROVIDER` (with
 * `GOOGLE_SERVICE_ACCOUNT`), or by the file that Google's own action writes. Throws an AxeError
 * (exit 2) that names them if there are none.
 */
async function findGoogleToken(ports: KeylessPorts): Promise<FreshCredential<string>> {
  const { env } = ports;
  const fixed = firstNonBlank(env['CLOUDSDK_AUTH_ACCESS_TOKEN']);
  if (fixed !== undefined) return async () => fixed;
  const provider = firstNonBlank(env['GOOGLE_WORKLOAD_IDENTITY_PROVIDER']);
  if (provider !== undefined) {
    const name = provider.replace(/^(?:https:)?\/\/iam\.googleapis\.com\//, '');
    const account = firstNonBlank(env['GOOGLE_SERVICE_ACCOUNT']);
    const impersonated = account && `${ACCOUNTS}${encodeURIComponent(account)}:generateAccessToken`;
    return exchangeStatement(`//iam.googleapis.com/${name}`, impersonated, ports);
  }
  const file = firstNonBlank(env['GOOGLE_APPLICATION_CREDENTIALS']);
  if (file !== undefined)
    return tokensOfFile(parseJson(await readNamedFile(ports, file)), file, ports);
  throw notConfigured(
    'credentials for provider "vertex" are',
    'GOOGLE_WORKLOAD_IDENTITY_PROVIDER or GOOGLE_VERTEX_API_KEY',
    'In a workflow: add `id-token: write` to the `permissions:` of the job, and `GOOGLE_WORKLOAD_IDENTITY_PROVIDER` and `GOOGLE_CLOUD_PROJECT` to the `env:` of the step, ' +
      'or run `google-github-actions/auth` before. On your own machine: `export CLOUDSDK_AUTH_ACCESS_TOKEN=$(gcloud auth print-access-token)`.',
  );
}

/**
 * Access tokens by what `google-github-actions/auth` writes: a workload identity, or the key of a
 * service account.
 */
function tokensOfFile(
  credential: unknown,
  file: string,
  ports: KeylessPorts,
): FreshCredential<string> {
  const { fetch } = ports;
  const type = propertyOf(credential, 'type');
  if (type === 'service_account') {
    return keepFresh(async (signal) => {
      const assertion = signJwt(credential);
      const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion };
      const request = { service: SERVICE, url: TOKEN_URL, form, secret: assertion };
      return await requestAccessToken(request, fetch, signal);
    });
  }
  if (type === 'external_account') {
    const audience = textField(credential, 'audience', FILE);
    const url = URL.parse(textField(propertyOf(credential, 'credential_source'), 'url', FILE));
    const account = propertyOf(credential, 'service_account_impersonation_url');
    const impersonated = typeof account === 'string' ? account : undefined;
    return exchangeStatement(
      audience,
      impersonated,
      ports,
      url?.searchParams.get('audience') ?? undefined,
    );
  }
  throw new AxeError(
    `the credential file \`${file}\` is none of a workload identity or a service account`,
    {
      exitCode: 2,
      remedy:
        'Set `GOOGLE_WORKLOAD_IDENTITY_PROVIDER`, or `CLOUDSDK_AUTH_ACCESS_TOKEN` to what `gcloud auth print-access-token` prints.',
    },
  );
}

/**
 * A statement that a service account signs for itself (RFC 7523). Throws a ProviderError for an
 * unusable key.
 */
function signJwt(credential: unknown): string {
  const issuedAt = Math.floor(Date.now() / 1000);
  const iss = textField(credential, 'client_email', FILE);
  const key = textField(credential, 'private_key', FILE);
  const claims = { iss, scope: SCOPE, aud: TOKEN_URL, iat: issuedAt, exp: issuedAt + 3600 };
  const signed = [{ alg: 'RS256', typ: 'JWT' }, claims]
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

const ACCOUNTS = 'https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/';
const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const SERVICE = 'Google';
const FILE = 'the credential file';

/**
 * Exchanges GitHub's statement for access tokens; as a service account where there is one. They
 * throw a ProviderError.
 */
function exchangeStatement(
  audience: string,
  impersonationUrl: string | undefined,
  ports: KeylessPorts,
  statementFor = `https:${audience}`,
): FreshCredential<string> {
  const { fetch } = ports;
  return keepFresh(async (signal) => {
    const statement = await readStatement(ports, statementFor);
    const form = {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      audience,
      scope: SCOPE,
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      subject_token: statement,
    };
    const sts = {
      service: SERVICE,
      url: 'https://sts.googleapis.com/v1/token',
      form,
      secret: statement,
    };
    const federated = await requestAccessToken(sts, fetch, signal);
    if (impersonationUrl === undefined) return federated;
    // IAM Credentials API, generateAccessToken.
    const json = { scope: [SCOPE], lifetime: '3600s' };
    const headers = { authorization: `Bearer ${federated.value}` };
    const iam = { service: SERVICE, url: impersonationUrl, json, headers, secret: federated.value };
    const answer = parseJson(await requestToken(iam, fetch, signal));
    const expiresAtMs = Date.parse(textField(answer, 'expireTime', SERVICE));
    return { value: textField(answer, 'accessToken', SERVICE), expiresAtMs };
  });
}
