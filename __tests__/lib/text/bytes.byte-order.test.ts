import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { compareBytes } from '../../../src/lib/text/bytes.js';

describe('compareBytes', () => {
  it('orders as the UTF-8 bytes do', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'Z', '/', '.', 'é', '\ud7ff', '\uff5e', '🎉', '𐀀') });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(Math.sign(compareBytes(a, b))).toBe(Math.sign(Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });
});
