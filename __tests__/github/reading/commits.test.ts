import { expect, it } from '@jest/globals';
import { fetchFailingChecks, logTail, previousTag } from '../../../src/github/reading/commits.js';
import { formatMark } from '../../../src/safety/mark.js';
import { addCheckRun } from '../../helpers/github-checks.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import type { StoredCheckRun, StoredStatus } from '../../helpers/github-state.js';
import { denied, type Hello, startHello } from '../hello-fixture.js';

/** Commits, newest first, and the tags on them. */
function before(
  tag: string,
  commits: Readonly<Record<string, readonly string[]>>,
): string | undefined {
  const tags = Object.entries(commits).flatMap(([sha, names]) =>
    names.map((name) => ({ name, sha })),
  );
  return previousTag(tag, tags, Object.keys(commits))?.name;
}

it.each<[string, string, Readonly<Record<string, readonly string[]>>, string | undefined]>([
  [
    'the nearest on the way back',
    'v1.2.0',
    { c: ['v1.2.0'], b: ['v1.1.0'], a: ['v1.0.0'] },
    'v1.1.0',
  ],
  [
    'not a tag of the same commit',
    'v1.2.0',
    { c: ['v1.2.0', 'v1'], b: [], a: ['v1.1.0'] },
    'v1.1.0',
  ],
  [
    'not one of another series',
    'v1.2.0',
    { c: ['v1.2.0'], b: ['cli-v3.0.0'], a: ['v1.1.0'] },
    'v1.1.0',
  ],
  [
    'of a series with a prefix',
    'cli-v3.1',
    { c: ['cli-v3.1'], b: ['v2.0.0'], a: ['cli-v3.0'] },
    'cli-v3.0',
  ],
  [
    'no candidate before a release',
    'v2.0.0',
    { c: ['v2.0.0'], b: ['v2.0.0-rc.2'], a: ['v1.9.0'] },
    'v1.9.0',
  ],
  [
    'a candidate before another',
    'v2.0.0-rc.3',
    { c: ['v2.0.0-rc.3'], b: ['v2.0.0-rc.2'] },
    'v2.0.0-rc.2',
  ],
  ['nothing before the first', 'v0.1.0', { b: ['v0.1.0'], a: [] }, undefined],
  ['nothing if the tag is on no commit', 'v0.1.0', {}, undefined],
  ['a date', '2026-11-22', { b: ['2026-11-22'], a: ['2026-10-01'] }, '2026-10-01'],
])('the previous tag is %s', (_, tag, commits, found) => {
  expect(before(tag, commits)).toBe(found);
});

const RUNS = 'GET /repos/{owner}/{repo}/commits/{ref}/check-runs';
const STATUS = 'GET /repos/{owner}/{repo}/commits/{ref}/status';
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

async function failing({ client, headSha }: Hello, maxLogs = 2) {
  const logs = { name: '', maxLogLines: 1, maxLogs };
  return await fetchFailingChecks(client, { repository: HELLO, sha: headSha }, logs, noAbort());
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
  const { failed: checks, isComplete, unread } = await failing(hello);
  expect([isComplete, unread]).toEqual([true, []]);
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
  const { failed: checks } = await failing(hello);
  expect(checks).toMatchObject([{ name: 'coverage', log: undefined }]);
  expect(hello.github.calls()).not.toContain(LOGS);
});

it.each([
  ['the check runs', RUNS, '', /Add `checks: read`/, ['ci']],
  ['the statuses', STATUS, '', /Add `statuses: read`/, ['test']],
])(
  'the missing permission is reported for %s, and the rest is read',
  async (what, ...[route, header, remedy, names]) => {
    const hello = await startHello();
    addRun(hello, { name: 'test', job: 1 });
    addStatus(hello, { context: 'ci' });
    hello.github.fail({ ...denied(route, header), headers: {} });
    const { failed: checks, ...read } = await failing(hello);
    expect(checks.map(({ name }) => name)).toEqual(names);
    const unread = [
      { code: 'context-unread', message: what, remedy: expect.stringMatching(remedy) },
    ];
    expect(read).toMatchObject({ isComplete: false, unread });
  },
);

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
