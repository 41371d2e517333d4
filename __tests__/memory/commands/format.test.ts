import { describe, expect, it } from '@jest/globals';
import { formatBrief, formatEntries, formatWhole, readEntries } from '../../../src/memory/commands/entry.js';
import { entry } from './logs.js';

const LONG = entry(2, { id: 'b2', actor: 'octocat', event: 'push', result: 'one\ntwo\n\nthree\nfour\nfive' });
const ENTRIES = readEntries(entry(1) + LONG, 'trusted');

describe('entries formatted for people', () => {
  it('have id, time, lane, actor, line, task and the first lines', () => {
    expect(formatEntries(ENTRIES.slice(1))).toBe(
      [
        '- `b2` 2026-02-03T04:02:00Z trusted by octocat, line 5',
        '  Task: task 2',
        '  Result: one',
        '  two',
        '  three',
        '  … 2 more lines',
      ].join('\n'),
    );
  });

  it('are shown whole when shown alone, with their origin', () => {
    const [whole] = readEntries(LONG, 'untrusted');
    if (whole === undefined) throw new Error('no entry');
    expect(formatWhole(whole)).toBe(
      [
        '- `b2` 2026-02-03T04:02:00Z untrusted by octocat, line 1',
        '  event push',
        '  Task: task 2',
        '  Result: one',
        '  two',
        '',
        '  three',
        '  four',
        '  five',
      ].join('\n'),
    );
  });

  it('are cut between characters', () => {
    const [long] = readEntries(entry(1, { task: '👍'.repeat(500), result: '好'.repeat(900) }), 'trusted');
    const text = long === undefined ? '' : formatEntries([long]);
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain(`Task: ${'👍'.repeat(200)}…`);
    expect([...text].length).toBeLessThan(600);
  });
});

it('entries are one line if they are only named', () => {
  const [plain] = ENTRIES;
  expect(plain === undefined ? '' : formatBrief(plain)).toMatch(
    /^- `t-[0-9a-f]{16}` 2026-02-03T04:01:00Z trusted, line 1: task 1$/,
  );
});
