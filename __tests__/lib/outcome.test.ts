import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import { CONCLUSIONS, conclusionOf, type RunOutcome } from '../../src/lib/outcome.js';
import { STATS as stats } from '../helpers/reports.js';

const error = new AxeError('no');
const exhausted = { kind: 'exhausted', answer: '', error, stats } as const;

describe('the conclusion', () => {
  it.each<[string, RunOutcome]>([
    ['success', { kind: 'completed', answer: 'yes', stats }],
    ['failure', { kind: 'failed', error, stats }],
    ['refused', { kind: 'refused', answer: '', stats }],
    ['incomplete', { kind: 'incomplete', answer: 'half', error, stats }],
    ['max-turns', { ...exhausted, limit: 'turns' }],
    ['budget-exceeded', { ...exhausted, limit: 'tokens' }],
    ['budget-exceeded', { ...exhausted, limit: 'cost' }],
    ['timeout', { ...exhausted, limit: 'time' }],
  ])('is %s (D27)', (conclusion, outcome) => {
    expect(conclusionOf(outcome)).toBe(conclusion);
    expect(CONCLUSIONS).toContain(conclusion);
  });
});
