import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { AxeError } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import { checkOf } from '../../src/publish/publish-check.js';
import { completed, reportOf, requestOf } from '../helpers/reports.js';
import { comment, issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';

describe('a check', () => {
  const SHA = 'c'.repeat(40);
  const push: Trigger = {
    ...SCHEDULE,
    kind: 'push',
    event: 'push',
    ref: 'refs/heads/main',
    before: '',
    after: SHA,
    commits: [],
  };

  async function of(trigger: Trigger, outcome: RunOutcome = completed('Done.')) {
    const { plan } = await reportOf('planned');
    const published = { isReview: false, line: 'Posted a comment on #42.' };
    return checkOf(requestOf({ ...plan, trigger }, outcome), published, { runUrl: '' });
  }

  it.each<[string, Trigger, string | undefined]>([
    ['the head of a pull request', pullRequest(), 'a'.repeat(40)],
    ['what was pushed', push, SHA],
    ['nothing on a branch that was deleted', { ...push, after: '0'.repeat(40) }, undefined],
    ['nothing on an issue', issue(), undefined],
    ['nothing on a comment whose diff is not known', comment(), undefined],
    ['nothing on a schedule', SCHEDULE, undefined],
  ])('is about %s', async (_, trigger, sha) => {
    const check = await of(trigger);
    expect(check?.headSha).toBe(sha);
    if (sha !== undefined) expect(check?.text).toBe('Done.\n\nPosted a comment on #42.');
  });

  it('of a run that timed out before any answer says so', async () => {
    const { stats } = completed('');
    const error = new AxeError('timeout: context deadline exceeded');
    const late = await of(pullRequest(), { kind: 'exhausted', limit: 'time', answer: '', error, stats });
    expect(late).toMatchObject({ isCut: true, isAnswered: false });
    expect(late?.text).toBe(
      '*Cut short: the time limit of the run was reached.*\n\nPosted a comment on #42.',
    );
    const said = await of(pullRequest(), {
      kind: 'exhausted',
      limit: 'time',
      answer: 'So far.',
      error,
      stats,
    });
    expect(said).toMatchObject({ isCut: true, isAnswered: true });
  });

  it('is not created for a run without a result', async () => {
    const { stats } = completed('');
    const failed: RunOutcome = { kind: 'failed', error: new AxeError('no'), stats };
    expect(await of(pullRequest(), failed)).toBeUndefined();
  });
});
