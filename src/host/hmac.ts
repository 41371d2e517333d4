import { createHmac } from 'node:crypto';
import type { Sign } from '../axe/ports.js';

/** Signs with a key of the user's: HMAC-SHA256 in hexadecimal digits; undefined for an empty key. */
export function createSign(key: string): Sign | undefined {
  if (key === '') return undefined;
  return (text) => createHmac('sha256', key).update(text).digest('hex');
}
