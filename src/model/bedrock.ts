import { ProviderError } from '../lib/errors.js';
import {
  type FreshCredential,
  type KeylessPorts,
  keepFresh,
  NO_KEY,
  readStatement,
  requestToken,
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
import type { OpenedModel, OpenRequest } from './transport.js';

/**
 * A model of Amazon Bedrock (Converse), with a Bedrock key, with AWS keys, or as a role by web
 * identity. Throws an AxeError for settings that are missing or wrong.
 */
export async function openBedrock({
  ref,
  provider,
  sources,
  ports,
}: OpenRequest): Promise<OpenedModel> {
  const region = findRegion(sources);
  const apiKey = resolveKey(provider, sources);
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
  // Everything is given, so that the package does not look for it in an environment of its own.
  const bedrock = createAmazonBedrock({
    region,
    apiKey: NO_KEY,
    baseURL: ownBaseUrl(provider, sources) ?? `https://bedrock-runtime.${region}.amazonaws.com`,
    fetch:
      apiKey === undefined
        ? signing(ports.fetch, region, findAwsCredentials(ports, region))
        : withAuth(ports.fetch, async () => ({ authorization: `Bearer ${apiKey}` })),
  });
  return { model: bedrock(ref.model), secrets: apiKey === undefined ? [] : [apiKey] };
}

function findRegion({ env, config }: SettingSources): string {
  const region = firstNonBlank(
    env['AWS_REGION'],
    env['AWS_DEFAULT_REGION'],
    env['AXE_BEDROCK_REGION'],
    config['bedrock']?.region,
  );
  if (region !== undefined) return checkedRegion(region, 'AWS_REGION');
  const remedy = 'Set `AWS_REGION`, for example to `us-east-1`.';
  throw notConfigured('the region of provider "bedrock" is', 'AWS_REGION', remedy);
}

/**
 * Signs requests to Bedrock (AWS Signature Version 4). The package could do it, but it signs before
 * a request can be looked at, and hides why there are no credentials.
 */
function signing(
  fetch: typeof globalThis.fetch,
  region: string,
  credentials: FreshCredential<AwsCredentials>,
): typeof globalThis.fetch {
  return async (input, init) => {
    const keys = await credentials(init?.signal ?? undefined);
    const { AwsV4Signer } = await import('aws4fetch');
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    const signer = new AwsV4Signer({
      ...keys,
      url: String(input),
      method: 'POST',
      headers: Object.fromEntries(headers),
      body: String(init?.body),
      region,
      service: 'bedrock',
    });
    const signed = await signer.sign();
    return await fetch(input, { ...init, headers: Object.fromEntries(signed.headers) });
  };
}

interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Keys in the environment, or else a role that trusts GitHub's statement (`AWS_ROLE_ARN`). Throws
 * an AxeError (exit 2) that names both if there is neither.
 */
function findAwsCredentials(ports: KeylessPorts, region: string): FreshCredential<AwsCredentials> {
  const { env } = ports;
  const accessKeyId = firstNonBlank(env['AWS_ACCESS_KEY_ID']);
  const secretAccessKey = firstNonBlank(env['AWS_SECRET_ACCESS_KEY']);
  if (accessKeyId !== undefined && secretAccessKey !== undefined)
    return async () => ({
      accessKeyId,
      secretAccessKey,
      sessionToken: firstNonBlank(env['AWS_SESSION_TOKEN']),
    });
  const role = firstNonBlank(env['AWS_ROLE_ARN']);
  if (role !== undefined) return assumeRole(ports, role, region);
  throw notConfigured(
    'credentials for provider "bedrock" are',
    'AWS_ROLE_ARN, AWS_ACCESS_KEY_ID or AWS_BEARER_TOKEN_BEDROCK',
    'In a workflow: add `id-token: write` to the `permissions:` of the job, and `AWS_ROLE_ARN` and `AWS_REGION` to the `env:` of the step, ' +
      'of a role that trusts the repository, or run `aws-actions/configure-aws-credentials` before. ' +
      'On your own machine: `eval "$(aws configure export-credentials --format env)"`.',
  );
}

/**
 * Credentials of a role, an hour each (AWS STS, AssumeRoleWithWebIdentity). They throw a
 * ProviderError.
 */
function assumeRole(
  ports: KeylessPorts,
  role: string,
  region: string,
): FreshCredential<AwsCredentials> {
  return keepFresh(async (signal) => {
    const statement = await readStatement(ports, 'sts.amazonaws.com');
    const form = {
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: role,
      RoleSessionName: 'axe-action',
      WebIdentityToken: statement,
    };
    const url = `https://sts.${region}.amazonaws.com/`;
    const headers = { accept: 'text/xml' };
    const request = { service: 'AWS STS', url, form, headers, secret: statement };
    const xml = await requestToken(request, ports.fetch, signal);
    const value = {
      accessKeyId: element(xml, 'AccessKeyId'),
      secretAccessKey: element(xml, 'SecretAccessKey'),
      sessionToken: element(xml, 'SessionToken'),
    };
    return { value, expiresAtMs: Date.parse(element(xml, 'Expiration')) };
  });
}

function element(xml: string, name: string): string {
  const text = new RegExp(`<${name}>\\s*([^<]+?)\\s*</${name}>`).exec(xml)?.[1];
  if (text !== undefined) return text;
  throw new ProviderError('server', `AWS STS: \`${name}\` is missing in the answer`);
}
