import { describe, expect, it } from '@jest/globals';
import { matcherOf, readEntries } from '../../../src/memory/commands/entry.js';
import { entry } from './logs.js';

const ENTRIES = readEntries(
  entry(1, { id: 'a', task: 'Review pull request #42', result: 'Found a race in db.ts' }) +
    entry(5, { id: 'b', task: 'Nightly check', result: 'No RACE found, 数据库 is fine' }) +
    entry(3, { id: 'c', task: 'Nightly check', result: 'flaky' }) +
    '## 2026-02-03T04:04:00Z\nnotes on the race\n',
  'trusted',
);

describe('matcherOf', () => {
  it.each([
    [['race'], ['a', 'b', undefined]],
    [
      ['RACE', 'found'],
      ['a', 'b'],
    ],
    [['nightly'], ['b', 'c']],
    [['数据'], ['b']],
    [['#42', 'race'], ['a']],
    [['axe-action'], []],
    [['id=a'], []],
    [['2026'], []],
  ])('tells the entries that hold %j', (words, ids) => {
    const found = ENTRIES.filter(matcherOf(words)).map(({ id, provenance }) => provenance && id);
    expect(found).toEqual(ids);
  });

  it('finds an accented letter however it is written', () => {
    const entries = readEntries(entry(1, { result: 'cafe\u0301' }), 'trusted');
    expect(entries.filter(matcherOf(['CAFÉ']))).toHaveLength(1);
  });
});
