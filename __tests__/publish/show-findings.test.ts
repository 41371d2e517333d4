import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import { AxeError } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import { annotateFindings, checkOf } from '../../src/publish/show-findings.js';
import type { PlacedFinding } from '../../src/review/place.js';
import { completed, reportOf, requestOf } from '../helpers/reports.js';
import { parseWorkflowCommands } from '../helpers/runner-files.js';
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

/** What reaches the runner. */
async function annotated(findings: readonly PlacedFinding[]) {
  const chunks: string[] = [];
  const { write } = process.stdout;
  process.stdout.write = (chunk: string | Uint8Array) => chunks.push(String(chunk)) > 0;
  try {
    annotateFindings(findings, ['hunter2-hunter2']);
  } finally {
    process.stdout.write = write;
  }
  return parseWorkflowCommands(chunks.join(''));
}

it('findings are shown as notices on their lines, without secrets and workflow commands', async () => {
  const body = 'The key hunter2-hunter2 is in the code.\n::error::x';
  const { annotations, names } = await annotated([placed({ body })]);
  expect(names).toEqual(['notice']);
  expect(annotations).toMatchObject([{ level: 'notice', title: 'It is wrong', file: 'src/a.ts', line: 2 }]);
  expect(annotations[0]?.message).not.toContain('hunter2');
});

it('suggestions are shown with their findings', async () => {
  const { annotations } = await annotated([placed({ body: 'Wrong.', suggestion: 'return 1' })]);
  expect(annotations[0]?.message).toMatch(/^Wrong\.\s+Suggested:\s+```\s+return 1\s+```$/);
});

it('at most nine notices are shown, and none on removed lines or without a place', async () => {
  const all = Array.from({ length: 12 }, (_, index) => placed({ body: `Finding ${index}.` }));
  expect((await annotated(all)).annotations).toHaveLength(9);
  const removed = placed();
  const onRemoved: PlacedFinding = {
    ...removed,
    placement: {
      kind: 'line',
      path: 'src/a.ts',
      side: 'LEFT',
      line: 9,
      startLine: undefined,
      about: undefined,
      isExact: true,
    },
  };
  const nowhere: PlacedFinding = { ...removed, placement: { kind: 'body', reason: 'unknown-file' } };
  expect((await annotated([onRemoved, nowhere])).annotations).toEqual([]);
});
