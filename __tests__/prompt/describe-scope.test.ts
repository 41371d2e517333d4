import { describe, expect, it } from '@jest/globals';
import type { FetchedChange } from '../../src/event/trigger.js';
import type { FullReviewReason, ReviewScope } from '../../src/findings/change/scope.js';
import { describeScoped } from '../../src/prompt/describe.js';
import { DEFAULT_DIFF_POLICY } from '../../src/prompt/diff-policy.js';

const [FROM, LAST, HEAD] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [
  string,
  string,
  string,
];
const POLICY = DEFAULT_DIFF_POLICY;

function changed(...paths: readonly string[]): FetchedChange {
  const diff = paths.map(
    (path) =>
      `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-x\n+y of ${path}\n`,
  );
  const files = paths.map((path) => ({ path, status: 'modified', additions: 1, deletions: 1 }));
  return { diff: diff.join(''), files, filesTotal: files.length };
}

const PULL = changed('a.ts', 'b.ts', 'c.ts');
const reviewing = { head: HEAD, filesTotal: 3 };

function since(parts: Partial<Extract<ReviewScope, { kind: 'since' }>> = {}): ReviewScope {
  return { kind: 'since', before: { last: FROM }, change: changed('b.ts'), ...reviewing, ...parts };
}

function textOf(scope: ReviewScope | undefined, pull = PULL): string {
  return describeScoped(pull, scope, 'diff of pull request #42', POLICY).blocks.join('\n\n');
}

describe('a review of the changes since the last one', () => {
  it('is described as such, and names the other files', () => {
    const text = textOf(since());
    expect(text).toContain(
      'Changed since your last review of 1111111: 1 of 3 files of the pull request.',
    );
    expect(text).toContain('+1: y of b.ts');
    expect(text).not.toMatch(/\+1: y of [ac]\.ts/);
    expect(text).toContain('The rest of the pull request, 2 files: not changed since that review');
    expect(text).toContain('modified a.ts +1 -1\nmodified c.ts +1 -1');
    const reverted = { change: changed('b.ts', 'd.ts'), reverted: ['d.ts'] };
    expect(textOf(since(reverted))).toContain(
      '1 of 3 files of the pull request, and 1 file taken back to the base.',
    );
  });

  it('is described if nothing of its own has changed', () => {
    const text = textOf(since({ change: changed() }));
    expect(text).toContain('0 of 3 files of the pull request.');
    expect(text).toContain('The rest of the pull request, 3 files');
    expect(text).not.toContain('The old side of this diff');
  });

  it('shows what did not fit before, against the base, and no longer among the other files', () => {
    const before = { last: FROM, unseen: ['a.ts', 'gone.ts'] };
    const text = textOf(since({ before }));
    expect(text).toContain(
      '1 file of the pull request was not shown to you before, or not whole. Review it too',
    );
    expect(text).toContain('+1: y of a.ts');
    expect(text).toContain('The rest of the pull request, 1 file: not changed');
  });

  it('finds what did not fit before under its new name', () => {
    const moved = {
      path: 'c.ts',
      previousPath: 'old.ts',
      status: 'renamed',
      additions: 0,
      deletions: 0,
    };
    const change = { diff: '', files: [moved], filesTotal: 1 };
    const text = textOf(since({ change, before: { last: FROM, unseen: ['old.ts'] } }));
    expect(text).toContain('+1: y of c.ts');
  });

  it('names generated files that did not fit before, and does not call them seen', () => {
    const pull = changed('a.ts', 'b.ts', 'package-lock.json');
    const before = { last: FROM, unseen: ['package-lock.json'] };
    const told = (maxTokens: number) =>
      describeScoped(pull, since({ before }), 'diff', { ...POLICY, maxTokens });
    expect(told(0).unseen).toEqual([]);
    const parts = told(25);
    const text = parts.blocks.join('\n\n');
    expect(text).not.toContain('+1: y of package-lock.json');
    expect(text).toContain('locks and generated files that are not shown');
    expect(parts.unseen).toEqual(['package-lock.json']);
  });

  it('counts a file whose lines GitHub does not send as not shown, now and before', () => {
    const bare = { path: 'big.ts', status: 'modified', additions: 9000, deletions: 0 };
    const diff = `${PULL.diff}diff --git a/big.ts b/big.ts\n`;
    const pull = { ...PULL, diff, files: [...PULL.files, bare] };
    const told = (scope: ReviewScope | undefined, policy = POLICY) =>
      describeScoped(pull, scope, 'diff', policy).unseen;
    expect(told(undefined)).toEqual(['big.ts']);
    expect(told(undefined, { ...POLICY, pathsIgnore: ['big.*'] })).toEqual([]);
    expect(told(since({ change: { ...changed('b.ts'), files: [bare] } }))).toEqual(['big.ts']);
    const before = { last: FROM, unseen: ['big.ts'] };
    expect(told(since({ before }))).toEqual(['big.ts']);
  });

  it('gives the remaining room to what did not fit before', () => {
    const before = { last: FROM, unseen: ['a.ts'] };
    const told = (maxTokens: number) =>
      describeScoped(PULL, since({ before }), 'diff', { ...POLICY, maxTokens });
    expect(told(0).unseen).toEqual([]);
    expect(told(25)).toMatchObject({
      unseen: ['a.ts'],
      warnings: [{ message: expect.stringMatching(/is larger than the \d+ tokens it may take/) }],
    });
  });
});

it.each<[FullReviewReason, string]>([
  ['asked', 'that was asked for'],
  ['rewritten', 'the branch was rewritten or merged since the last review'],
])('a review of everything has the reason: %s', (why, words) => {
  const before = { last: LAST };
  const text = textOf({ kind: 'full', why, before, ...reviewing });
  const told = `You are shown the whole pull request again, because ${words}.`;
  expect(text).toContain(`Your last review was of 2222222. ${told}`);
  expect(text).toContain('+1: y of c.ts');
});
