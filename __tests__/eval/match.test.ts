import { expect, it } from '@jest/globals';
import { assign, isMeant } from '../../eval/match.js';
import { FAULT, makePosted } from './samples.js';

const WORDED =
  'The query of `findUser` is built from the `email`: SQL injection through the address';

it.each([
  ['on its lines', {}, true],
  ['five lines above', { line: 5 }, true],
  ['five lines below', { line: 17 }, true],
  ['far away in the words of a wording', { line: 80, text: WORDED }, true],
  ['in another file', { path: 'src/orders.ts' }, false],
  ['six lines above in other words', { line: 4, text: 'sql and an address' }, false],
  ['without a word of each group', { text: 'SQL is put together here.' }, false],
  ['with a word only inside of another one', { text: 'mysql and the address' }, false],
])('a finding %s means the defect: %j, %s', (_, patch, means) => {
  expect(isMeant(FAULT, makePosted(patch))).toBe(means);
});

it('each finding matches at most one defect, preferably on its lines', () => {
  const near = { ...FAULT, id: 'e2', lines: [14, 15] as [number, number] };
  const [first, second] = [makePosted({ line: 15 }), makePosted({ id: 'bbbb', line: 11 })];
  const assigned = assign([FAULT, near], [first, second]);
  expect(assigned.get('e1')).toEqual([second]);
  expect(assigned.get('e2')).toEqual([first]);
});
