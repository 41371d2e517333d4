import { describe, expect, it } from '@jest/globals';
import { createSign } from '../../../src/adapters/host/hmac.js';

describe('a signature', () => {
  // The first is test case 2 of RFC 4231.
  it.each([
    [
      'Jefe',
      'what do ya want for nothing?',
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    ['key', '', '5d5d139563c95b5967b9bd9a8c9b233a9dedb45072794cd232dc1b74832607d0'],
  ])('with the key %j of %j is the HMAC-SHA256', (key, text, digest) => {
    expect(createSign(key)?.(text)).toBe(digest);
  });

  it('covers the bytes of UTF-8, and depends on every byte and on the key', () => {
    const sign = createSign('a long random key');
    const digests = ['größer', 'grösser', 'größer '].map((text) => sign?.(text));
    for (const digest of digests) expect(digest).toMatch(/^[0-9a-f]{64}$/);
    expect(new Set([...digests, createSign('another key')?.('größer')]).size).toBe(4);
    expect(sign?.('größer')).toBe(digests[0]);
  });

  it('is made with the first of several keys, and signatures of the other keys can still be checked', () => {
    const sign = createSign(' new key \r\n\nold key\noldest key\n');
    expect(sign?.('x')).toBe(createSign('new key')?.('x'));
    expect(sign?.earlier?.map((one) => one('x'))).toEqual(
      ['old key', 'oldest key'].map((key) => createSign(key)?.('x')),
    );
  });

  it('requires a key', () => {
    for (const none of ['', '\n', ' \n ']) expect(createSign(none)).toBeUndefined();
  });
});
