import { describe, expect, it } from '@jest/globals';
import { memoryReporter } from '../../../src/actions/report/reporters.js';
import type { LogFinding } from '../../../src/core/memory/commands/search.js';
import { done, memoryReport, refused } from '../../helpers/memory-report.js';
import { outputsOf } from '../../helpers/reports.js';

const SIZE: LogFinding = {
  code: 'size',
  severity: 'information',
  lane: 'trusted',
  path: 'bot.md',
  line: undefined,
  message: '',
};
const ORDER: LogFinding = {
  code: 'order',
  severity: 'problem',
  lane: 'trusted',
  path: 'bot.md',
  line: 3,
  message: '',
};
const URL = 'https://github.com/octocat/hello/issues/7#issuecomment-1';

describe('the outputs of a memory command', () => {
  it('hold its text after it was done, and whether memory changed', () => {
    expect(outputsOf(memoryReport(done('Forgotten.', { changed: true }), { store: 'cache' }), false)).toEqual(
      {
        conclusion: 'success',
        response: 'Forgotten.',
        'memory-store': 'cache',
        'memory-saved': 'true',
      },
    );
  });

  it('name the comment that answers it', () => {
    const published = { line: 'Posted a comment on #7.', url: URL };
    expect(outputsOf(memoryReport(done('Forgotten.'), { published }), false)).toMatchObject({
      'comment-url': URL,
    });
  });

  it.each([
    ['workflow', 'not-found', 'failure'],
    ['workflow', 'ambiguous', 'failure'],
    ['workflow', 'refused', 'failure'],
    ['workflow', 'unreadable', 'failure'],
    ['workflow', 'not-saved', 'failure'],
    ['comment', 'not-found', 'skipped'],
    ['comment', 'ambiguous', 'skipped'],
    ['comment', 'refused', 'skipped'],
    ['comment', 'unreadable', 'failure'],
    ['comment', 'not-saved', 'failure'],
  ] as const)('from a %s that was not done, %s, are a %s', (askedIn, reason, conclusion) => {
    const report = memoryReport(refused(reason), { requestedIn: askedIn });
    const levels = memoryReporter(report)
      .annotations()
      .map(({ level }) => level);
    expect(levels).toEqual([conclusion === 'skipped' ? 'notice' : 'error']);
    expect(outputsOf(report, false)).toEqual({
      conclusion,
      response: '',
      'memory-store': 'repo',
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

  it.each([
    [[], 0, 'success'],
    [[SIZE], 0, 'success'],
    [[SIZE, ORDER, ORDER], 2, 'failure'],
  ])('for the problems %j report %d problems and a %s', (findings, problems, conclusion) => {
    const report = memoryReport(done('Looked.', { findings }), { command: 'verify' });
    const [annotation] = memoryReporter(report).annotations();
    expect(annotation?.message).toBe(
      problems === 0
        ? undefined
        : `${problems} problems in the memory of \`bot\`; the job summary lists them.`,
    );
    expect(outputsOf(report, false)).toMatchObject({ conclusion, response: 'Looked.' });
  });
});
