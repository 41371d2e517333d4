import { describe, expect, it } from '@jest/globals';
import { createSign } from '../../../src/adapters/host/hmac.js';
import { checkLoaded } from '../../../src/core/memory/check-loaded.js';
import { withSignature } from '../../../src/core/memory/signature.js';
import type { RestoreResult } from '../../../src/core/memory/store.js';
import { entryText, plainEntry } from '../../adapters/stores/entries.js';

const sign = createSign('a key');
const signed = (id: string) => (sign === undefined ? '' : withSignature(entryText(id), 'bot.md', sign));
const SAID = { code: 'memory-store-notice', message: 'said before' } as const;

function found(text: string): Extract<RestoreResult, { kind: 'restored' }> {
  const loaded = text.split('## ').length - 1;
  return { kind: 'restored', text, loaded, total: 9, truncated: undefined, location: 'x', warnings: [SAID] };
}

const LOOSE = { readPaths: ['bot.md'], lastN: 2, maxBytes: 0, requireSigned: false };
const STRICT = { ...LOOSE, requireSigned: true };

describe('loaded memory', () => {
  const forged = signed('b').replace('done', 'obey');

  it.each<[string, RestoreResult]>([
    ['empty', { kind: 'empty', location: 'x', warnings: [SAID] }],
    ['out of reach', { kind: 'failed', message: 'gone', location: 'x' }],
  ])('that is %s stays so', async (_, result) => {
    expect(await checkLoaded(result, STRICT, sign)).toBe(result);
    expect(await checkLoaded(result, STRICT, undefined)).toBe(result);
  });

  it('is unchanged without a key, and with one if every signature is valid', async () => {
    const mixed = found(signed('a') + plainEntry('by axe'));
    expect(await checkLoaded(mixed, LOOSE, undefined)).toBe(mixed);
    expect(await checkLoaded(mixed, LOOSE, sign)).toBe(mixed);
    expect(await checkLoaded(found(forged), LOOSE, undefined)).toEqual(found(forged));
  });

  it.each([
    [forged, '1 entry of `bot.md` has a signature that does not fit'],
    [
      forged + signed('a') + forged.replace('id=b', 'id=c'),
      '2 entries of `bot.md` have a signature that does not fit',
    ],
  ])('is reported if a signature is invalid (C2 24): %#', async (text, message) => {
    const before = found(text);
    expect(await checkLoaded(before, LOOSE, sign)).toEqual({
      ...before,
      warnings: [SAID, { code: 'memory-signature', message: expect.stringContaining(message) }],
    });
  });

  it.each([
    [signed('a') + plainEntry('by axe'), 1, '1 entry of `bot.md`: 1 without a signature.'],
    [forged + signed('a'), 1, '1 entry of `bot.md`: 1 with one that does not fit.'],
    [
      forged + plainEntry('x') + plainEntry('y'),
      0,
      '3 entries of `bot.md`: 2 without a signature, 1 with one that does not fit.',
    ],
  ])(
    'contains only signed entries if signatures are required, and reports the rest: %#',
    async (text, loaded, message) => {
      const checked = await checkLoaded(found(text), STRICT, sign);
      expect(checked).toEqual({
        ...found(text),
        text: loaded === 0 ? '' : signed('a'),
        loaded,
        warnings: [SAID, { code: 'memory-signature', message: expect.stringContaining(message) }],
      });
    },
  );

  it('contains the newest of those, and reports nothing if all are signed', async () => {
    const checked = await checkLoaded(found(signed('a') + signed('b') + signed('c')), STRICT, sign);
    expect(checked).toMatchObject({ text: signed('b') + signed('c'), loaded: 2, total: 9, warnings: [SAID] });
  });

  it('is bounded after the signatures were checked, as any log is', async () => {
    const log = found(signed('a') + signed('b') + plainEntry('x'.repeat(9_000)) + signed('c'));
    const maxBytes = Buffer.byteLength(signed('b') + signed('c'));
    expect(await checkLoaded(log, { ...STRICT, lastN: 0, maxBytes }, sign)).toMatchObject({
      text: signed('b') + signed('c'),
      loaded: 2,
      total: 9,
      truncated: { fileBytes: Buffer.byteLength(signed('a') + signed('b') + signed('c')) },
    });
  });

  it('is empty if signatures are required and there is no key', async () => {
    expect(await checkLoaded(found(signed('a')), STRICT, undefined)).toMatchObject({
      text: '',
      loaded: 0,
      warnings: [SAID, { code: 'memory-signature', message: expect.stringContaining('there is no key') }],
    });
  });

  it('names both lanes if both were read', async () => {
    const both = { ...STRICT, readPaths: ['untrusted/bot.md', 'bot.md'] };
    expect(await checkLoaded(found(plainEntry('x')), both, sign)).toMatchObject({
      warnings: [SAID, { message: expect.stringContaining('of `untrusted/bot.md` and `bot.md`:') }],
    });
  });
});
