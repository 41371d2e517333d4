import { describe, expect, it } from '@jest/globals';
import { formatLearned } from '../../../src/actions/report/format-summary.js';
import type { Ended } from '../../../src/review/finding-facts.js';
import type { Learned } from '../../../src/run/request.js';

const NOTHING: Learned = { facts: [], known: [] };
const SHOWN = { isHidden: false };

function ended(parts: Partial<Ended> = {}): Ended {
  return {
    kind: 'ended',
    id: '5a1b888c32f7c519',
    pull: 41,
    path: 'src/auth.ts',
    category: 'security',
    how: 'dismissed',
    why: 'reply',
    by: 'octocat',
    at: new Date('2026-11-20T10:00:00Z'),
    ...parts,
  };
}

describe('what a run learned, in the summary,', () => {
  it('states who said what where, with the id that reverts it', () => {
    const facts = [ended(), ended({ how: 'settled', why: 'fixed', pull: 40 })];
    expect(formatLearned({ ...NOTHING, facts }, SHOWN)).toBe(
      '**Learned from answers** to 2 earlier findings\n\n' +
        '- `src/auth.ts`, `security`: dismissed by `octocat` in a reply on #41 (`5a1b888c32f7c519`)\n' +
        '- `src/auth.ts`, `security`: settled by `octocat` (the code has changed) on #40 (`5a1b888c32f7c519`)',
    );
  });

  it.each<[Partial<Ended>, string]>([
    [{ why: 'thumbs-down' }, 'dismissed by `octocat` with 👎 on #41'],
    [{ why: 'command' }, 'dismissed by `octocat` with a command on #41'],
    [{ why: 'words' }, 'dismissed by `octocat` in their own words on #41'],
    [{ how: 'settled', why: 'closed' }, 'settled by `octocat` (resolved without a change) on #41'],
    [{ how: 'settled', why: 'suggestion', by: '' }, 'settled (its suggestion was committed) on #41'],
    [{ how: 'outdated', why: 'gone', by: '' }, 'outdated (its line is gone) on #41'],
    [{ how: 'withdrawn', why: 'wrong', by: '' }, 'withdrawn on #41'],
  ])('describes %j: %s', (parts, expected) => {
    expect(formatLearned({ ...NOTHING, facts: [ended(parts)] }, SHOWN)).toContain(`: ${expected} (\`5a1b`);
  });

  it('counts neither reopened findings nor what was taught', () => {
    const { id, pull, path, category, at, by } = ended();
    const place = { id, pull, path, category, at };
    const facts = [
      { kind: 'finding', ...place, severity: 'major' },
      { kind: 'lesson', ...place, by, strength: 1, sketch: '', code: '' },
    ] as const;
    expect(formatLearned({ ...NOTHING, facts }, SHOWN)).toBe('');
  });

  it('is only counted if memory is kept elsewhere', () => {
    const text = formatLearned({ ...NOTHING, facts: [ended()] }, { isHidden: true });
    expect(text).toBe('**Learned from answers** to 1 earlier finding');
  });

  it('lists at most twenty items', () => {
    const many = Array.from({ length: 25 }, () => ended());
    const lines = formatLearned({ ...NOTHING, facts: many }, SHOWN).split('\n');
    expect(lines).toHaveLength(2 + 20 + 1);
    expect(lines.at(-1)).toBe('- and 5 more');
  });

  it('states in one line why answers were not read', () => {
    const trouble = 'GitHub refused it.\nAdd `pull-requests: read`.';
    expect(formatLearned({ ...NOTHING, trouble }, SHOWN)).toBe(
      'Answers to earlier findings were not read: GitHub refused it. Add `pull-requests: read`.',
    );
  });

  it.each([undefined, NOTHING])('is empty if nothing was learned', (learned) => {
    expect(formatLearned(learned, SHOWN)).toBe('');
  });
});
