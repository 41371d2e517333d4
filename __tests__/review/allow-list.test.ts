import { describe, expect, it } from '@jest/globals';
import { allowedName, splitNames } from '../../src/review/allow-list.js';
import { pickNames, withoutNames } from '../../src/review/buffer.js';

describe('an allow-list', () => {
  it.each<[string, readonly string[], string | undefined]>([
    ['bug', ['bug'], 'bug'],
    ['BUG', ['docs', 'Bug'], 'Bug'],
    ['bugs', ['bug'], undefined],
    ['area/docs', ['area/*'], 'area/docs'],
    ['Area/Docs', ['area/*'], 'Area/Docs'],
    ['area', ['area/*'], undefined],
    ['area/', ['area/*'], 'area/'],
    ['good first issue', ['*'], 'good first issue'],
    ['a-b-c', ['a*b*c'], 'a-b-c'],
    ['a-c-b', ['a*b*c'], undefined],
    ['aba', ['ab*ba'], undefined],
    ['abba', ['ab*ba'], 'abba'],
    ['a', ['a*a'], undefined],
    ['a.c', ['a?c'], undefined],
    ['abc', ['a.c'], undefined],
    ['bug', [], undefined],
    ['', ['bug'], undefined],
  ])('maps %j with %j to %j', (name, patterns, expected) => {
    expect(allowedName(name, patterns)).toBe(expected);
  });

  it('is matched at once for a long name and many stars', () => {
    expect(allowedName('a'.repeat(10_000), [`${'*a'.repeat(1000)}*b`])).toBeUndefined();
  });
});

it.each<[string | undefined, readonly string[]]>([
  ['bug, docs', ['bug', 'docs']],
  [' bug ,,\n good first issue\n', ['bug', 'good first issue']],
  ['bug, Bug', ['Bug']],
  ['', []],
  [undefined, []],
])('is split from %j into %j', (list, expected) => {
  expect(splitNames(list)).toEqual(expected);
});

describe('picked names', () => {
  it('are accepted if allowed, up to the limit', () => {
    const rules = { patterns: ['a', 'b', 'c'], max: 2, before: ['a'] };
    expect(pickNames(['A', 'x', 'b', 'c'], rules)).toEqual({
      names: ['a', 'b'],
      picked: ['a', 'b'],
      left: ['x', 'c'],
    });
  });

  it('can be removed in any case', () => {
    expect(withoutNames(['Bug', 'docs'], ['bug'])).toEqual(['docs']);
  });
});
