import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import { CONCLUSIONS, conclusionOf, errorOf, markedAnswer, type RunOutcome } from '../../src/lib/outcome.js';
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

describe('an outcome', () => {
  it('has an error that says what to do, unless it is a success', () => {
    expect(errorOf({ kind: 'completed', answer: '', stats })).toBeUndefined();
    expect(errorOf({ ...exhausted, limit: 'time' })).toBe(error);
    expect(errorOf({ kind: 'refused', answer: 'No.', stats })).toMatchObject({
      message: 'the model refused to answer',
      remedy: 'Reword the task, or choose another model.',
    });
  });

  it.each([
    ['half\n', 'half\n\n[Incomplete: no.]'],
    ['', '[Incomplete: no.]'],
  ])('that is incomplete marks its answer %j', (answer, marked) => {
    expect(markedAnswer({ kind: 'incomplete', answer, error, stats })).toBe(marked);
    expect(markedAnswer({ kind: 'completed', answer, stats })).toBe(answer);
    expect(markedAnswer({ kind: 'failed', error, stats })).toBe('');
  });
});
