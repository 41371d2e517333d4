import type { Environment } from '../lib/environment.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import type { Provider } from './catalog.js';
import { requestGoogleToken } from './google-token.js';
import { parseJson } from './json.js';
import {
  bearer,
  type Fresh,
  type KeylessPorts,
  keepFresh,
  NO_KEY,
  readNamedFile,
  withAuth,
} from './keyless.js';
import { type OpenedModel, type OpenRequest, openTransport } from './protocols.js';
import { checkedUrl, firstSet, resolveKey, type SettingSources } from './settings.js';

/** What `@ai-sdk/google` takes for Vertex: signatures under another name, function calls without ids. */
const GEMINI_NAME = 'google.vertex.chat';
const EXPRESS_PATH = '/v1/publishers/google';

/**
 * A model of Vertex AI: Gemini, Claude (`vertex/claude-…`) or another maker's (`vertex/maker/model`). Throws an
 * AxeError for settings that are missing or wrong.
 */
export async function openVertex(request: OpenRequest): Promise<OpenedModel> {
  const { ref, provider, sources, ports } = request;
  const apiKey = resolveKey(provider, sources);
  if (apiKey !== undefined) return await openExpress(request, apiKey);
  const place = findPlace(provider, sources);
  const fetch = withAuth(ports.fetch, bearer(await findGoogleToken(ports)));
  const shared = { model: ref.model, apiKey: NO_KEY, fetch };
  return { model: await openPlaced(request, place, shared), secrets: [] };
}

/** A key (express mode) needs no project; only Gemini is offered that way. */
async function openExpress(
  { ref, provider, wire, sources, ports }: OpenRequest,
  apiKey: string,
): Promise<OpenedModel> {
  if (wire !== 'google') {
    throw new AxeError(`\`${ref.model}\` on Vertex cannot be used with a key, only Gemini can`, {
      exitCode: 3,
      remedy: 'Sign in without a key: set `GOOGLE_WORKLOAD_IDENTITY_PROVIDER` and `GOOGLE_CLOUD_PROJECT`.',
    });
  }
  const host = findHost(provider, sources) ?? 'https://aiplatform.googleapis.com';
  const model = await openTransport({
    wire,
    name: GEMINI_NAME,
    model: ref.model,
    apiKey,
    baseUrl: `${host}${EXPRESS_PATH}`,
    fetch: ports.fetch,
  });
  return { model, secrets: [apiKey] };
}

interface Place {
  readonly host: string;
  /** `projects/…/locations/…`. */
  readonly path: string;
}

async function openPlaced(
  { wire }: OpenRequest,
  { host, path }: Place,
  shared: { readonly model: string; readonly apiKey: string; readonly fetch: typeof globalThis.fetch },
): Promise<OpenedModel['model']> {
  if (wire === 'anthropic') {
    return await openTransport({
      ...shared,
      wire,
      name: 'vertex',
      baseUrl: `${host}/v1/${path}/publishers/anthropic/models/${encodeURIComponent(shared.model)}`,
      fetch: asRawPredict(shared.fetch),
    });
  }
  if (wire === 'openai-compatible') {
    const baseUrl = `${host}/v1/${path}/endpoints/openapi`;
    return await openTransport({ ...shared, wire, name: 'vertex', baseUrl });
  }
  const baseUrl = `${host}/v1beta1/${path}/publishers/google`;
  return await openTransport({ ...shared, wire: 'google', name: GEMINI_NAME, baseUrl });
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

function findPlace(provider: Provider, sources: SettingSources): Place {
  const { env } = sources;
  const project = firstSet([
    env['GOOGLE_VERTEX_PROJECT'],
    env['GOOGLE_CLOUD_PROJECT'],
    env['GCLOUD_PROJECT'],
  ]);
  if (project === undefined) {
    throw new AxeError('the project of provider "vertex" is not configured (set GOOGLE_CLOUD_PROJECT)', {
      exitCode: 3,
      remedy:
        'Set `GOOGLE_CLOUD_PROJECT` to the id of the project, and `GOOGLE_CLOUD_LOCATION` to its region.',
    });
  }
  const location = findLocation(env, sources.config['vertex']?.region);
  const host = findHost(provider, sources) ?? `https://${hostOf(location)}`;
  return { host, path: `projects/${encodeURIComponent(project)}/locations/${location}` };
}

function findLocation(env: Environment, configured: string | undefined): string {
  const location =
    firstSet([
      env['GOOGLE_VERTEX_LOCATION'],
      env['GOOGLE_CLOUD_LOCATION'],
      env['CLOUD_ML_REGION'],
      configured,
    ]) ?? 'global';
  // It becomes part of a host.
  if (/^[a-z0-9-]+$/.test(location)) return location;
  throw new AxeError('`GOOGLE_CLOUD_LOCATION` is not the name of a region', { exitCode: 2 });
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
 * Throws an AxeError (exit 3) that names them all if there are none.
 */
async function findGoogleToken(ports: KeylessPorts): Promise<Fresh<string>> {
  const { env, readTextFile } = ports;
  const fixed = firstSet([env['CLOUDSDK_AUTH_ACCESS_TOKEN']]);
  if (fixed !== undefined) return async () => fixed;
  const file = firstSet([env['GOOGLE_APPLICATION_CREDENTIALS']]);
  if (file !== undefined) return fromFile(await readNamedFile(readTextFile, file), file, ports);
  const provider = firstSet([env['GOOGLE_WORKLOAD_IDENTITY_PROVIDER']]);
  if (provider !== undefined) {
    const account = firstSet([env['GOOGLE_SERVICE_ACCOUNT']]);
    return fresh(externalAccount(provider, account), ports);
  }
  const stored = storedPath(ports);
  const text = stored === undefined ? undefined : await readTextFile?.(stored);
  if (stored !== undefined && text !== undefined) return fromFile(text, stored, ports);
  throw new AxeError(
    'credentials for provider "vertex" are not configured (set GOOGLE_WORKLOAD_IDENTITY_PROVIDER, GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_VERTEX_API_KEY)',
    {
      exitCode: 3,
      remedy:
        'In a workflow: give the job `permissions: { id-token: write }` and the step `env: { GOOGLE_WORKLOAD_IDENTITY_PROVIDER: …, GOOGLE_CLOUD_PROJECT: … }`, ' +
        'or run `google-github-actions/auth` before.',
    },
  );
}

function fromFile(text: string, file: string, ports: KeylessPorts): Fresh<string> {
  const credential = parseJson(text);
  if (typeof credential === 'object' && credential !== null) return fresh(credential, ports);
  throw new ProviderError('auth', `the credential file \`${file}\` is not JSON`);
}

function fresh(credential: unknown, ports: KeylessPorts): Fresh<string> {
  return keepFresh((signal) => requestGoogleToken(credential, ports, signal));
}

/** The credential that Google's own action would write, with GitHub's token asked for when it is needed. */
function externalAccount(provider: string, serviceAccount: string | undefined): unknown {
  const name = provider.replace(/^(?:https:)?\/\/iam\.googleapis\.com\//, '');
  return {
    type: 'external_account',
    audience: `//iam.googleapis.com/${name}`,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    credential_source: { audience: `https://iam.googleapis.com/${name}` },
    ...(serviceAccount === undefined
      ? {}
      : {
          service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${encodeURIComponent(serviceAccount)}:generateAccessToken`,
        }),
  };
}

/** Where `gcloud auth application-default login` leaves a person's credentials. */
function storedPath({ env }: KeylessPorts): string | undefined {
  const config = firstSet([env['CLOUDSDK_CONFIG']]);
  const home = firstSet([env['HOME']]);
  const folder = config ?? (home === undefined ? undefined : `${home}/.config/gcloud`);
  return folder === undefined ? undefined : `${folder}/application_default_credentials.json`;
}
