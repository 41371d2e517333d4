import { describe, expect, it } from '@jest/globals';
import { findMisplaced, type ReviewComment, withUnplaced } from '../../../src/github/posting/review.js';
import { createFakeGitHubClient, failure, HELLO, noAbort } from '../../helpers/github-client-fake.js';

const FILES = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
const PATCH = '@@ -1,3 +1,3 @@\n one\n-two\n+second\n three\n\\ No newline at end of file';

function comment(changes: Partial<ReviewComment>): ReviewComment {
  return { path: 'a.ts', line: 2, side: 'RIGHT', body: 'text', ...changes };
}

async function misplaced(comments: readonly ReviewComment[], message: string, files?: unknown) {
  const client = createFakeGitHubClient({
    [FILES]: () => {
      if (files === undefined) throw failure(500);
      return files;
    },
  });
  const error = failure(422, 'POST /reviews', message);
  const found = await findMisplaced(client, { repository: HELLO, number: 1 }, comments, error, noAbort());
  return found.map((one) => comments.indexOf(one));
}

const files = [{ filename: 'a.ts', patch: PATCH }, { filename: 'b.bin' }];

describe('the comments that a refusal is about', () => {
  const fine = [comment({}), comment({ side: 'LEFT' }), comment({ line: 3, side: 'LEFT', startLine: 1 })];

  it.each<[string, Partial<ReviewComment>]>([
    ['a line behind the last', { line: 4 }],
    ['line zero', { line: 0 }],
    ['a binary file', { path: 'b.bin', line: 1 }],
    ['a file that is not there', { path: 'c.ts' }],
    ['a range that starts before the hunk', { startLine: 0 }],
  ])('are those on %s', async (_, wrong) => {
    expect(await misplaced([...fine, comment(wrong)], 'Line could not be resolved', files)).toEqual([3]);
  });

  it('are the ranges if the refusal is only about their start', async () => {
    expect(await misplaced(fine, 'Start line must be part of the same hunk as the line.', files)).toEqual([
      2,
    ]);
  });

  it('are all if the files show nothing wrong', async () => {
    expect(await misplaced(fine, 'Line could not be resolved', files)).toEqual([0, 1, 2]);
  });

  it('are all if the files cannot be read', async () => {
    expect(await misplaced(fine, 'Line could not be resolved')).toEqual([0, 1, 2]);
  });
});

describe('a body with comments that have no line', () => {
  it('is unchanged if there are none', () => {
    expect(withUnplaced('text\n', [])).toBe('text\n');
  });

  it('names each place, and markup in a path has no effect', () => {
    const text = withUnplaced('text', [
      comment({ path: 'src/<b>`*.ts', body: 'First.' }),
      comment({ startLine: 1, body: 'Second.\n' }),
    ]);
    expect(text).toBe(
      [
        'text',
        '**Comments on lines that the diff does not show**',
        '<code>src/&#60;b&#62;&#96;&#42;.ts:2</code>',
        'First.',
        '<code>a.ts:1-2</code>',
        'Second.',
      ].join('\n\n'),
    );
  });

  it('never exceeds GitHub’s limit, and reports how many comments it leaves out', () => {
    const long = comment({ body: 'x'.repeat(30_000) });
    const text = withUnplaced('text', [long, long, long, long]);
    expect(text.length).toBeLessThanOrEqual(65_536);
    expect(text).toMatch(/\*2 more comments do not fit here\.\*$/);
  });
});
