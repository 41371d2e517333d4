import { describe, expect, it } from '@jest/globals';
import type { Trigger } from '../../src/event/trigger.js';
import type { GitHubClient } from '../../src/github/client/client.js';
import { AxeError } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import { warningText } from '../../src/lib/warning.js';
import { type CommitCheck, checkOf, postCheck } from '../../src/publish/post-check.js';
import { NOTHING_BUFFERED } from '../../src/review/buffered.js';
import { cutShort } from '../../src/review/coverage.js';
import type { Coverage } from '../../src/review/record.js';
import { denied, startHello } from '../github/hello-fixture.js';
import { HELLO } from '../helpers/github-client-fake.js';
import { completed, reportOf } from '../helpers/reports.js';
import { comment, issue, pullRequest, SCHEDULE } from '../helpers/triggers.js';
import { placed } from './publish-scene.js';

const WHOLE: Coverage = { kind: 'whole', files: 3, read: 3, unread: [] };
const PART: Coverage = { kind: 'part', files: 3, read: 2, unread: [{ path: 'a.png', why: 'size' }] };

const CHECK: Omit<CommitCheck, 'headSha'> = {
  repository: HELLO,
  agent: 'bot',
  lane: 'trusted',
  open: [],
  isBlocking: false,
  isCut: false,
  isAnswered: true,
  coverage: WHOLE,
  text: 'All is well.',
  unposted: [],
  footer: '<sub>by us</sub>',
};

async function post(client: GitHubClient | undefined, check: CommitCheck) {
  const warnings: string[] = [];
  const posted = await postCheck(check, {
    client,
    reporter: { event: () => undefined, warn: (warning) => void warnings.push(warningText(warning)) },
    clean: (markdown) => markdown.replaceAll('@', ''),
    cleanMessage: (text) => text.replaceAll('@', ''),
  });
  return { posted, warnings };
}

describe('the check of a commit', () => {
  it.each<[Partial<CommitCheck>, string, string]>([
    [{}, 'success', 'No findings · whole'],
    [{ isCut: true, coverage: cutShort(WHOLE) }, 'neutral', 'No findings, cut short'],
    [{ coverage: PART }, 'neutral', 'No findings in 2 of 3 files'],
    [{ coverage: undefined }, 'neutral', 'No findings'],
    [{ open: ['nit'] }, 'neutral', '1 nit open · whole'],
    [{ open: ['major', 'minor', 'minor'], isBlocking: true }, 'failure', '1 major, 2 minor open · whole'],
    [{ open: undefined }, 'neutral', 'Answered · whole'],
    [{ open: undefined, coverage: undefined, isCut: true }, 'neutral', 'Answered, cut short'],
    [
      { open: undefined, coverage: PART, isCut: true, isAnswered: false },
      'neutral',
      'No answer in 2 of 3 files, cut short',
    ],
  ])('for %j is %s: %s', async (patch, conclusion, title) => {
    const { client, repo, headSha } = await startHello();
    expect(await post(client, { ...CHECK, headSha, ...patch })).toEqual({
      posted: { url: expect.stringMatching(/^https:/) },
      warnings: [],
    });
    expect(repo.talk.checkRuns).toMatchObject([{ headSha, name: 'bot', conclusion, title }]);
  });

  it('holds 120 findings on their lines, sanitized, and is written once', async () => {
    const { client, repo, headSha } = await startHello();
    const unposted = Array.from({ length: 120 }, (_, index) =>
      placed({ title: '@octocat', body: `@octocat ${index}` }),
    );
    const check = { ...CHECK, headSha, unposted };
    await post(client, check);
    await post(client, check);
    expect(repo.talk.checkRuns).toHaveLength(1);
    expect(repo.talk.checkRuns[0]?.annotations).toHaveLength(120);
    expect(repo.talk.checkRuns[0]?.annotations[0]).toMatchObject({
      path: 'src/a.ts',
      start_line: 2,
      message: 'octocat 0',
      title: 'octocat',
    });
  });

  it('includes the suggestion of a finding', async () => {
    const { client, repo, headSha } = await startHello();
    const unposted = [placed({ body: 'Wrong.', suggestion: 'return 1' })];
    await post(client, { ...CHECK, headSha, unposted });
    expect(repo.talk.checkRuns[0]?.annotations).toMatchObject([
      { message: 'Wrong.\n\nSuggested:\n\n```\nreturn 1\n```' },
    ]);
  });

  it('stays below GitHub’s limits', async () => {
    const { client, repo, headSha } = await startHello();
    await post(client, { ...CHECK, headSha, text: 'x'.repeat(70_000) });
    expect(repo.talk.checkRuns[0]?.summary?.length).toBeLessThanOrEqual(65_535);
  });

  it('that cannot be written is a warning with the line to add', async () => {
    const { client, github, headSha } = await startHello();
    github.fail(denied('POST /repos/{owner}/{repo}/check-runs', 'checks=write'));
    const { posted, warnings } = await post(client, { ...CHECK, headSha });
    expect(posted).toBeUndefined();
    expect(warnings).toEqual([expect.stringMatching(/^the check was not written: .*`checks: write`/)]);
    expect((await post(undefined, { ...CHECK, headSha })).posted).toBeUndefined();
  });
});

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
    const wanted = {
      buffered: NOTHING_BUFFERED,
      read: { coverage: undefined, unseen: [] },
      commits: undefined,
      findings: undefined,
      others: [],
      lane: 'trusted' as const,
    };
    const parts = { review: undefined, line: 'Posted a comment on #42.', footer: '' };
    return checkOf({ plan: { ...plan, trigger }, outcome, requested: wanted }, parts);
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
