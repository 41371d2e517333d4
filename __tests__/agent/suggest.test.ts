import { expect, it } from '@jest/globals';
import { byNearness, closestWord, editDistance } from '../../src/agent/suggest.js';

it.each([
  ['', '', 0],
  ['a', '', 1],
  ['', 'abc', 3],
  ['last_n', 'last_n', 0],
  ['lastn', 'last_n', 1],
  ['lsat_n', 'last_n', 1],
  ['max_entrys', 'max_entries', 2],
  ['kitten', 'sitting', 3],
])('distance from %j to %j is %d edits', (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits);
  expect(editDistance(b, a)).toBe(edits);
});

it('distance is infinite for words too long to be a typing mistake', () => {
  expect(editDistance('x'.repeat(1_000_000), 'x')).toBe(Number.POSITIVE_INFINITY);
});

it.each([
  ['reveiw', ['ask', 'review', 'triage'], 'review'],
  ['REVIEW', ['ask', 'review'], 'review'],
  ['builtin/pr-review', ['builtin/ask', 'builtin/pr-reviewer'], 'builtin/pr-reviewer'],
  ['banana', ['name', 'model', 'memory'], undefined],
  ['x', ['abc'], undefined],
  ['x', [], undefined],
])('nearest returns for %j among %j: %j', (word, candidates, expected) => {
  expect(closestWord(word, candidates)).toBe(expected);
});

it('byNearness puts the most similar first and keeps the order of the rest', () => {
  expect(byNearness('revew', ['zed', 'abc', 'review'])).toEqual(['review', 'zed', 'abc']);
});
