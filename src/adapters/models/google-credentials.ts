import { AxeError, ProviderError } from '../../core/errors.js';
import { requestGoogleToken } from './google-token.js';
import { parseJson } from './json.js';
import { type Fresh, type KeylessPorts, keepFresh, readNamedFile } from './keyless.js';
import { firstSet } from './settings.js';

/**
 * Access tokens of Google Cloud: `CLOUDSDK_AUTH_ACCESS_TOKEN` as it is; the file in `GOOGLE_APPLICATION_CREDENTIALS`;
 * `GOOGLE_WORKLOAD_IDENTITY_PROVIDER` (with `GOOGLE_SERVICE_ACCOUNT`) and GitHub's token; what `gcloud` stored.
 * Throws an AxeError (exit 3) that names them all if there are none.
 */
export async function findGoogleToken(ports: KeylessPorts): Promise<Fresh<string>> {
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
