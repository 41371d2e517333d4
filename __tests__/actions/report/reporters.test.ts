import { describe, expect, it } from '@jest/globals';
import { reporterOf } from '../../../src/actions/report/reporters.js';
import type { RunReport } from '../../../src/run/request.js';
import { done, memoryReport, refused } from '../../helpers/memory-report.js';
import { createFakeModel, says } from '../../helpers/model-fake.js';
import { reportOf } from '../../helpers/reports.js';
import { issue } from '../../helpers/triggers.js';

const isAnswered = (report: RunReport) => reporterOf(report).isAnswered();

describe('the sender of a command or mention', () => {
  it('is answered by a run that completed, and by no other', async () => {
    expect(isAnswered(await reportOf('ran'))).toBe(true);
    expect(isAnswered(await reportOf('planned'))).toBe(false);
    expect(isAnswered(await reportOf('skipped', {}, { trigger: issue({ action: 'deleted' }) }))).toBe(false);
    const model = createFakeModel([says('')]);
    expect(isAnswered(await reportOf('ran', { model }, { inWorkflow: true }))).toBe(false);
  });

  it('is answered by a command that was carried out', () => {
    expect(isAnswered(memoryReport(done('Forgotten.')))).toBe(true);
    expect(isAnswered(memoryReport(refused('refused')))).toBe(false);
  });
});
