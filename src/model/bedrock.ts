import { AxeError } from '../lib/errors.js';
import { type AwsCredentials, awsSuffix, findAwsCredentials } from './aws-credentials.js';
import { type Fresh, NO_KEY, withAuth } from './keyless.js';
import { leniently } from './lenient-reply.js';
import type { OpenedModel, OpenRequest } from './protocols.js';
import { withResultStatus } from './result-status.js';
import { checkedUrl, firstSet, resolveKey, type SettingSources } from './settings.js';

/**
 * A model of Amazon Bedrock (Converse), with a Bedrock key, with AWS keys, or as a role by web identity. Throws an
 * AxeError for settings that are missing or wrong.
 */
export async function openBedrock({ ref, provider, sources, ports }: OpenRequest): Promise<OpenedModel> {
  const region = findRegion(sources);
  const apiKey = resolveKey(provider, sources);
  const credentials = apiKey === undefined ? await findAwsCredentials(ports, region) : undefined;
  const { env, config } = sources;
  const address = firstSet([
    env[provider.baseUrlVariable],
    env['AWS_ENDPOINT_URL_BEDROCK_RUNTIME'],
    env['AWS_ENDPOINT_URL'],
    config['bedrock']?.baseUrl,
  ]);
  const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock');
  const fetch = leniently(ports.fetch, 'bedrock');
  const signedFetch =
    credentials === undefined
      ? withAuth(fetch, async () => ({ authorization: `Bearer ${apiKey ?? ''}` }))
      : signing(fetch, { region, credentials });
  // Everything is given, so that the package does not look for it in an environment of its own.
  const bedrock = createAmazonBedrock({
    region,
    apiKey: NO_KEY,
    baseURL:
      address === undefined
        ? `https://bedrock-runtime.${region}.${awsSuffix(region)}`
        : checkedUrl(address, provider).replace(/\/+$/, ''),
    fetch: withResultStatus(signedFetch),
  });
  return { model: bedrock(ref.model), secrets: apiKey === undefined ? [] : [apiKey] };
}

function findRegion({ env, config }: SettingSources): string {
  const region = firstSet([
    env['AWS_REGION'],
    env['AWS_DEFAULT_REGION'],
    env['AXE_BEDROCK_REGION'],
    config['bedrock']?.region,
  ]);
  if (region === undefined) {
    throw new AxeError('the region of provider "bedrock" is not configured (set AWS_REGION)', {
      exitCode: 3,
      remedy: 'Set `AWS_REGION`, for example to `us-east-1`.',
    });
  }
  // It becomes part of a host.
  if (/^[a-z0-9-]+$/.test(region)) return region;
  throw new AxeError('`AWS_REGION` is not the name of a region', { exitCode: 2 });
}

/**
 * Signs requests to Bedrock (AWS Signature Version 4). The package could do it, but it signs before a request can be
 * looked at, and hides why there are no credentials.
 */
function signing(
  fetch: typeof globalThis.fetch,
  { region, credentials }: { readonly region: string; readonly credentials: Fresh<AwsCredentials> },
): typeof globalThis.fetch {
  return async (input, init) => {
    const { sessionToken, ...keys } = await credentials(init?.signal ?? undefined);
    const { AwsV4Signer } = await import('aws4fetch');
    const headers = new Headers(init?.headers);
    headers.delete('authorization');
    const signer = new AwsV4Signer({
      ...keys,
      ...(sessionToken === undefined ? {} : { sessionToken }),
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
