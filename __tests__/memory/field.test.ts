import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decodeField, encodeField } from '../../src/memory/field.js';

describe('a provenance field', () => {
  it.each([
    ['01k5-abc', '01k5-abc'],
    ['octocat/hello@main:a+b_c', 'octocat/hello@main:a+b_c'],
    ['a b\nc', 'a%20b%0Ac'],
    ['-->', '-%2D%3E'],
    ['100%', '100%25'],
    ['#42', '%2342'],
    ["!'()*~", '%21%27%28%29%2A%7E'],
    ['\uDC80', '%EF%BF%BD'],
  ])('of %j is %s', (value, field) => {
    expect(encodeField(value)).toBe(field);
  });

  it('is returned unchanged if somebody else wrote it', () => {
    expect([decodeField('100%'), decodeField('#42'), decodeField('%ff')]).toEqual(['100%', '#42', '%ff']);
  });

  it('holds any text, is one word, and ends no comment', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        const field = encodeField(value);
        expect(field).not.toMatch(/--|[\s>]/);
        expect(decodeField(field)).toBe(value.toWellFormed());
      }),
      { numRuns: 1_000 },
    );
  });
});
