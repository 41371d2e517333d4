import { expect, it } from '@jest/globals';
import { previousTag } from '../../../src/github/reading/commits.js';

/** Commits, newest first, and the tags on them. */
function before(
  tag: string,
  commits: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  const tags = Object.entries(commits).flatMap(([sha, names]) =>
    names.map((name) => ({ name, sha })),
  );
  return previousTag(tag, tags, Object.keys(commits))?.name;
}

it.each<[string, string, Readonly<Record<string, readonly string[]>>, string | undefined]>([
  [
    'the nearest on the way back',
    'v1.2.0',
    { c: ['v1.2.0'], b: ['v1.1.0'], a: ['v1.0.0'] },
    'v1.1.0',
  ],
  [
    'not a tag of the same commit',
    'v1.2.0',
    { c: ['v1.2.0', 'v1'], b: [], a: ['v1.1.0'] },
    'v1.1.0',
  ],
  [
    'not one of another series',
    'v1.2.0',
    { c: ['v1.2.0'], b: ['cli-v3.0.0'], a: ['v1.1.0'] },
    'v1.1.0',
  ],
  [
    'of a series with a prefix',
    'cli-v3.1',
    { c: ['cli-v3.1'], b: ['v2.0.0'], a: ['cli-v3.0'] },
    'cli-v3.0',
  ],
  [
    'no candidate before a release',
    'v2.0.0',
    { c: ['v2.0.0'], b: ['v2.0.0-rc.2'], a: ['v1.9.0'] },
    'v1.9.0',
  ],
  [
    'a candidate before another',
    'v2.0.0-rc.3',
    { c: ['v2.0.0-rc.3'], b: ['v2.0.0-rc.2'] },
    'v2.0.0-rc.2',
  ],
  ['nothing before the first', 'v0.1.0', { b: ['v0.1.0'], a: [] }, undefined],
  ['nothing if the tag is on no commit', 'v0.1.0', {}, undefined],
  ['a date', '2026-11-22', { b: ['2026-11-22'], a: ['2026-10-01'] }, '2026-10-01'],
])('the previous tag is %s', (_, tag, commits, found) => {
  expect(before(tag, commits)).toBe(found);
});
