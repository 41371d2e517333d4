import { describe, expect, it } from '@jest/globals';
import { type CheckProgress, createCheckProgress } from '../../src/findings/post/check-progress.js';
import type { ReviewOutcome } from '../../src/findings/post/post-review.js';
import type { GitHubClient } from '../../src/github/client/client.js';
import { publishCheckRun } from '../../src/github/posting/check-run.js';
import { startHello } from '../github/hello-fixture.js';
import { HELLO, noAbort } from '../helpers/github-client-fake.js';
import { comment, pullRequest } from '../helpers/triggers.js';
import { placed } from './post-scene.js';

const CLEAR: ReviewOutcome = { open: [], isBlocking: false, unposted: [] };
const RULE: ReviewOutcome = { ...CLEAR, holdingChecks: 1 };
const OPEN: ReviewOutcome = { ...CLEAR, open: [placed().finding] };
const BLOCKING: ReviewOutcome = { ...OPEN, isBlocking: true };
const NONE = 'success: Nothing open · all files read';
const BLOCKED = 'failure: An earlier review blocks · all files read';
const BEFORE = 'c'.repeat(40);
const SKIPPED = { message: 'Nothing changed', since: BEFORE };

/** The same commit, which needs no other one. */
const AGAIN = { message: 'It was reviewed before', since: undefined };
const UNREAD = { ...AGAIN, isUnread: true };

const ALL = 'success: All files';
const HERE = 'neutral: Nothing open in 3 of 4 files';
const OPEN_HERE = 'neutral: 2 open: 2 minor in 3 of 4 files';
const CUT = ', cut short';
const BLOCKS = { ...CLEAR, isBlocking: true };
type Skip = { message: string; since: string | undefined; isUnread?: boolean };
it.each<[string, Skip | undefined, ReviewOutcome, string | undefined, string]>([
  ['of a skipped run holds what is open', SKIPPED, OPEN, ALL, 'neutral: 1 open: 1 major'],
  ['of a skipped run fails', SKIPPED, BLOCKING, NONE, 'failure: 1 open: 1 major · all files read'],
  ['of a skipped run says what the last said', SKIPPED, CLEAR, ALL, ALL],
  [
    'of a skipped run fails no more',
    SKIPPED,
    CLEAR,
    'failure: 1 open: 1 minor',
    'neutral: Nothing open',
  ],
  ['of a skipped run counts anew', SKIPPED, CLEAR, OPEN_HERE, HERE],
  [
    'of a skipped run succeeds once all is read',
    SKIPPED,
    CLEAR,
    'failure: 1 open: 1 minor · all files read',
    NONE,
  ],
  ['of a run that is skipped on its commit stays', AGAIN, CLEAR, NONE, NONE],
  [
    'of what could not be read is no success',
    UNREAD,
    CLEAR,
    NONE,
    'neutral: Nothing open · all files read',
  ],
  [
    'of what is unread holds what blocked',
    UNREAD,
    CLEAR,
    'failure: 1 open: 1 major',
    'failure: 1 open: 1 major',
  ],
  [
    'of a first run that is skipped says so',
    SKIPPED,
    CLEAR,
    undefined,
    'neutral: Nothing was reviewed',
  ],
  ['of a command is brought up to date', undefined, OPEN, ALL, 'neutral: 1 open: 1 major'],
  [
    'of a command counts anew',
    undefined,
    CLEAR,
    `neutral: 1 open: 1 major${CUT}`,
    `neutral: Nothing open${CUT}`,
  ],
  [
    'of a command names what blocks',
    undefined,
    BLOCKS,
    'neutral: 1 open: 1 major · all files read',
    BLOCKED,
  ],
  [
    'of a command says as before that the review was cut short',
    undefined,
    OPEN,
    'neutral: Review not finished in 3 of 4 files',
    `neutral: 1 open: 1 major in 3 of 4 files${CUT}`,
  ],
  [
    'of a skipped run says as before that the review was not finished',
    SKIPPED,
    CLEAR,
    'neutral: Review not finished in 3 of 4 files',
    'neutral: Review not finished in 3 of 4 files',
  ],
  ['of a command is a success once that review is gone', undefined, CLEAR, BLOCKED, NONE],
  [
    'of a command is no success while a check is unmet',
    undefined,
    RULE,
    NONE,
    'neutral: 1 check unmet · Nothing open · all files read',
  ],
  [
    'of a command is a success once no check is unmet',
    undefined,
    CLEAR,
    'neutral: 1 check unmet · Nothing open · all files read',
    NONE,
  ],
  ['of a command is not made', undefined, OPEN, undefined, ''],
])('the check %s', async (_, ...[skipped, review, before, expected]) => {
  const { client, repo, headSha } = await startHello();
  if (before !== undefined) {
    const [conclusion, title] = before.split(/: (.*)/s) as [
      'success' | 'failure' | 'neutral',
      string,
    ];
    const report = {
      repository: HELLO,
      headSha: skipped?.since ?? headSha,
      name: 'bot',
      conclusion,
    };
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

describe('the check in progress', () => {
  const PLAN = { trigger: pullRequest(), agent: { name: 'bot' }, coverage: { files: 14 } };

  /** A check in progress of pull request 42, and how often it was edited. */
  async function inProgress(plan: Parameters<CheckProgress['start']>[0] = PLAN) {
    const { client, repo, headSha } = await startHello();
    let edits = 0;
    const counting: GitHubClient = {
      ...client,
      async request(route, options) {
        if (route.startsWith('PATCH ')) edits += 1;
        return await client.request(route, options);
      },
    };
    const progress = createCheckProgress({
      client: counting,
      runUrl: '',
      clean: (text) => text,
      log: () => undefined,
      keep: async () => undefined,
    });
    progress.start(plan, headSha);
    await progress.started();
    return { progress, title: () => repo.talk.checkRuns[0]?.title, edits: () => edits };
  }

  it('says what is read, and how far it is', async () => {
    const { progress, title } = await inProgress();
    expect(title()).toBe('Reading 14 files');
    progress.show({ kind: 'parts', done: 1, total: 3 });
    await progress.started();
    expect(title()).toBe('1 of 3 parts reviewed');
    progress.show({ kind: 'second-look', findings: 1 });
    await progress.started();
    expect(title()).toBe('Looking again at 1 finding');
  });

  it('is edited at most three times, and only by steps that are worth it', async () => {
    const { progress, edits } = await inProgress();
    for (let done = 1; done <= 9; done += 1) progress.show({ kind: 'parts', done, total: 9 });
    await progress.started();
    expect(edits()).toBe(2);
    for (let findings = 1; findings <= 9; findings += 1)
      progress.show({ kind: 'second-look', findings });
    await progress.started();
    expect(edits()).toBe(3);
  });

  it('is not edited where it was not begun', async () => {
    const question = { ...PLAN, trigger: comment({ on: 'pull_request', number: 42 }) };
    const { progress, edits } = await inProgress(question);
    progress.show({ kind: 'second-look', findings: 1 });
    await progress.started();
    expect(edits()).toBe(0);
  });
});
