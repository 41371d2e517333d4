import { describe, expect, it } from '@jest/globals';
import { memoryReport, refused } from '../helpers/memory-report.js';
import { outputsOf, summaryOf } from '../helpers/reports.js';

describe('the outputs of a memory command', () => {
  it.each([
    ['not-found', 'skipped'],
    ['ambiguous', 'skipped'],
    ['refused', 'skipped'],
    ['unreadable', 'failure'],
    ['not-saved', 'failure'],
  ] as const)('from one that was not done, %s, are a %s', (reason, conclusion) => {
    const report = memoryReport(refused(reason));
    const levels = summaryOf(report).annotations.map(({ level }) => level);
    expect(levels).toEqual([conclusion === 'skipped' ? 'notice' : 'error']);
    expect(outputsOf(report, false)).toEqual({
      conclusion,
      response: '',
      'memory-saved': 'false',
      ...(conclusion === 'skipped' ? { reason: reason } : {}),
      ...(reason === 'not-saved' ? { 'memory-save-error': 'it is so' } : {}),
    });
  });

  it('report a change after half of the command was done', () => {
    expect(outputsOf(memoryReport(refused('not-saved', { changed: true })), false)).toMatchObject({
      conclusion: 'failure',
      'memory-saved': 'true',
    });
  });
});
