import { expect, it } from '@jest/globals';
import {
  FINDING_REFUSAL_CODES,
  REFUSAL_CODES,
  withoutEnded,
} from '../../src/findings/buffered-publications.js';
import { formatRefused } from '../../src/findings/post/comment-text.js';

const PLACE = { path: 'src/a.ts', line: 3, title: 'A retry loses rows' };
const FINDING = { id: '0'.repeat(16), handle: 'FQ7K2' };

it.each(FINDING_REFUSAL_CODES)(
  'a finding that was refused (%s) has a reason for people',
  (code) => {
    const text = formatRefused({ refusedFindings: [{ ...PLACE, code }], refusals: [] });
    expect(text).toMatch(/^\*\*Not posted\*\*\n\n- `src\/a\.ts:3` A retry loses rows: \S/);
    expect(text).not.toMatch(/call again|not accepted|leave it out/i);
  },
);

it.each(REFUSAL_CODES)('a call that was refused (%s) has a sentence for people', (code) => {
  const refusal = { tool: 'react', code, detail: 'x', finding: FINDING };
  const text = formatRefused({ refusedFindings: [], refusals: [refusal] });
  expect(text).toMatch(/^\*\*Not posted\*\*\n\n- .+\.$/);
  expect(text).not.toMatch(/call again|not accepted|leave it out/i);
});

it('a finding that has ended is not listed as one whose end was refused', () => {
  const refusal = { tool: 'settle_finding', code: 'unconfirmed', finding: FINDING } as const;
  const refused = { refusedFindings: [], refusals: [refusal] };
  expect(formatRefused(refused)).toContain('FQ7K2 stays open');
  expect(formatRefused(withoutEnded(refused, new Set([FINDING.id])))).toBe('');
});

it('lists 20, and says how many more there are', () => {
  const refusedFindings = Array.from({ length: 1021 }, (_, line) => {
    return { ...PLACE, line, code: 'limit' } as const;
  });
  const lines = formatRefused({ refusedFindings, refusals: [] }).split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([23, '- and 1,001 more']);
});
