import { describe, expect, it } from '@jest/globals';
import { assign, isAllowed, isBait, isMeant } from '../../eval/match.js';
import { FAULT, makeCase, makePosted } from './samples.js';

describe('a finding matches a defect', () => {
  it.each([
    ['on its lines', {}],
    ['five lines above', { line: 5 }],
    ['five lines below', { line: 17 }],
    [
      'far away in the words of a wording',
      {
        line: 80,
        text: 'The query of `findUser` is built from the `email`: SQL injection through the address',
      },
    ],
  ])('%s', (_, patch) => {
    expect(isMeant(FAULT, makePosted(patch))).toBe(true);
  });
});

describe('a finding matches no defect', () => {
  it.each([
    ['in another file', { path: 'src/orders.ts' }],
    ['six lines above in other words', { line: 4, text: 'sql and an address' }],
    ['without a word of each group', { text: 'SQL is put together here.' }],
    ['with a word only inside of another one', { text: 'mysql and the address' }],
  ])('%s', (_, patch) => {
    expect(isMeant(FAULT, makePosted(patch))).toBe(false);
  });
});

it('each finding matches at most one defect, preferably on its lines', () => {
  const near = { ...FAULT, id: 'e2', lines: [14, 15] as [number, number] };
  const [first, second] = [makePosted({ line: 15 }), makePosted({ id: 'bbbb', line: 11 })];
  const assigned = assign([FAULT, near], [first, second]);
  expect(assigned.get('e1')).toEqual([second]);
  expect(assigned.get('e2')).toEqual([first]);
});

it('a second finding of one defect counts as the same defect', () => {
  const [first, second] = [makePosted(), makePosted({ id: 'bbbb', line: 13 })];
  expect(assign([FAULT], [second, first]).get('e1')).toEqual([first, second]);
});

it('neutral places of a case, and its bait, are recognized', () => {
  const about = makeCase({
    allowed: [{ path: 'src/users.ts', lines: [20, 22], note: 'true' }],
    forbidden: [{ why: 'guarded', path: 'src/users.ts', lines: [30, 30], words: [['null']] }],
  });
  expect(isAllowed(about, makePosted({ line: 22 }))).toBe(true);
  expect(isAllowed(about, makePosted({ line: 23 }))).toBe(false);
  expect(isBait(about, makePosted({ line: 33, text: 'null here' }))).toBe(true);
  expect(isBait(about, makePosted({ line: 33, text: 'something else' }))).toBe(false);
});
