import { describe, expect, it } from '@jest/globals';
import {
  ownPart,
  planScope,
  reviewCommand,
  type Scope,
  unseenSoFar,
  wholeSoFar,
} from '../../src/review/scope.js';
import type { Reviewed } from '../../src/review/state-facts.js';
import { comment, issue, pullRequest } from '../helpers/triggers.js';

const [OLD, LAST, HEAD] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [string, string, string];
const AT = Date.parse('2026-11-22T10:00:00Z');
const REVIEWED: Reviewed = { kind: 'reviewed', pull: 42, head: LAST, base: 'b', into: 'main', at: AT };

function plan(last: Partial<Reviewed> | undefined, asked: Partial<Parameters<typeof planScope>[0]> = {}) {
  const facts = last === undefined ? [] : [{ ...REVIEWED, ...last }];
  return planScope({ facts, pull: 42, head: HEAD, into: 'main', isFullRequested: false, ...asked });
}

describe('the scope of a review', () => {
  it('continues from the last commit that was reviewed completely', () => {
    const before = { last: LAST, wasCut: true };
    expect(plan({ cut: { whole: OLD } })).toEqual({ kind: 'ask', from: OLD, before });
    expect(plan({ cut: { whole: OLD } }, { head: LAST })).toEqual({ kind: 'ask', from: OLD, before });
  });

  it('does not treat an unknown base as a different one', () => {
    const { into: _, ...without } = REVIEWED;
    const question = { pull: 42, head: HEAD, isFullRequested: false };
    expect(planScope({ ...question, facts: [without], into: 'main' }).kind).toBe('ask');
    expect(planScope({ ...question, facts: [REVIEWED], into: '' }).kind).toBe('ask');
  });
});

const before = { last: LAST, wasCut: false };
const reviewing = { head: HEAD, filesTotal: 11 };
const file = { path: 'a.ts', status: 'modified', additions: 1, deletions: 0 };
const change = { diff: '', files: [file, file], filesTotal: 2 };
const SINCE: Scope = { kind: 'since', from: LAST, before, change, hasMerge: false, ...reviewing };
const AGAIN: Scope = { kind: 'full', why: 'again', before, ...reviewing };

describe('the description of a scope', () => {
  it('names the files of the last complete review that did not fit', () => {
    const partly = { ...before, unseen: ['b.ts'] };
    expect(unseenSoFar({ ...SINCE, before: partly })).toEqual(['b.ts']);
    expect(unseenSoFar({ ...AGAIN, before: partly })).toEqual(['b.ts']);
    expect(unseenSoFar({ kind: 'full', why: 'rewritten', before: partly, ...reviewing })).toEqual([]);
    expect([SINCE, undefined].map(unseenSoFar)).toEqual([[], []]);
    // The old branch is gone, and a run that is cut short begins again.
    expect(wholeSoFar({ ...SINCE, isRewritten: true, before: partly })).toBeUndefined();
  });
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

function fileDiff(path: string, ...hunks: readonly string[]): string {
  return `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${hunks.join('')}`;
}

/** A hunk of one added line between two others. */
function hunk(line: number, text = 'new'): string {
  return `@@ -${line - 1},2 +${line - 1},3 @@\n before\n+${text}\n after\n`;
}

it('hunks are kept that touch lines the pull request changes', () => {
  const pull = fileDiff('a.ts', hunk(10), hunk(50));
  expect(ownPart(fileDiff('a.ts', hunk(10), hunk(30, 'theirs')), pull)).toBe(fileDiff('a.ts', hunk(10)));
});

it('files are left out that the pull request does not change', () => {
  const pull = fileDiff('a.ts', hunk(10));
  expect(ownPart(fileDiff('b.ts', hunk(10)) + fileDiff('a.ts', hunk(10)), pull)).toBe(
    fileDiff('a.ts', hunk(10)),
  );
  expect(ownPart(fileDiff('b.ts', hunk(10)), pull)).toBe('');
});

it('a deleted file and one without hunks are kept', () => {
  const gone =
    'diff --git a/gone.ts b/gone.ts\ndeleted file mode 100644\n--- a/gone.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n';
  const logo = 'diff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n';
  expect(ownPart(gone + logo, gone + logo)).toBe(gone + logo);
});

it('a file is kept whole if GitHub shows nothing of it in the pull request’s own diff', () => {
  const large = fileDiff('large.ts', hunk(10), hunk(50));
  expect(ownPart(large, 'diff --git a/large.ts b/large.ts\n')).toBe(large);
});
