import { expect, it } from '@jest/globals';
import { failedChecksWithLogs, fetchChecks, logTail } from '../../../src/github/reading/checks.js';
import { formatMark } from '../../../src/safety/mark.js';
import { addCheckRun } from '../../helpers/github-checks.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import type { StoredCheckRun, StoredStatus } from '../../helpers/github-state.js';
import { type Hello, startHello } from '../hello-fixture.js';

const LOGS = 'GET /repos/{owner}/{repo}/actions/jobs/{job_id}/logs';

function addRun(
  { repo, headSha }: Hello,
  run: Partial<StoredCheckRun> & Pick<StoredCheckRun, 'name'>,
): void {
  addCheckRun(repo, { headSha, ...run });
  if (run.job !== undefined)
    repo.talk.jobLogs.set(run.job, `start\n##[error]${run.name} broke\nPost job cleanup.\n`);
}

function addStatus(
  { repo, headSha }: Hello,
  status: Partial<StoredStatus> & { context: string },
): void {
  const about = { sha: headSha, state: 'failure', description: null } as const;
  repo.talk.statuses.push({ id: repo.talk.statuses.length + 1, ...about, ...status });
}

async function failing({ client, headSha }: Hello) {
  const commit = { repository: HELLO, sha: headSha };
  const { checks, ...read } = await fetchChecks(client, commit, noAbort());
  const limits = { maxLogLines: 1, maxLogs: 2 };
  const about = { repository: HELLO, checks };
  return { ...read, checks: await failedChecksWithLogs(client, about, limits, noAbort()) };
}

it('the last failures are listed, with the ends of the logs of Actions jobs', async () => {
  const hello = await startHello();
  addRun(hello, { name: 'lint', job: 1 });
  addRun(hello, { name: 'lint', conclusion: 'success', job: 2 });
  addRun(hello, { name: 'test', job: 3, title: 'Failed', summary: '1 of 9' });
  addRun(hello, { name: 'slow', conclusion: 'timed_out', job: 4 });
  addRun(hello, { name: 'more', job: 5 });
  addRun(hello, { name: 'running', status: 'in_progress', conclusion: null, job: 6 });
  addRun(hello, { name: 'coverage', app: 'octoapp' });
  const summary = formatMark({ kind: 'check' });
  addRun(hello, { name: 'reviewer', externalId: 'reviewer', summary });
  addRun(hello, { name: 'echo', summary, app: 'octoapp' });
  addStatus(hello, { context: 'ci/old', description: 'No' });
  addStatus(hello, { context: 'ci/fixed' });
  addStatus(hello, { context: 'ci/fixed', state: 'success' });
  const { checks, isComplete, refused } = await failing(hello);
  expect([isComplete, refused]).toEqual([true, undefined]);
  expect(checks.map(({ name, conclusion, log }) => [name, conclusion, log])).toEqual([
    ['echo', 'failure', undefined],
    ['coverage', 'failure', undefined],
    ['more', 'failure', '##[error]more broke'],
    ['slow', 'timed_out', '##[error]slow broke'],
    ['test', 'failure', undefined],
    ['ci/old', 'failure', undefined],
  ]);
  expect(checks[4]).toMatchObject({ summary: 'Failed\n\n1 of 9' });
  expect(checks[5]).toMatchObject({ summary: 'No' });
});

it('a log is never chosen by what another app claims', async () => {
  const hello = await startHello();
  addRun(hello, { name: 'coverage', app: 'octoapp', job: 1 });
  const { checks } = await failing(hello);
  expect(checks).toMatchObject([{ name: 'coverage', log: undefined }]);
  expect(hello.github.calls()).not.toContain(LOGS);
});

it.each([
  ['all', []],
  ['first', ['ci']],
] as const)(
  'if GitHub refuses %s, both permissions are named and the rest is read',
  async (refused, names) => {
    const hello = await startHello();
    addRun(hello, { name: 'test', job: 1 });
    addStatus(hello, { context: 'ci' });
    hello.repo.talk.refusedChecks = refused;
    const read = await failing(hello);
    expect(read.checks.map(({ name }) => name)).toEqual(names);
    expect(read).toMatchObject({
      isComplete: false,
      refused: {
        reason: 'denied',
        remedy: 'Add `checks: read` and `statuses: read` under `permissions:` of the job.',
      },
    });
  },
);

it('more than a page of checks are read by their cursor', async () => {
  const hello = await startHello();
  for (let number = 1; number <= 130; number += 1) addRun(hello, { name: `check ${number}` });
  const { checks, isComplete } = await failing(hello);
  expect([checks.length, isComplete]).toEqual([130, true]);
  expect(hello.github.calls().filter((call) => call.startsWith('POST'))).toHaveLength(2);
});

const AT = '2026-01-02T03:04:05.1234567Z ';

it.each([
  ['the last lines', 'a\nb\nc\n', 2, 'b\nc'],
  ['all of a short log', 'a\r\nb', 5, 'a\nb'],
  [
    'no times and colours',
    `\uFEFF${AT}\u001b[36;1mnpm test\u001b[0m\n${AT}done\n`,
    9,
    'npm test\ndone',
  ],
  [
    'what leads to the last error',
    'x\na\n##[error]one\nb\n##[error]two\nPost job cleanup.\n',
    3,
    '##[error]one\nb\n##[error]two',
  ],
])('a job log keeps %s', (_, log, maxLines, text) => {
  expect(logTail(log, maxLines)).toBe(text);
});
