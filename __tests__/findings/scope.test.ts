import { describe, expect, it } from '@jest/globals';
import {
  type Coverage,
  type CoverageParts,
  coverageCutShort,
  coverageOf,
  coverageTitle,
  coverageWithoutAnswer,
  coverageWithoutFiles,
  formatCoverage,
  NOTHING_READ,
  planScope,
  type ReviewScope,
  reviewCommand,
} from '../../src/findings/change/scope.js';
import type { ReviewedFact } from '../../src/findings/state-facts.js';
import { comment, issue, pullRequest } from '../helpers/triggers.js';

const [LAST, HEAD] = ['2', '3'].map((digit) => digit.repeat(40)) as [string, string];
const AT = Date.parse('2026-11-22T10:00:00Z');
const REVIEWED: ReviewedFact = {
  kind: 'reviewed',
  pull: 42,
  head: LAST,
  base: 'b',
  into: 'main',
  at: AT,
};

it('the scope of a review does not treat an unknown base as a different one', () => {
  const { into: _, ...without } = REVIEWED;
  const question = { pull: 42, head: HEAD, isFullRequested: false };
  expect(planScope({ ...question, facts: [without], into: 'main' }).kind).toBe('ask');
  expect(planScope({ ...question, facts: [REVIEWED], into: '' }).kind).toBe('ask');
});

it.each([['  /AXE  Review  FULL  \nPlease look at the locks.', true]])(
  'a comment requests a review: %j',
  (body, isFull) => {
    expect(reviewCommand(comment({ on: 'pull_request', body }))).toEqual({ isFull });
  },
);

it.each(['/axe reviews', '/axe review fully', '> /axe review'])(
  'a comment requests no review: %j',
  (body) => {
    expect(reviewCommand(comment({ on: 'pull_request', body }))).toBeUndefined();
  },
);

it('a review is only requested below a pull request', () => {
  const body = '/axe review';
  expect(reviewCommand(comment({ on: 'issue', body }))).toBeUndefined();
  expect(reviewCommand(issue({ body }))).toBeUndefined();
  expect(reviewCommand(pullRequest({ body }))).toBeUndefined();
});

const HUNK = '@@ -1 +1 @@\n-x\n+y\n';

/** A change of text files, with the files that GitHub lists. */
function changed(...paths: readonly string[]) {
  const files = paths.map((path) => ({ path, status: 'modified', additions: 1, deletions: 1 }));
  const diffOf = (path: string) =>
    `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${HUNK}`;
  return { diff: paths.map(diffOf).join(''), files, filesTotal: files.length };
}

function cover(change: CoverageParts['change'], patch: Partial<CoverageParts> = {}): Coverage {
  return coverageOf({ change, isLeftOut: () => false, notShown: [], ...patch });
}

const UNLISTED = { path: '', why: 'unlisted' } as const;
const BARE = { status: 'modified', additions: 0, deletions: 0 };

describe('coverage', () => {
  it('is never complete if GitHub lists only the first files, and reports it', () => {
    const coverage = cover({ ...changed('a.ts', 'b.ts'), isListShort: true });
    expect(coverage).toEqual({ kind: 'part', files: 2, read: 2, unread: [], isListShort: true });
    expect(formatCoverage(coverage)).toBe(
      'Read: 2 files. GitHub lists only the first files of a change between two commits; nothing is known about the others.',
    );
    expect(coverageTitle(coverage)).toBe(' in 2 of more than 2 files');
    expect(coverageWithoutFiles(coverage, [])).toMatchObject({ kind: 'part' });
  });

  it('counts files that GitHub does not list', () => {
    const coverage = cover({ ...changed('a.ts'), filesTotal: 3 });
    expect(coverage).toMatchObject({
      kind: 'part',
      files: 3,
      read: 1,
      unread: [UNLISTED, UNLISTED],
    });
  });

  it('counts a file once, by the reason that comes first', () => {
    const without = { isLeftOut: (path: string) => path === 'b.ts', notShown: ['b.ts'] };
    const { unread } = cover(changed('a.ts', 'b.ts'), without);
    expect(unread).toEqual([{ path: 'b.ts', why: 'paths' }]);
  });

  it('counts a file that only moved, changed its mode or is empty as read', () => {
    const diff = [
      'diff --git a/old.ts b/new.ts\nsimilarity index 100%\nrename from old.ts\nrename to new.ts\n',
      'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n',
      'diff --git a/empty b/empty\nnew file mode 100644\nindex 0000000..e69de29\n',
    ].join('');
    const files = ['new.ts', 'run.sh', 'empty'].map((path) => ({ path, ...BARE }));
    expect(cover({ diff, files, filesTotal: 3 }).kind).toBe('whole');
  });

  it('is none if nothing was shown', () => {
    expect(cover(changed('a.md'), { isLeftOut: () => true }).kind).toBe('none');
    expect(cover({ diff: '', files: [], filesTotal: 0 }).kind).toBe('none');
  });

  it('is not complete if the run was cut short', () => {
    expect(coverageCutShort(cover(changed('a.ts')))).toMatchObject({
      kind: 'part',
      read: 1,
      isCutShort: true,
    });
  });
});

const reviewing = { head: HEAD, filesTotal: 11 };
const before = { last: LAST };
const FIRST: ReviewScope = { kind: 'full', why: 'first', before: undefined, ...reviewing };
const AGAIN: ReviewScope = { kind: 'full', why: 'again', before, ...reviewing };
const SINCE: ReviewScope = { kind: 'since', before, change: changed('a.ts', 'b.ts'), ...reviewing };
const WHOLE: Coverage = { kind: 'whole', files: 11, read: 11, unread: [] };

function missing(...unread: Coverage['unread']): Coverage {
  return { kind: 'part', files: 11, read: 11 - unread.length, unread };
}

describe('the coverage sentence', () => {
  it.each<[Coverage, ReviewScope | undefined, string]>([
    [WHOLE, undefined, 'Read: the whole change, 11 files.'],
    [
      WHOLE,
      AGAIN,
      'Reviewed: the whole pull request, 11 files, at `3333333`, because this commit was reviewed before.',
    ],
    [
      WHOLE,
      { ...SINCE, before: { ...before, unseen: ['c.ts'] } },
      'Reviewed: `2222222..3333333`, 3 of 11 files, with what was not read before.',
    ],
    // A push took a file back to its base.
    [{ ...WHOLE, files: 1, read: 1 }, SINCE, 'Reviewed: `2222222..3333333`, 1 of 1 file.'],
    [
      missing({ path: 'b.ts', why: 'paths' }),
      SINCE,
      'Reviewed: `2222222..3333333`, 1 of 11 files. Not read: 1 left out by `paths` (`b.ts`). Nothing is known about it.',
    ],
    [
      missing({ path: 'a.lock', why: 'budget' }, UNLISTED, UNLISTED),
      FIRST,
      'Reviewed: 8 of 11 files at `3333333`. Not read: 1 beyond `max-diff-tokens` or what the model takes (`a.lock`); 2 that GitHub does not list. Nothing is known about those.',
    ],
    [coverageCutShort(WHOLE), FIRST, 'Reviewed in part: 11 files at `3333333`.'],
    [
      coverageWithoutAnswer(NOTHING_READ),
      FIRST,
      'Nothing was read: the change could not be fetched.',
    ],
    [
      coverageWithoutAnswer(missing({ path: 'b.ts', why: 'paths' })),
      undefined,
      'Nothing was read: the run ended without an answer.',
    ],
  ])('is correct: %#', (coverage, scope, sentence) => {
    expect(formatCoverage(coverage, scope)).toBe(sentence);
  });

  it('names five files, and counts the others', () => {
    const unread = Array.from({ length: 7 }, (_, n) => ({
      path: `src/${n}.ts`,
      why: 'budget' as const,
    }));
    expect(formatCoverage(missing(...unread, { path: 'x.png', why: 'size' }))).toBe(
      'Read: 3 of 11 files. Not read: 7 beyond `max-diff-tokens` or what the model takes (`src/0.ts`, `src/1.ts`, `src/2.ts`, `src/3.ts`, `src/4.ts`, …); 1 without readable lines, binary or too large for GitHub to show. Nothing is known about those.',
    );
  });

  it.each([
    [missing({ path: 'a', why: 'failed' }), ' in 10 of 11 files'],
    [coverageCutShort(WHOLE), ''],
  ])('is the end of a title: %#', (coverage, title) => {
    expect(coverageTitle(coverage)).toBe(title);
  });
});

it('the files of a part that failed are counted as not read, each once', () => {
  const whole = { kind: 'whole', files: 3, read: 3, unread: [] } as const;
  const missed = [{ path: 'a.ts', why: 'failed' as const }];
  const part = coverageWithoutFiles(whole, missed);
  expect(part).toEqual({ kind: 'part', files: 3, read: 2, unread: missed });
  expect(coverageWithoutFiles(part, missed)).toEqual(part);
});

it('no file is counted as read if the run ended without an answer', () => {
  const missed = [{ path: 'a.ts', why: 'paths' as const }];
  const part = { kind: 'part', files: 3, read: 2, unread: missed } as const;
  const lost = { path: '', why: 'failed' };
  expect(coverageWithoutAnswer(part)).toEqual({
    kind: 'none',
    files: 3,
    read: 0,
    unread: [...missed, lost, lost],
  });
});
