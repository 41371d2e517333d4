import { expect, it } from '@jest/globals';
import { findCircles } from '../../../src/commands/validate/validate-agents.js';

it.each<[string, Record<string, readonly string[]>, readonly (readonly string[])[]]>([
  ['a tree', { a: ['b', 'c'], b: ['c'], c: [] }, []],
  ['one that calls itself', { a: ['a', 'a'] }, [['a']]],
  ['two', { b: ['a'], a: ['b'] }, [['a', 'b']]],
  ['three behind another', { a: ['d'], d: ['c'], c: ['b'], b: ['d'] }, [['b', 'd', 'c']]],
  [
    'two circles',
    { a: ['b', 'c'], b: ['a'], c: ['a'] },
    [
      ['a', 'b'],
      ['a', 'c'],
    ],
  ],
  ['one that calls an agent from elsewhere', { a: ['x'] }, []],
])('finds circles in %s', (_, calls, circles) => {
  expect(findCircles(new Map(Object.entries(calls)))).toEqual(circles);
});

it('each call is checked once, however many ways there are', () => {
  const layers = Array.from({ length: 40 }, (_, layer) => [`${layer}a`, `${layer}b`]);
  const calls = new Map(
    layers.flatMap((names, layer) => names.map((name) => [name, layers[layer + 1] ?? []] as const)),
  );
  expect(findCircles(calls)).toEqual([]);
});

it('the search for circles ends with the twentieth, however many there are', () => {
  const names = Array.from({ length: 299 }, (_, index) => `a${index}`);
  const circles = findCircles(new Map(names.map((name) => [name, names])));
  expect(circles).toHaveLength(20);
  expect(circles[0]).toEqual(['a0']);
});
