import { createHmac } from 'node:crypto';
import { type Sign, signingKeys } from '../../core/memory/signature.js';

/**
 * Signs with the first of the user's keys, one a line: HMAC-SHA256 in hexadecimal digits. The others are earlier ones.
 * Undefined where there is no key.
 */
export function createSign(keys: string): Sign | undefined {
  const [first, ...earlier] = signingKeys(keys).map(signWith);
  if (first === undefined) return undefined;
  return earlier.length === 0 ? first : Object.assign(first, { earlier });
}

function signWith(key: string): (text: string) => string {
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
