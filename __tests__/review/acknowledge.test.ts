import { expect, it } from '@jest/globals';
import { dismissalsToAnswer, dismissedText } from '../../src/review/acknowledge.js';
import { END_REASONS, type Ended } from '../../src/review/finding-facts.js';

function dismissed(why: Ended['why'], id = 'a'.repeat(16)): Ended {
  const at = new Date('2026-11-22T12:00:00Z');
  return {
    kind: 'ended',
    id,
    pull: 7,
    path: 'a.ts',
    category: 'other',
    how: 'dismissed',
    why,
    by: 'octocat',
    at,
  };
}

it('replies are written to dismissals by text or thumbs, and to nothing else', () => {
  const answered = END_REASONS.filter((why) => dismissalsToAnswer([dismissed(why)]).length > 0);
  expect(answered).toEqual(['thumbs-down', 'reply']);
  expect(dismissalsToAnswer([dismissed('reply')])).toEqual([{ id: 'a'.repeat(16), pull: 7 }]);
});

it('at most ten replies are written', () => {
  const many = Array.from({ length: 30 }, (_, index) => dismissed('reply', `${index}`.padStart(16, '0')));
  expect(dismissalsToAnswer(many)).toHaveLength(10);
});

it('a reply states how to revert it', () => {
  expect(dismissedText('9f2c')).toBe('Noted: not raised again on similar code. Undo: `/axe forget 9f2c`.');
});
