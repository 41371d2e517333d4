import { ProviderError } from '../lib/errors.js';
import { field, parseJson } from './json.js';
import { type Expiring, type KeylessPorts, readNamedFile, readStatement } from './keyless.js';
import { expiryOf, requestToken, type TokenRequest, textField } from './token-request.js';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_URL = 'https://oauth2.googleapis.com/token';
const STS_URL = 'https://sts.googleapis.com/v1/token';
const WHO = 'Google';
const FILE = 'the credential file';

/**
 * An access token for a parsed credential file of Google's (`GOOGLE_APPLICATION_CREDENTIALS`): a service account's
 * key, a person's login (`gcloud auth application-default login`), or workload identity (`external_account`).
 * Throws a ProviderError.
 */
export async function requestGoogleToken(
  credential: unknown,
  ports: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<Expiring<string>> {
  const type = field(credential, 'type');
  switch (type) {
    case 'service_account':
      return await fromServiceAccount(credential, ports, signal);
    case 'authorized_user':
      return await fromLogin(credential, ports, signal);
    case 'external_account':
      return await fromExternalAccount(credential, ports, signal);
    default:
      throw new ProviderError('auth', `${FILE} has the type \`${String(type)}\`, which is not supported`, {
        remedy: 'Supported are `service_account`, `authorized_user` and `external_account`.',
      });
  }
}

async function fromServiceAccount(
  credential: unknown,
  { fetch }: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<Expiring<string>> {
  const url = optional(credential, 'token_uri') ?? TOKEN_URL;
  const assertion = await signJwt(credential, url);
  const body = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion });
  return await oauthToken({ fetch, who: WHO, url, body, secrets: [assertion], signal });
}

async function fromLogin(
  credential: unknown,
  { fetch }: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<Expiring<string>> {
  const refreshToken = textField(credential, 'refresh_token', FILE);
  const clientSecret = textField(credential, 'client_secret', FILE);
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: textField(credential, 'client_id', FILE),
    client_secret: clientSecret,
    refresh_token: refreshToken,
  });
  const secrets = [refreshToken, clientSecret];
  return await oauthToken({ fetch, who: WHO, url: TOKEN_URL, body, secrets, signal });
}

async function fromExternalAccount(
  credential: unknown,
  ports: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<Expiring<string>> {
  const { fetch } = ports;
  const subject = await readSubjectToken(field(credential, 'credential_source'), ports, signal);
  const body = new URLSearchParams({
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: textField(credential, 'audience', FILE),
    scope: SCOPE,
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token_type: textField(credential, 'subject_token_type', FILE),
    subject_token: subject,
  });
  const url = optional(credential, 'token_url') ?? STS_URL;
  const federated = await oauthToken({ fetch, who: WHO, url, body, secrets: [subject], signal });
  const impersonation = optional(credential, 'service_account_impersonation_url');
  if (impersonation === undefined) return federated;
  return await impersonate(impersonation, federated.value, ports, signal);
}

async function oauthToken(request: TokenRequest): Promise<Expiring<string>> {
  const answer = parseJson(await requestToken(request));
  const expiresAtMs = expiryOf(field(answer, 'expires_in'), Date.now());
  return { value: textField(answer, 'access_token', WHO), expiresAtMs };
}

/** The token of a service account for one that may be it (IAM Credentials API, generateAccessToken). */
async function impersonate(
  url: string,
  token: string,
  { fetch }: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<Expiring<string>> {
  const text = await requestToken({
    fetch,
    who: WHO,
    url,
    body: { scope: [SCOPE], lifetime: '3600s' },
    headers: { authorization: `Bearer ${token}` },
    secrets: [token],
    signal,
  });
  const answer = parseJson(text);
  const expiresAtMs = Date.parse(textField(answer, 'expireTime', WHO));
  if (!Number.isFinite(expiresAtMs))
    throw new ProviderError('server', `${WHO}: \`expireTime\` is not a date`);
  return { value: textField(answer, 'accessToken', WHO), expiresAtMs };
}

function optional(value: unknown, key: string): string | undefined {
  const text = field(value, key);
  return typeof text === 'string' && text !== '' ? text : undefined;
}

const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const LIFETIME_S = 3600;

/** A statement that a service account signs for itself (RFC 7523). Throws a ProviderError for an unusable key. */
async function signJwt(credential: unknown, audience: string): Promise<string> {
  const issuedAt = Math.floor(Date.now() / 1000);
  const email = textField(credential, 'client_email', FILE);
  const privateKey = textField(credential, 'private_key', FILE);
  const keyId = optional(credential, 'private_key_id');
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId === undefined ? {} : { kid: keyId }) };
  const claims = { iss: email, scope: SCOPE, aud: audience, iat: issuedAt, exp: issuedAt + LIFETIME_S };
  const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(claims))}`;
  const key = await importKey(privateKey);
  const signature = await crypto.subtle.sign(ALGORITHM.name, key, Buffer.from(signed));
  return `${signed}.${Buffer.from(signature).toString('base64url')}`;
}

function encode(text: string): string {
  return Buffer.from(text).toString('base64url');
}

async function importKey(pem: string): ReturnType<typeof crypto.subtle.importKey> {
  const base64 = pem.replace(/-----[^-]+-----/g, '').replace(/\\n|\s/g, '');
  try {
    return await crypto.subtle.importKey('pkcs8', Buffer.from(base64, 'base64'), ALGORITHM, false, ['sign']);
  } catch {
    // The error's own text is of no use, and what it was made of is secret.
    throw new ProviderError('auth', 'the private key of the service account cannot be read', {
      remedy: 'Use the JSON file of the key as Google made it.',
    });
  }
}

const SUBJECT_SOURCE = 'the source of the identity token';

/**
 * The token of the outside identity that an `external_account` exchanges: from a file, an address (GitHub's, in the
 * file that `google-github-actions/auth` writes), or, in a credential of our own making, from GitHub for an audience.
 */
async function readSubjectToken(
  source: unknown,
  ports: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<string> {
  const audience = field(source, 'audience');
  if (typeof audience === 'string') return await readStatement(ports, { file: undefined, audience });
  const text = await readSource(source, ports, signal);
  const format = field(source, 'format');
  if (field(format, 'type') !== 'json') return text.trim();
  return textField(
    parseJson(text),
    textField(format, 'subject_token_field_name', SUBJECT_SOURCE),
    SUBJECT_SOURCE,
  );
}

async function readSource(
  source: unknown,
  { fetch, readTextFile }: KeylessPorts,
  signal: AbortSignal | undefined,
): Promise<string> {
  const file = field(source, 'file');
  if (typeof file === 'string') return await readNamedFile(readTextFile, file);
  const url = field(source, 'url');
  if (typeof url !== 'string' || !URL.canParse(url)) {
    throw new ProviderError('auth', 'the credential file has a `credential_source` that is not supported', {
      remedy: 'Supported are `file` and `url`; programs (`executable`) and AWS roles are not.',
    });
  }
  const headers = headersOf(field(source, 'headers'));
  const secrets = Object.values(headers);
  return await requestToken({ fetch, who: SUBJECT_SOURCE, url, body: undefined, headers, secrets, signal });
}

function headersOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
