import { expect, it } from '@jest/globals';
import { readChoice } from '../../src/tools/define.js';

it.each([
  [undefined, 'head'],
  ['', 'head'],
  [' BASE ', 'base'],
])('a choice reads %p as %p', (given, word) => {
  expect(readChoice('ref', given, ['head', 'base'])).toBe(word);
});

it('a choice refuses anything else and lists its values', () => {
  expect(() => readChoice('ref', 'refs/heads/main', ['head', 'base'])).toThrow(
    '`ref` is one of `head`, `base`, not "refs/heads/main"',
  );
});
