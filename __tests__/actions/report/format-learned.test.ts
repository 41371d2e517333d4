import { describe, expect, it } from '@jest/globals';
import { formatLearned } from '../../../src/actions/report/format-learned.js';
import type { Withdrawn } from '../../../src/core/review/state-facts.js';
import type { Learned } from '../../../src/run/request.js';

const NOTHING: Learned = { withdrawn: [], open: [], withdrawnHere: [] };
const SHOWN = { isHidden: false };

function withdrawn(parts: Partial<Withdrawn> = {}): Withdrawn {
  return {
    kind: 'withdrawn',
    fingerprint: '5a1b888c32f7c519',
    pull: 41,
    path: 'src/auth.ts',
    rule: 'timing-attack',
    why: 'reply',
    by: 'octocat',
    at: new Date('2026-11-20T10:00:00Z'),
    ...parts,
  };
}

describe('what was learnt, in the summary', () => {
  it('says who said what where, with the id that takes it back', () => {
    const two = [withdrawn(), withdrawn({ why: 'fixed', pull: 40 })];
    expect(formatLearned({ ...NOTHING, withdrawn: two }, SHOWN)).toBe(
      '**Learned from answers** to 2 earlier findings\n\n' +
        '- `src/auth.ts`, `timing-attack`: withdrawn by `octocat` in a reply on #41 (`5a1b888c32f7c519`)\n' +
        '- `src/auth.ts`, `timing-attack`: called fixed by `octocat` on #40 (`5a1b888c32f7c519`)',
    );
  });

  it('is only counted where memory is kept elsewhere', () => {
    const text = formatLearned({ ...NOTHING, withdrawn: [withdrawn()] }, { isHidden: true });
    expect(text).toBe('**Learned from answers** to 1 earlier finding');
  });

  it('lists twenty at most', () => {
    const many = Array.from({ length: 25 }, () => withdrawn());
    const lines = formatLearned({ ...NOTHING, withdrawn: many }, SHOWN).split('\n');
    expect(lines).toHaveLength(2 + 20 + 1);
    expect(lines.at(-1)).toBe('- and 5 more');
  });

  it('says in one line why answers were not read', () => {
    const trouble = 'GitHub refused it.\nAdd `pull-requests: read`.';
    expect(formatLearned({ ...NOTHING, trouble }, SHOWN)).toBe(
      'Answers to earlier findings were not read: GitHub refused it. Add `pull-requests: read`.',
    );
  });

  it.each([undefined, NOTHING])('is nothing where there is nothing', (learned) => {
    expect(formatLearned(learned, SHOWN)).toBe('');
  });
});
