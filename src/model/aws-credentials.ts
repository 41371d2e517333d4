import type { Environment } from '../lib/environment.js';
import { AxeError, ProviderError } from '../lib/errors.js';
import { type Expiring, type Fresh, type KeylessPorts, keepFresh, readStatement } from './keyless.js';
import { firstSet } from './settings.js';
import { requestToken, type TokenRequest } from './token-request.js';

const STS_AUDIENCE = 'sts.amazonaws.com';
const SESSION_NAME = 'axe-action';

/**
 * Where AWS's own tools find credentials, in their order: keys in the environment, a role with a web identity
 * (`AWS_ROLE_ARN`; the token from `AWS_WEB_IDENTITY_TOKEN_FILE` or GitHub), the shared credentials file.
 * Throws an AxeError (exit 3) that names them all if there are none.
 */
export async function findAwsCredentials(
  ports: KeylessPorts,
  region: string,
): Promise<Fresh<AwsCredentials>> {
  const fixed = fromEnvironment(ports.env);
  if (fixed !== undefined) return async () => fixed;
  const roleArn = firstSet([ports.env['AWS_ROLE_ARN']]);
  if (roleArn !== undefined) return fromRole(ports, { roleArn, region });
  const shared = await fromSharedFile(ports);
  if (shared !== undefined) return async () => shared;
  throw new AxeError(
    'credentials for provider "bedrock" are not configured (set AWS_ROLE_ARN, AWS_ACCESS_KEY_ID or AWS_BEARER_TOKEN_BEDROCK)',
    {
      exitCode: 3,
      remedy:
        'In a workflow: give the job `permissions: { id-token: write }` and the step `env: { AWS_ROLE_ARN: …, AWS_REGION: … }` ' +
        'of a role that trusts the repository, or run `aws-actions/configure-aws-credentials` before.',
    },
  );
}

function fromEnvironment(env: Environment): AwsCredentials | undefined {
  const accessKeyId = firstSet([env['AWS_ACCESS_KEY_ID']]);
  const secretAccessKey = firstSet([env['AWS_SECRET_ACCESS_KEY']]);
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: firstSet([env['AWS_SESSION_TOKEN']]) };
}

function fromRole(
  ports: KeylessPorts,
  { roleArn, region }: { readonly roleArn: string; readonly region: string },
): Fresh<AwsCredentials> {
  const { env, fetch } = ports;
  const file = firstSet([env['AWS_WEB_IDENTITY_TOKEN_FILE']]);
  const url = firstSet([env['AWS_ENDPOINT_URL_STS']]) ?? `https://sts.${region}.${awsSuffix(region)}/`;
  const sessionName = firstSet([env['AWS_ROLE_SESSION_NAME']]) ?? SESSION_NAME;
  return keepFresh(async (signal) => {
    const statement = await readStatement(ports, { file, audience: STS_AUDIENCE });
    const role = { RoleArn: roleArn, RoleSessionName: sessionName, WebIdentityToken: statement };
    return await assumeRoleWithWebIdentity({ fetch, url, signal }, role);
  });
}

/** Names of AWS's addresses end differently in China. */
export function awsSuffix(region: string): string {
  return region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
}

async function fromSharedFile({ env, readTextFile }: KeylessPorts): Promise<AwsCredentials | undefined> {
  const home = firstSet([env['HOME'], env['USERPROFILE']]);
  const path =
    firstSet([env['AWS_SHARED_CREDENTIALS_FILE']]) ??
    (home === undefined ? undefined : `${home}/.aws/credentials`);
  const text = path === undefined ? undefined : await readTextFile?.(path);
  return text === undefined ? undefined : findProfile(text, firstSet([env['AWS_PROFILE']]) ?? 'default');
}

/**
 * Keys of a profile in AWS's shared credentials file, as axe reads it; undefined where the profile has none (an SSO
 * login, for one).
 */
function findProfile(text: string, profile: string): AwsCredentials | undefined {
  const values = new Map<string, string>();
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    const header = /^\s*\[\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (header !== undefined) section = header;
    const [, key, value] = /^\s*([^#;=\s]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (section === profile && key !== undefined && value !== undefined) values.set(key.toLowerCase(), value);
  }
  const accessKeyId = values.get('aws_access_key_id');
  const secretAccessKey = values.get('aws_secret_access_key');
  if (!accessKeyId || !secretAccessKey) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken: values.get('aws_session_token') };
}

export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/** Credentials of a role for an hour (AWS STS, AssumeRoleWithWebIdentity). Throws a ProviderError. */
async function assumeRoleWithWebIdentity(
  request: Pick<TokenRequest, 'fetch' | 'url' | 'signal'>,
  role: { readonly RoleArn: string; readonly RoleSessionName: string; readonly WebIdentityToken: string },
): Promise<Expiring<AwsCredentials>> {
  const xml = await requestToken({
    ...request,
    who: 'AWS STS',
    body: new URLSearchParams({ Action: 'AssumeRoleWithWebIdentity', Version: '2011-06-15', ...role }),
    headers: { accept: 'text/xml' },
    secrets: [role.WebIdentityToken],
  });
  return {
    value: {
      accessKeyId: element(xml, 'AccessKeyId'),
      secretAccessKey: element(xml, 'SecretAccessKey'),
      sessionToken: element(xml, 'SessionToken'),
    },
    expiresAtMs: expiry(element(xml, 'Expiration')),
  };
}

function element(xml: string, name: string): string {
  const text = new RegExp(`<${name}>\\s*([^<]+?)\\s*</${name}>`).exec(xml)?.[1];
  if (text !== undefined) return text;
  throw new ProviderError('server', `AWS STS: \`${name}\` is missing in the answer`);
}

function expiry(date: string): number {
  const atMs = Date.parse(date);
  if (Number.isFinite(atMs)) return atMs;
  throw new ProviderError('server', 'AWS STS: `Expiration` is not a date');
}
