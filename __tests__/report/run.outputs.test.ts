import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import type { Conclusion, RunOutcome } from '../../src/lib/outcome.js';
import type { AnswerForm } from '../../src/loop/structured.js';
import type { RunReport } from '../../src/run/records.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { completed, exhausted, outputsOf, reportOf, STATS } from '../helpers/reports.js';

const NOTHING = { 'memory-saved': 'false', 'memory-loaded': '0' };
const FIGURES = {
  'input-tokens': '1200',
  'output-tokens': '34',
};

/** A run of an agent without memory that came to this end. */
async function ranTo(outcome: RunOutcome): Promise<RunReport> {
  return { ...(await reportOf('ran', { agents: { bot: AGENT } })), outcome };
}

describe('the outputs of a run', () => {
  it.each<[Conclusion, RunOutcome, string]>([
    ['success', completed('The answer.'), 'The answer.'],
    ['failure', { kind: 'failed', error: new AxeError('no'), stats: STATS }, ''],
    [
      'incomplete',
      { kind: 'incomplete', answer: 'So f', error: new AxeError('it was cut'), stats: STATS },
      'So f\n\n[Incomplete: it was cut.]',
    ],
    [
      'max-turns',
      { kind: 'exhausted', limit: 'turns', answer: 'So far.', error: new AxeError('no'), stats: STATS },
      'So far.',
    ],
    [
      'budget-exceeded',
      { kind: 'exhausted', limit: 'tokens', answer: '', error: new AxeError('no'), stats: STATS },
      '',
    ],
  ])('that ended in %s hold its answer and figures', async (conclusion, outcome, response) => {
    const report = await ranTo(outcome);
    expect(outputsOf(report)).toEqual({
      conclusion,
      response,
      ...NOTHING,
      ...FIGURES,
    });
  });

  it.each([
    [undefined, undefined],
    [0, '0.000000'],
    [0.0000004, '0.000000'],
    [1.2345678, '1.234568'],
    [1e-7 * 15, '0.000002'],
  ])('for a cost of %j hold %j, in dollars', async (costUsd, shown) => {
    expect(outputsOf(await ranTo(completed('', { costUsd })))['cost-usd']).toBe(shown);
  });

  const FORM: AnswerForm = { format: { type: 'json' }, check: () => [] };
  it.each<[string, RunOutcome, AnswerForm | undefined, string | undefined]>([
    ['in the required format', completed('{"risk":"low"}'), FORM, '{"risk":"low"}'],
    ['without a required format', completed('{"risk":"low"}'), undefined, undefined],
    ['that was cut short', exhausted('tokens', '{"risk":"low"}'), FORM, undefined],
    ['that is none', { kind: 'failed', error: new AxeError('no'), stats: STATS }, FORM, undefined],
    ['that is a refusal', { kind: 'refused', answer: '{}', stats: STATS }, FORM, undefined],
  ])('repeat as JSON an answer %s, or not', async (_, outcome, form, json) => {
    const report = await reportOf('ran');
    const outputs = outputsOf({ ...report, plan: { ...report.plan, form }, outcome });
    expect(outputs['structured-output']).toBe(json);
  });
});
