import { expect, it } from '@jest/globals';
import { AxeError, CancelledError, ProviderError } from '../../src/lib/errors.js';
import { noAnswer } from '../../src/report/summarize.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { reportOf, STATS } from '../helpers/reports.js';

it.each([
  ['the run failed', new AxeError('broken')],
  ['the run reached its time limit', new ProviderError('timeout', 'm')],
])('whoever asked in a comment is told that %s', (reason, error) => {
  expect(noAnswer({ kind: 'failed', thrown: error })).toBe(`There is no answer: ${reason}.`);
});

it('nobody is told of a run that was cancelled, also while it was at work', async () => {
  expect(noAnswer({ kind: 'failed', thrown: new CancelledError() })).toBeUndefined();
  const report = await reportOf('ran', { agents: { bot: AGENT } });
  const outcome = { kind: 'failed', error: new CancelledError(), stats: STATS } as const;
  expect(noAnswer({ ...report, outcome })).toBeUndefined();
  const failed = { ...outcome, error: new AxeError('broken') };
  expect(noAnswer({ ...report, outcome: failed })).toBe('There is no answer: the run failed.');
});
