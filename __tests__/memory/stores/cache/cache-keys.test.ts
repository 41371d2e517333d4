import { describe, expect, it } from '@jest/globals';
import {
  cacheScope,
  formatKey,
  keyPrefix,
  keysAbove,
  nextFree,
  parseKey,
  passingRef,
} from '../../../../src/memory/stores/cache/cache-keys.js';

it.each([
  ['refs/heads/main', /^trunk$/],
  ['refs/heads/feature/x', /^br-[0-9a-f]{16}$/],
  ['refs/tags/main', /^br-[0-9a-f]{16}$/],
  ['refs/pull/42/merge', /^pr-42$/],
])('the ref %s has a cache scope of its own', (ref, scope) =>
  expect(cacheScope(ref, 'main')).toMatch(scope),
);

it.each([
  ['refs/tags/v1', 'this tag'],
  ['refs/heads/gh-readonly-queue/main/pr-2-929f820', 'this merge group'],
  ['refs/heads/main', undefined],
  ['refs/heads/refs/tags/v1', undefined],
  ['refs/pull/42/merge', undefined],
])('what is saved for the ref %s is only for %s', (ref, owner) =>
  expect(passingRef(ref)).toBe(owner),
);

it.each([1, 9, 10, 999_999_999])(
  'the key of version %i is read back as that version',
  (version) => {
    const prefix = keyPrefix('pr-4');
    expect(parseKey(prefix, formatKey(prefix, version))).toBe(version);
    expect(parseKey(keyPrefix('pr-42'), formatKey(prefix, version))).toBeUndefined();
  },
);

it('the next ten versions are asked for, the highest first', () => {
  const prefix = keyPrefix('trunk');
  expect(keysAbove(prefix, 3).map((key) => parseKey(prefix, key))).toEqual([
    13, 12, 11, 10, 9, 8, 7, 6, 5, 4,
  ]);
});

describe('the next free version from 5, at 100 s, is', () => {
  const AT = 100_000;
  const JUST_NOW = AT - 59_999;
  const A_MINUTE_AGO = AT - 60_000;

  it.each<[number | undefined, string, readonly (readonly [number, number])[]]>([
    [5, 'that number if nobody took it', [[4, JUST_NOW]]],
    [5, 'that number if it was taken just now: the save may have ended', [[5, JUST_NOW]]],
    [6, 'the one above a number that a dead job took', [[5, A_MINUTE_AGO]]],
    [
      undefined,
      'unknown while another job might be saving above a dead one',
      [
        [5, A_MINUTE_AGO],
        [6, JUST_NOW],
      ],
    ],
  ])('%s: %s', (expected, _, taken) => {
    expect(nextFree(5, new Map(taken), AT)).toBe(expected);
  });
});
