import { describe, expect, it } from '@jest/globals';
import { findEntry, readEntries } from '../../../src/memory/commands/entry.js';
import { entry } from './logs.js';

const TRUSTED = readEntries(
  entry(1, { id: 'abcdef1' }) + entry(2, { id: 'abcdef2' }) + entry(3, { id: 'abc' }) + entry(4),
  'trusted',
);
const UNTRUSTED = readEntries(entry(2, { id: 'abcdef2' }) + entry(5, { id: 'ghijklmn' }), 'untrusted');
const ALL = [...TRUSTED, ...UNTRUSTED];
const PLAIN = TRUSTED[3]?.id ?? '';

describe('findEntry', () => {
  it.each([
    ['a whole id', 'abcdef1', 'abcdef1', ['trusted']],
    ['a whole id shorter than a beginning can be', 'abc', 'abc', ['trusted']],
    ['an id that both lanes have', 'abcdef2', 'abcdef2', ['trusted', 'untrusted']],
    ['the beginning of one id', 'ghijkl', 'ghijklmn', ['untrusted']],
    ['the beginning of the id of an entry of axe', PLAIN.slice(0, 8), PLAIN, ['trusted']],
  ])('finds by %s', (_, wanted, id, lanes) => {
    const found = findEntry(ALL, wanted);
    expect(found).toMatchObject({ kind: 'found', id });
    expect(found.kind === 'found' ? found.entries.map(({ lane }) => lane) : []).toEqual(lanes);
  });

  it('lists one entry for each id with the given beginning', () => {
    const found = findEntry(ALL, 'abcdef');
    expect(found.kind === 'ambiguous' ? found.candidates.map(({ id }) => id) : []).toEqual([
      'abcdef1',
      'abcdef2',
    ]);
  });

  it.each([['ghijk'], ['abcdef3'], [''], ['zzzzzz']])('finds nothing for %j', (wanted) => {
    expect(findEntry(ALL, wanted)).toEqual({ kind: 'missing' });
  });
});
