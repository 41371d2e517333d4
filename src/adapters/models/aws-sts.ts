import { ProviderError } from '../../core/errors.js';
import type { Expiring } from './keyless.js';
import { requestToken } from './token-request.js';

/** What signs a request to AWS. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/** A role and who wants to be it. */
export interface AssumeRole {
  readonly fetch: typeof globalThis.fetch;
  /** Address of the Security Token Service. */
  readonly url: string;
  readonly roleArn: string;
  /** Names the session in AWS's own log. */
  readonly sessionName: string;
  readonly statement: string;
  readonly signal: AbortSignal | undefined;
}

/** Credentials of a role for an hour (AWS STS, AssumeRoleWithWebIdentity). Throws a ProviderError. */
export async function assumeRoleWithWebIdentity(role: AssumeRole): Promise<Expiring<AwsCredentials>> {
  const xml = await requestToken({
    fetch: role.fetch,
    who: 'AWS STS',
    url: role.url,
    body: new URLSearchParams({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: role.roleArn,
      RoleSessionName: role.sessionName,
      WebIdentityToken: role.statement,
    }),
    headers: { accept: 'text/xml' },
    secrets: [role.statement],
    signal: role.signal,
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
