import { describe, expect, it } from '@jest/globals';
import { answerLine } from '../helpers/marks.js';
import { formatSummary, reportOf } from '../helpers/reports.js';
import { comment, pullRequest } from '../helpers/triggers.js';

describe('the summary of a skipped run', () => {
  it('states why, and what to do', async () => {
    const report = await reportOf('skipped', {}, { trigger: pullRequest({ isFork: true }) });
    expect(formatSummary(report)).toBe(
      '### axe-action: skipped\n\n' +
        'Pull request #42 comes from the fork octocat/hello; forks do not start runs by default.\n\n' +
        'Somebody with write access can start it by a comment, where the workflow runs on `issue_comment`, or by a label, on `pull_request_target`.',
    );
  });

  it('states why if nothing can be done', async () => {
    const trigger = comment({ body: `${answerLine('bot')}\nFine.` });
    expect(formatSummary(await reportOf('skipped', {}, { trigger }))).toBe(
      '### axe-action: skipped\n\nThe comment was written by a run of axe-action, which does not answer itself.',
    );
  });
});
