import { describe, expect, it } from '@jest/globals';
import type { ReviewFact } from '../../src/review/state-facts.js';
import { worthTable } from '../../src/review/worth.js';
import { ended, raised } from '../helpers/marks.js';

const NOW = new Date('2026-11-22T10:00:00Z');
const at = (day: string) => Date.parse(`${day}T10:00:00Z`);
const spent = (day: string, usd: number, model?: string, id = day): ReviewFact => {
  return { kind: 'spent', id: `${id} ${model}`, day, usd, model, at: at(day) };
};

/** A finding of a day by a model, and how it ended. */
function finding(
  number: number,
  day: string,
  model: string,
  end?: Parameters<typeof ended>[0],
): ReviewFact[] {
  const id = String(number).padStart(16, '0');
  const first = { ...raised({ id, at: at(day), model, severity: number % 2 ? 'major' : 'minor' }), pull: 1 };
  return end === undefined ? [first] : [first, { ...ended({ ...end, id, at: at(day) + 1000 }), pull: 1 }];
}

const FIXED = { state: 'settled', why: 'fixed' } as const;

describe('what reviews are worth', () => {
  it('is a table by month and model', () => {
    const facts = [
      ...finding(1, '2026-11-03', 'claude-sonnet-5-5', FIXED),
      ...finding(3, '2026-11-04', 'claude-sonnet-5-5', FIXED),
      ...finding(4, '2026-11-04', 'claude-sonnet-5-5', {}),
      ...finding(5, '2026-11-20', 'claude-sonnet-5-5'),
      ...finding(6, '2026-11-02', 'gpt-4.1'),
      ...finding(7, '2026-10-09', 'gpt-4.1', { state: 'settled', why: 'resolved', code: '' }),
      spent('2026-11-03', 0.5, 'claude-sonnet-5-5'),
      spent('2026-11-04', 0.34, 'claude-sonnet-5-5'),
      spent('2026-11-02', 0.2, 'gpt-4.1'),
    ];
    expect(worthTable(facts, NOW)).toBe(
      `Findings: acted on / dismissed / unanswered, and what all runs of the model cost in the month:

| Month | Model | critical | major | minor | nit | Cost | Cost of each acted on |
| --- | --- | --- | --- | --- | --- | --- | --- |
| 2026-11 | gpt-4.1 |  |  | 0 / 0 / 1 |  | $0.20 |  |
| 2026-11 | claude-sonnet-5-5 |  | 2 / 0 / 0 | 0 / 1 / 0 |  | $0.84 | $0.42 |
| 2026-10 | gpt-4.1 |  | 1 / 0 / 0 |  |  |  |  |`,
    );
  });

  it.each([
    ['nothing was raised', [spent('2026-11-03', 1, 'm')]],
    ['the story of a finding goes on', finding(5, '2026-11-20', 'm')],
    [
      'a conversation was resolved with its line as it was',
      finding(5, '2026-11-01', 'm', { ...FIXED, why: 'resolved', code: 'x' }),
    ],
  ])('is nothing where %s', (_, facts) => {
    expect(worthTable(facts, NOW)).toBe('');
  });

  it('has no cost of a month of which some may be gone', () => {
    const many = Array.from({ length: 1300 }, (_, n) =>
      spent(n < 9 ? '2026-10-31' : '2026-11-01', 0.01, 'm', `${n}`),
    );
    const facts = [...finding(1, '2026-10-31', 'm', FIXED), ...finding(3, '2026-11-01', 'm', FIXED), ...many];
    expect(worthTable(facts, NOW).match(/\$[\d.]+|2026-\d\d/g)).toEqual([
      '2026-11',
      '$12.91',
      '$12.91',
      '2026-10',
    ]);
  });
});
