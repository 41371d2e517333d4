import { describe, expect, it } from '@jest/globals';
import type { GitHubClient } from '../../src/github/client/client.js';
import { publishCheckRun } from '../../src/github/posting/check-run.js';
import { warningText } from '../../src/lib/warning.js';
import { type CommitCheck, createCheckProgress, postCheck } from '../../src/review/check.js';
import { cutShort } from '../../src/review/coverage.js';
import type { Severity } from '../../src/review/finding.js';
import type { ReviewEnd } from '../../src/review/news.js';
import type { Coverage } from '../../src/review/record.js';
import { denied, startHello } from '../github/hello-fixture.js';
import { HELLO, noAbort } from '../helpers/github-client-fake.js';
import { placed } from './post-scene.js';

const CLEAR: ReviewEnd = { open: [], isBlocking: false, unposted: [] };
const OPEN: ReviewEnd = { ...CLEAR, open: [placed().finding] };
const BLOCKING: ReviewEnd = { ...OPEN, isBlocking: true };
const NONE = 'success: No findings · whole';
const BLOCKED = 'failure: An earlier review blocks · whole';
const BEFORE = 'c'.repeat(40);
const SKIPPED = { message: 'Nothing changed', since: BEFORE };

/** The same commit, which needs no other one. */
const AGAIN: Skip = { message: 'It was reviewed before', since: undefined };
const UNREAD: Skip = { ...AGAIN, isUnread: true };

interface Skip {
  readonly message: string;
  readonly since: string | undefined;
  readonly isUnread?: true;
}

const ALL = 'success: All files';
const HERE = 'neutral: No findings in 3 of 4 files';
const OPEN_HERE = 'neutral: 2 minor open in 3 of 4 files';
const BLOCKS = { ...CLEAR, isBlocking: true };
it.each<[string, Skip | undefined, ReviewEnd, string | undefined, string]>([
  ['of a skipped run holds what is open', SKIPPED, OPEN, ALL, 'neutral: 1 major open'],
  [
    'of a skipped run fails',
    SKIPPED,
    BLOCKING,
    'success: No findings · whole',
    'failure: 1 major open · whole',
  ],
  ['of a skipped run says what the last said', SKIPPED, CLEAR, ALL, ALL],
  ['of a skipped run fails no more', SKIPPED, CLEAR, 'failure: 1 minor open', 'neutral: No findings'],
  ['of a skipped run counts anew', SKIPPED, CLEAR, OPEN_HERE, HERE],
  ['of a skipped run succeeds once all is read', SKIPPED, CLEAR, 'failure: 1 minor open · whole', NONE],
  ['of a run that is skipped on its commit stays', AGAIN, CLEAR, NONE, NONE],
  ['of what could not be read is no success', UNREAD, CLEAR, NONE, 'neutral: No findings · whole'],
  ['of what is unread holds what blocked', UNREAD, CLEAR, 'failure: 1 major open', 'failure: 1 major open'],
  ['of a first run that is skipped says so', SKIPPED, CLEAR, undefined, 'neutral: Nothing was reviewed'],
  ['of a command is brought up to date', undefined, OPEN, ALL, 'neutral: 1 major open'],
  [
    'of a command counts anew',
    undefined,
    CLEAR,
    'neutral: 1 major open, cut short',
    'neutral: No findings, cut short',
  ],
  ['of a command names what blocks', undefined, BLOCKS, 'neutral: 1 major open · whole', BLOCKED],
  ['of a command is a success once that review is gone', undefined, CLEAR, BLOCKED, NONE],
  ['of a command is not made', undefined, OPEN, undefined, ''],
])('the check %s', async (_, skipped, review, before, expected) => {
  const { client, repo, headSha } = await startHello();
  if (before !== undefined) {
    const [conclusion, title] = before.split(': ') as ['success' | 'failure' | 'neutral', string];
    const report = { repository: HELLO, headSha: skipped?.since ?? headSha, name: 'bot', conclusion };
    const text = { title, summary: 'x', annotations: [] };
    await publishCheckRun(client, { ...report, ...text }, { signal: noAbort() });
  }
  const clean = (text: string) => text;
  const keep = async () => undefined;
  const progress = createCheckProgress({ client, runUrl: '', clean, log: () => undefined, keep });
  const isUnread = skipped?.isUnread === true;
  await progress.tell({ repository: HELLO, headSha, name: 'bot', review, skipped, isUnread });
  const shown = repo.talk.checkRuns.filter((run) => run.headSha === headSha);
  expect(shown.map(({ conclusion, title }) => `${conclusion}: ${title}`).join()).toBe(expected);
});

const WHOLE: Coverage = { kind: 'whole', files: 3, read: 3, unread: [] };
const PART: Coverage = { kind: 'part', files: 3, read: 2, unread: [{ path: 'a.png', why: 'size' }] };

const CHECK: Omit<CommitCheck, 'headSha'> = {
  repository: HELLO,
  name: 'bot',
  lane: 'trusted',
  review: { open: [], isBlocking: false, unposted: [] },
  isCut: false,
  isAnswered: true,
  coverage: WHOLE,
  text: 'All is well.',
  footer: '<sub>by us</sub>',
};

function open(severities: readonly Severity[], isBlocking = false): ReviewEnd {
  const findings = severities.map((severity) => ({ ...placed().finding, severity }));
  return { open: findings, isBlocking, unposted: [] };
}

async function post(client: GitHubClient | undefined, check: CommitCheck) {
  const warnings: string[] = [];
  const posted = await postCheck(client, check, {
    warn: (warning) => void warnings.push(warningText(warning)),
    clean: (markdown) => markdown.replaceAll('@', ''),
    cleanMessage: (text) => text.replaceAll('@', ''),
  });
  return { posted, warnings };
}

describe('the check of a commit', () => {
  const UNANSWERED = { review: undefined, isCut: true, isAnswered: false };
  it.each<[Partial<CommitCheck>, string, string]>([
    [{}, 'success', 'No findings · whole'],
    [{ isCut: true, coverage: cutShort(WHOLE) }, 'neutral', 'No findings, cut short'],
    [{ coverage: PART }, 'neutral', 'No findings in 2 of 3 files'],
    [{ coverage: undefined }, 'neutral', 'No findings'],
    [{ review: open(['nit']) }, 'neutral', '1 nit open · whole'],
    [{ review: open(['major', 'minor', 'minor'], true) }, 'failure', '1 major, 2 minor open · whole'],
    [{ review: undefined }, 'neutral', 'Answered · whole'],
    [{ review: undefined, coverage: undefined, isCut: true }, 'neutral', 'Answered, cut short'],
    [{ ...UNANSWERED, coverage: PART }, 'neutral', 'No answer in 2 of 3 files, cut short'],
  ])('for %j is %s: %s', async (patch, conclusion, title) => {
    const { client, repo, headSha } = await startHello();
    const posted = expect.stringMatching(/^https:/);
    expect(await post(client, { ...CHECK, headSha, ...patch })).toEqual({ posted, warnings: [] });
    expect(repo.talk.checkRuns).toMatchObject([{ headSha, name: 'bot', conclusion, title }]);
  });

  it('holds fifty findings on their lines, sanitized, and is written once', async () => {
    const { client, repo, headSha } = await startHello();
    const unposted = Array.from({ length: 120 }, (_, index) =>
      placed({ title: '@octocat', body: `@octocat ${index}` }),
    );
    const check = { ...CHECK, headSha, review: { ...open([]), unposted } };
    await post(client, check);
    await post(client, check);
    const [run, ...others] = repo.talk.checkRuns;
    expect([run?.annotations.length, others]).toEqual([50, []]);
    const first = { path: 'src/a.ts', start_line: 2, message: 'octocat 0', title: 'octocat' };
    expect(run?.annotations[0]).toMatchObject(first);
  });

  it('includes the suggestion of a finding', async () => {
    const { client, repo, headSha } = await startHello();
    const unposted = [placed({ body: 'Wrong.', suggestion: 'return 1' })];
    await post(client, { ...CHECK, headSha, review: { ...open([]), unposted } });
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
