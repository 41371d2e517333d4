import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { NOTHING_BUFFERED } from '../../../src/core/review/buffered.js';
import { parseFindingMarker } from '../../../src/core/review/markers.js';
import type { PlacedFinding } from '../../../src/core/review/place.js';
import { prepareReview, type ReviewParts } from '../../../src/core/review/prepare-review.js';
import type { Withdrawn } from '../../../src/core/review/state-facts.js';
import { sanitize } from '../../../src/core/sanitize/sanitize.js';
import { placed } from './change.js';

function prepare(findings: readonly PlacedFinding[], parts: Partial<ReviewParts> = {}) {
  return prepareReview({
    agent: 'pr-reviewer',
    head: 'a'.repeat(40),
    buffered: { ...NOTHING_BUFFERED, findings, review: { summary: 'S', verdict: 'request-changes' } },
    known: { open: [], withdrawn: [] },
    maxComments: 20,
    clean: (text) => sanitize(text, 'comment', []),
    ...parts,
  });
}

function withdrawn({ fingerprint, finding: { path, rule } }: PlacedFinding): Withdrawn {
  const at = new Date('2026-11-20T10:00:00Z');
  return { kind: 'withdrawn', fingerprint, pull: 1, path, rule, why: 'reply', by: 'octocat', at };
}

const LINES = [7, 8, 9, 10].map((line) => placed({ line }));

describe('a prepared review', () => {
  it('has a comment for each finding on a line', () => {
    const { comments, verdict, hasFindings } = prepare([placed({ startLine: 8, suggestion: 'x' })]);
    const [comment] = comments;
    expect(comment).toMatchObject({ path: 'src/auth.ts', side: 'RIGHT', line: 10, startLine: 8 });
    expect(comment?.body).toBe(
      `<!-- axe-action:finding ${placed().fingerprint} agent=pr-reviewer -->\nThe id reaches the query unescaped. Bind it.\n\n\`\`\`suggestion\nx\n\`\`\``,
    );
    expect([verdict, hasFindings]).toEqual(['request-changes', true]);
  });

  it.each([
    ['a section', '<details>\n<summary>Why</summary>\n\ntext', '\n\n</details>\n\n```suggestion\nx\n```'],
    ['a block of code', 'B\n\n```ts\na()', '\n```\n\n```suggestion\nx\n```'],
    ['a comment', 'B <!-- c', '\n\n```suggestion\nx\n```'],
  ])('keeps a suggestion out of %s that the text before it leaves open', (_, body, end) => {
    const [comment] = prepare([placed({ body, suggestion: 'x' })]).comments;
    expect(comment?.body.endsWith(end)).toBe(true);
  });

  it('gives the first findings their lines, and the text to the others', () => {
    const { comments, inBody, body } = prepare(LINES, { maxComments: 3 });
    expect(comments.map(({ line }) => line)).toEqual([7, 8, 9]);
    expect(inBody).toEqual(LINES.slice(3));
    expect(body).toContain('1 more finding: a review has at most 3 comments');
    expect(prepare(LINES, { maxComments: 0 }).inBody).toEqual(LINES);
  });

  it('spends no room on what was said before', () => {
    const [first, second, third, fourth] = LINES.map(({ fingerprint }) => fingerprint);
    const facts = LINES.slice(0, 1).map(withdrawn);
    const { comments, body } = prepare(LINES, {
      maxComments: 2,
      known: { open: [second ?? ''], withdrawn: facts },
    });
    expect(comments.map(({ placed: { fingerprint } }) => fingerprint)).toEqual([third, fourth]);
    expect(comments.map((one) => parseFindingMarker(one.body)?.fingerprint)).not.toContain(first);
    expect(body).toContain('Not repeated: 1 finding that is already open here, 1 finding that is withdrawn.');
  });

  it('holds nothing up where people have withdrawn all it found', () => {
    const known = { open: [], withdrawn: LINES.map(withdrawn) };
    expect(prepare(LINES, { known })).toMatchObject({ verdict: 'comment', comments: [], hasFindings: false });
    const open = { open: LINES.map(({ fingerprint }) => fingerprint), withdrawn: [] };
    expect(prepare(LINES, { known: open }).verdict).toBe('request-changes');
    expect(prepare([]).verdict).toBe('request-changes');
  });

  it('only comments where the model gave no verdict', () => {
    expect(prepare([], { buffered: NOTHING_BUFFERED })).toMatchObject({
      verdict: 'comment',
      hasFindings: false,
    });
  });

  it('has every finding in exactly one place', () => {
    const one = fc.record({
      path: fc.constantFrom('src/auth.ts', 'fresh.ts', 'logo.png', 'other.ts', 'src/new-name.ts'),
      line: fc.integer({ min: 1, max: 70 }),
      isOpen: fc.boolean(),
      isWithdrawn: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), fc.nat(20), (some, maxComments) => {
        const all = some.map(({ path, line }) => placed({ path, line }));
        const where = (test: (parts: (typeof some)[number]) => boolean) =>
          all.filter((_, index) => some.slice(index, index + 1).some(test));
        const known = {
          open: where(({ isOpen }) => isOpen).map(({ fingerprint }) => fingerprint),
          withdrawn: where(({ isWithdrawn }) => isWithdrawn).map(withdrawn),
        };
        const review = prepare(all, { known, maxComments, clean: (text) => text });
        const listed = [
          ...review.comments.map(({ placed: finding }) => finding),
          ...review.inBody,
          ...review.omitted,
          ...review.alreadyOpen,
          ...review.withdrawn,
        ];
        expect(listed).toHaveLength(all.length);
        expect(new Set(listed)).toEqual(new Set(all));
        expect(review.comments.length).toBeLessThanOrEqual(maxComments);
      }),
    );
  });
});
