import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { handleOf, mintId, readHandle, visibleWords } from '../../src/review/finding.js';

describe('the id of a finding', () => {
  it('is different for every run and every number in it', () => {
    const run = fc.stringMatching(/^[0-9]{1,3}\/[0-9]$/);
    fc.assert(
      fc.property(run, run, fc.nat(200), fc.nat(200), (one, other, number, next) => {
        fc.pre(one !== other || number !== next);
        expect(mintId(one, number)).not.toBe(mintId(other, next));
      }),
    );
  });
});

describe('the handle of a finding', () => {
  it('is another one while it is taken, and can be read back', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[0-9a-f]{16}$/), (id) => {
        const first = handleOf(id, () => false);
        const second = handleOf(id, (handle) => handle === first);
        expect([first, second].map(readHandle)).toEqual([first, second]);
        expect(second).not.toBe(first);
        expect(handleOf(id, () => false)).toBe(first);
      }),
    );
  });

  it.each<[string, string | undefined]>([
    ['`FQ7K2`:', 'FQ7K2'],
    ['(FQ7K2)', 'FQ7K2'],
    ['false', undefined],
    ['F1', undefined],
  ])('is read from %j as %j', (word, expected) => {
    expect(readHandle(word)).toBe(expected);
  });
});

it.each<[string, string]>([
  ['<!-- a -->\nText <!-- b\nc --> more.', 'Text  more.'],
  ['Text.\n\n<details><summary>x</summary>\n\ny</details>', 'Text.'],
  ['Text.\n\n<details><summary>x</summary>\n\nnever closed', 'Text.'],
  ['', ''],
])('the visible words of %j are %j', (body, words) => {
  expect(visibleWords(body)).toBe(words);
});
