import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { AxeError } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import { checkOf } from '../../src/publish/publish-check.js';
import type { Severity } from '../../src/review/finding.js';
import type { ReviewEnd } from '../../src/review/post-review.js';
import { type Coverage, cutShort } from '../../src/review/scope.js';
import { completed, exhausted, reportOf, requestOf } from '../helpers/reports.js';
import { comment, issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';
import { placed } from '../review/post-scene.js';

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

  const WHOLE: Coverage = { kind: 'whole', files: 3, read: 3, unread: [] };
  const PART: Coverage = { kind: 'part', files: 3, read: 2, unread: [{ path: 'a.png', why: 'size' }] };

  async function of(
    trigger: Trigger,
    outcome: RunOutcome = completed('Done.'),
    { coverage, review }: { readonly coverage?: Coverage; readonly review?: ReviewEnd } = {},
  ) {
    const { plan } = await reportOf('planned');
    const published = { isReview: false, line: 'Posted a comment on #42.', review };
    const request = requestOf({ ...plan, trigger }, outcome, { read: { coverage, unseen: [] } });
    return checkOf(request, published, { runUrl: '', secrets: ['hunter2-hunter2'] });
  }

  function open(severities: readonly Severity[], isBlocking = false): ReviewEnd {
    const findings = severities.map((severity) => ({ ...placed().finding, severity }));
    return { open: findings, isBlocking, unposted: [] };
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
    if (sha !== undefined) expect(check?.summary).toContain('Done.\n\nPosted a comment on #42.\n\n<sub>');
  });

  const LATE = exhausted('time', '');
  const CUT = exhausted('time', 'So far.');
  it.each<[RunOutcome, Parameters<typeof of>[2], string, string]>([
    [completed('Done.'), { review: open([]), coverage: WHOLE }, 'success', 'No findings · whole'],
    [CUT, { review: open([]), coverage: cutShort(WHOLE) }, 'neutral', 'No findings, cut short'],
    [completed('Done.'), { review: open([]), coverage: PART }, 'neutral', 'No findings in 2 of 3 files'],
    [completed('Done.'), { review: open([]) }, 'neutral', 'No findings'],
    [completed('Done.'), { review: open(['nit']), coverage: WHOLE }, 'neutral', '1 nit open · whole'],
    [
      completed('Done.'),
      { review: open(['major', 'minor', 'minor'], true), coverage: WHOLE },
      'failure',
      '1 major, 2 minor open · whole',
    ],
    [completed('Done.'), { coverage: WHOLE }, 'neutral', 'Answered · whole'],
    [CUT, {}, 'neutral', 'Answered, cut short'],
    [LATE, { coverage: PART }, 'neutral', 'No answer in 2 of 3 files, cut short'],
  ])('has conclusion and title: %#', async (outcome, parts, conclusion, title) => {
    expect(await of(pullRequest(), outcome, parts)).toMatchObject({ conclusion, title });
  });

  it('of a run that timed out says so', async () => {
    const check = await of(pullRequest(), LATE);
    expect(check?.summary).toContain('*Cut short: the time limit of the run was reached.*');
  });

  it('holds findings on their lines, sanitized, with their suggestions', async () => {
    const unposted = [
      placed({ title: 'hunter2-hunter2', body: 'hunter2-hunter2', suggestion: 'return 1' }),
      { ...placed(), placement: { kind: 'body', reason: 'unknown-file' } as const },
    ];
    const check = await of(pullRequest(), completed('x'.repeat(70_000)), {
      review: { ...open([]), unposted },
    });
    const message = '***\n\nSuggested:\n\n```\nreturn 1\n```';
    expect(check?.annotations).toMatchObject([{ path: 'src/a.ts', startLine: 2, message, title: '***' }]);
    expect(check?.summary.length).toBeLessThanOrEqual(65_535);
  });

  it('is not created for a run without a result', async () => {
    const { stats } = completed('');
    const failed: RunOutcome = { kind: 'failed', error: new AxeError('no'), stats };
    expect(await of(pullRequest(), failed)).toBeUndefined();
  });
});
