import { ProviderError } from '../../core/errors.js';

/** A service account's key and whom the statement is for. */
export interface JwtParts {
  readonly email: string;
  /** PKCS #8, as PEM. */
  readonly privateKey: string;
  readonly keyId: string | undefined;
  readonly audience: string;
  readonly scope: string;
  readonly nowMs: number;
}

const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
const LIFETIME_S = 3600;

/** A statement that a service account signs for itself (RFC 7523). Throws a ProviderError for an unusable key. */
export async function signJwt(parts: JwtParts): Promise<string> {
  const issuedAt = Math.floor(parts.nowMs / 1000);
  const header = {
    alg: 'RS256',
    typ: 'JWT',
    ...(parts.keyId === undefined ? {} : { kid: parts.keyId }),
  };
  const reservations = {
    iss: parts.email,
    scope: parts.scope,
    aud: parts.audience,
    iat: issuedAt,
    exp: issuedAt + LIFETIME_S,
  };
  const signed = `${encode(JSON.stringify(header))}.${encode(JSON.stringify(reservations))}`;
  const key = await importKey(parts.privateKey);
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
