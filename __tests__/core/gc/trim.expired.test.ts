import { expect, it } from '@jest/globals';
import { expiredDailyLogs } from '../../../src/core/gc/trim.js';

const NOW = new Date('2026-03-10T12:00:00Z');
const FOLDER = 'projects/hello-1a2b3c4d/daily/';

it.each([
  ['older than the limit', `${FOLDER}2026-01-31.md`, true],
  ['younger', `${FOLDER}2026-02-20.md`, false],
  ['of this month', `${FOLDER}2026-03-01.md`, false],
  ['a flat day', '2025-12-01.md', true],
  ['no day there ever was', `${FOLDER}2025-02-30.md`, false],
  ['a note with the name of a day', 'projects/hello-1a2b3c4d/notes/2025-01-01.md', false],
  ['a run log', 'bot.md', false],
  ['long-term memory', 'MEMORY.md', false],
])('a file that is %s: removed %#', (_what, path, isExpired) => {
  expect(expiredDailyLogs([path], 30, NOW)).toEqual(isExpired ? [path] : []);
  expect(expiredDailyLogs([path], 0, NOW)).toEqual([]);
});

it('daily logs of this month are kept even if the limit is shorter', () => {
  expect(expiredDailyLogs([`${FOLDER}2026-03-01.md`, `${FOLDER}2026-02-28.md`], 2, NOW)).toEqual([
    `${FOLDER}2026-02-28.md`,
  ]);
});
