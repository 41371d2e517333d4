import { expect, it } from '@jest/globals';
import { publishCheckRun } from '../../src/github/posting/check-run.js';
import { createCheckProgress } from '../../src/review/check-progress.js';
import type { ReviewEnd } from '../../src/review/review-post.js';
import { startHello } from '../github/hello-fixture.js';
import { HELLO, noAbort } from '../helpers/github-client-fake.js';
import { placed } from './post-scene.js';

const CLEAR: ReviewEnd = { open: [], isBlocking: false, unposted: [] };
const OPEN: ReviewEnd = { ...CLEAR, open: [placed().finding] };
const BEFORE = 'c'.repeat(40);
const SKIPPED = { message: 'Nothing changed', since: BEFORE };

/** The same commit, which needs no other one. */
const AGAIN: Skip = { message: 'It was reviewed before', since: undefined };

interface Skip {
  readonly message: string;
  readonly since: string | undefined;
  readonly isUnread?: true;
}

type Before = readonly ['success' | 'failure' | 'neutral', string] | undefined;

it.each<[string, string, ReviewEnd, Before, Skip | undefined, string]>([
  [
    'of a skipped run',
    'holds what is open',
    OPEN,
    ['success', 'All files'],
    SKIPPED,
    'neutral: 1 major open',
  ],
  [
    'of a skipped run',
    'fails',
    { ...OPEN, isBlocking: true },
    ['success', 'No findings · whole'],
    SKIPPED,
    'failure: 1 major open · whole',
  ],
  [
    'of a skipped run',
    'says what the last one said',
    CLEAR,
    ['success', 'All files'],
    SKIPPED,
    'success: All files',
  ],
  ['of a skipped run', 'fails no more', CLEAR, ['failure', 'All files'], SKIPPED, 'neutral: No findings'],
  [
    'of a skipped run',
    'counts what is open no more',
    CLEAR,
    ['neutral', '2 minor open in 3 of 4 files'],
    SKIPPED,
    'neutral: No findings in 3 of 4 files',
  ],
  [
    'of a skipped run',
    'is a success once all was read and nothing is open',
    CLEAR,
    ['failure', '1 critical, 1 minor open · whole'],
    SKIPPED,
    'success: No findings · whole',
  ],
  [
    'of a run that is skipped on its commit',
    'stays',
    CLEAR,
    ['success', 'No findings · whole'],
    AGAIN,
    'success: No findings · whole',
  ],
  [
    'of a run that could not read conversations',
    'is no success',
    CLEAR,
    ['success', 'No findings · whole'],
    { ...AGAIN, isUnread: true },
    'neutral: No findings · whole',
  ],
  [
    'of a run that could not read conversations',
    'holds what blocked',
    CLEAR,
    ['failure', '1 critical open · whole'],
    { ...AGAIN, isUnread: true },
    'failure: 1 critical open · whole',
  ],
  ['of a first run that is skipped', 'says so', CLEAR, undefined, SKIPPED, 'neutral: Nothing was reviewed'],
  [
    'of a command',
    'is brought up to date',
    OPEN,
    ['success', 'All files'],
    undefined,
    'neutral: 1 major open',
  ],
  [
    'of a command',
    'counts what is open no more',
    CLEAR,
    ['neutral', '1 major open, cut short'],
    undefined,
    'neutral: No findings, cut short',
  ],
  [
    'of a command',
    'names the review that blocks',
    { ...CLEAR, isBlocking: true },
    ['neutral', '1 major open · whole'],
    undefined,
    'failure: An earlier review blocks · whole',
  ],
  [
    'of a command',
    'is a success once that review is gone',
    CLEAR,
    ['failure', 'An earlier review blocks · whole'],
    undefined,
    'success: No findings · whole',
  ],
  ['of a command', 'is not made', OPEN, undefined, undefined, ''],
])('the check %s %s: %#', async (_, __, review, before, skipped, expected) => {
  const { client, repo, headSha } = await startHello();
  if (before !== undefined) {
    const [conclusion, title] = before;
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
