import type { AwsCredentials } from './aws-sts.js';
import type { Fresh } from './keyless.js';

/**
 * Signs requests to Bedrock (AWS Signature Version 4). The package could do it, but it signs before a request can be
 * looked at, and hides why there are no credentials.
 */
export function signing(
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
