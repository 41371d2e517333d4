import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_COMMENT_CHARACTERS } from '../../src/lib/defaults.js';
import { SEVERITIES, type Severity } from '../../src/review/finding.js';
import { type FindingMark, findingMarksOf } from '../../src/review/marks.js';
import type { ReviewPost } from '../../src/review/news.js';
import type { PlacedFinding } from '../../src/review/place.js';
import { prepareReview } from '../../src/review/prepare-review.js';
import type { KnownFinding, Thread } from '../../src/review/seen.js';
import { sanitize } from '../../src/safety/sanitize.js';
import { placed } from './change.js';
import { ended, KEY, known, ledgerOf, NO_NEWS, NOW, posting, raised, thread } from './threads.js';

type Parts = Partial<ReviewPost> & {
  readonly earlierFindings?: readonly KnownFinding[];
  readonly marks?: readonly FindingMark[];
  readonly part?: number;
};

function prepare(
  fresh: readonly PlacedFinding[],
  { earlierFindings = [], marks = [], part, ...parts }: Parts = {},
) {
  const news = { ...NO_NEWS, fresh };
  const clean = (text: string) => sanitize(text, 'comment', []);
  const said = posting({ ledger: ledgerOf(earlierFindings), news, clean, ...parts });
  return prepareReview(said, { marks, earlier: [], part });
}

/** Ids of what a comment says, the worst first. */
function saidIn({ body }: { readonly body: string }) {
  return findingMarksOf(body).map(({ id }) => id);
}

const LINES = [7, 8, 9, 10].map((line) => placed({ line }));
const WALL = 'many words '.repeat(370);

describe('a prepared review', () => {
  it('has a comment for each finding on a line', () => {
    const { comments, raised: marks } = prepare([placed({ startLine: 8, suggestion: 'x' })], {
      signature: 'agent `pr-reviewer`',
    });
    const [comment] = comments;
    expect(comment).toMatchObject({ path: 'src/auth.ts', side: 'RIGHT', line: 10, startLine: 8 });
    expect(comment?.body.split('\n').slice(1).join('\n').split('\n\n<details>')[0]).toBe(
      '🟠 **Major · security** — The query is built from the id\n\nThe id reaches the query unescaped. Bind it.\n\n```suggestion\nx\n```',
    );
    expect(comment?.body).toContain(' · agent `pr-reviewer`\n\n</details>');
    const { id, handle } = placed().finding;
    expect(marks).toEqual([raised({ id, handle, agent: 'pr-reviewer', at: NOW.getTime(), code: KEY })]);
    expect(findingMarksOf(comment?.body ?? '')).toEqual(marks);
  });

  it('has every mark of its run in its text, also those said on lines', () => {
    const { body, raised: marks } = prepare([placed(), placed({ path: 'x.ts' })], { marks: [ended()] });
    expect(findingMarksOf(body)).toEqual([ended(), ...marks]);
    expect(marks).toHaveLength(2);
  });

  it.each([
    ['is unsure', { confidence: 'unsure' }, { unsure: true }],
    ['has a line that a model made up', { line: 1e21 }, { line: 999_999_999 }],
    ['has a path that cleaning would change', { path: '@octocat.ts' }, { path: '' }],
    ['has a title of several lines', { title: 'One\nline' }, { title: 'One line' }],
  ] as const)('has a mark for a finding that %s', (_, parts, mark) => {
    expect(prepare([placed(parts)]).raised).toMatchObject([mark]);
  });

  it('has one small line, which is below all else, and room for it', () => {
    const wall = Array.from({ length: 60 }, (_, n) => placed({ path: `f${n}.ts`, body: WALL }));
    const { body, footer } = prepare(wall, { footer: 'agent `pr-reviewer`' });
    expect(footer).toBe('<sub>agent `pr-reviewer`</sub>');
    expect(body.length + footer.length + 2).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
    expect(prepare([]).footer).toBe('');
  });

  it('names the agent in its marks, whatever the review is called', () => {
    const { raised: marks, mark } = prepare([placed()], { agent: 'bot/reply-9' });
    expect(marks).toMatchObject([{ agent: 'bot' }]);
    expect(mark).toMatchObject({ kind: 'review', agent: 'bot/reply-9' });
  });

  it.each<[string, Parts, readonly PlacedFinding[], number]>([
    ['the first one of its commit', {}, LINES, 1],
    ['a later one', { part: 3 }, LINES, 3],
  ])('is told apart as %s', (_, parts, fresh, part) => {
    expect(prepare(fresh, parts).mark).toMatchObject({ part });
  });

  it.each([
    ['a section', '<details>\n<summary>Why</summary>\n\ntext', '\n\n</details>\n\n```suggestion\nx\n```'],
    ['a block of code', 'B\n\n```ts\na()', '\n```\n\n```suggestion\nx\n```'],
    ['a comment', 'B <!-- c', '\n\n```suggestion\nx\n```'],
  ])('keeps a suggestion out of %s that the text before it leaves open', (_, body, end) => {
    const [comment] = prepare([placed({ body, suggestion: 'x' })]).comments;
    expect(comment?.body).toContain(`${end}\n\n<details><summary>How to answer</summary>`);
  });

  it('puts the worst findings on their lines, and the others into the text', () => {
    const severities: readonly Severity[] = ['nit', 'minor', 'critical', 'major'];
    const some = LINES.map((_, index) => placed({ line: 7 + index, severity: severities[index] ?? 'nit' }));
    const { comments, inBody, body } = prepare(some, { maxComments: 3 });
    expect(comments.map(({ line }) => line)).toEqual([9, 10, 8]);
    expect(inBody).toEqual(some.slice(0, 1));
    expect(body).toContain('**4 findings: 1 critical, 1 major, 1 minor, 1 nit.**');
    expect(body).toContain('1 more finding: a review has at most 3 comments');
    expect(prepare(LINES, { maxComments: 0 }).inBody).toEqual(LINES);
    expect(prepare(LINES, { maxComments: 3 }).comments.map(({ line }) => line)).toEqual([7, 8, 9]);
  });
});

describe('findings on one line', () => {
  it('share a conversation, the worst one first', () => {
    const mild = placed({ severity: 'minor' });
    const bad = placed({ title: 'Timeout is counted in seconds', severity: 'critical' });
    const { comments } = prepare([mild, bad, placed({ line: 11 })]);
    expect(comments.map((comment) => [comment.line, saidIn(comment)])).toEqual([
      [10, [bad.finding.id, mild.finding.id]],
      [11, [placed({ line: 11 }).finding.id]],
    ]);
    const { body = '' } = comments[0] ?? {};
    expect(body).toMatch(/🔴 .*Timeout is counted.*\n\n---\n\n🟡 .*The query is built/s);
    expect(body.match(/<!-- axe-action/g)).toHaveLength(1);
  });

  it('take the widest place, and offer only what replaces exactly that', () => {
    const wide = placed({ startLine: 9, suggestion: 'wide' });
    const narrow = placed({ title: 'Timeout', suggestion: 'narrow' });
    const [comment] = prepare([narrow, wide]).comments;
    expect(comment).toMatchObject({ startLine: 9, line: 10 });
    expect(comment?.body).toContain('```suggestion\nwide\n```');
    expect(comment?.body).toContain('Suggested:\n\n```\nnarrow\n```');
  });

  it('move into the text if they do not fit into the comment', () => {
    const all = Array.from({ length: 30 }, (_, n) => placed({ title: `Fault ${n}`, body: WALL }));
    const { comments, inBody, omitted } = prepare(all);
    expect(comments).toHaveLength(1);
    expect(comments[0]?.body.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
    const onLine = comments.flatMap(saidIn);
    expect(onLine.length).toBeGreaterThan(5);
    const others = [...inBody, ...omitted].map(({ finding }) => finding.id);
    expect([...onLine, ...others]).toEqual(all.map(({ finding }) => finding.id));
  });
});

describe('a finding on a line that has a conversation', () => {
  const OTHERS = { category: 'data', title: 'Nobody awaits the result' } as const;

  it.each<[string, Partial<Thread>, Partial<KnownFinding>, boolean]>([
    ['is open', {}, {}, true],
    ['is open, and whose finding has ended', {}, { state: 'settled' }, true],
    ['somebody closed while its finding is open', { resolvedBy: 'reader' }, {}, true],
    ['is finished', { resolvedBy: 'octocat' }, { state: 'settled' }, false],
    ['followed its line from elsewhere', { line: undefined }, {}, true],
    ['is in another file', { path: 'fresh.ts' }, { path: 'fresh.ts' }, false],
    ['is on the other side', { side: 'LEFT' }, { side: 'LEFT' }, false],
    ['is on another line', { line: 11 }, { line: 11 }, false],
    ['is on a line that has left the diff', { line: undefined }, { isGone: true }, false],
  ])('which %s', (_, parts, finding, isReply) => {
    const there = thread(parts);
    const one = placed({ severity: 'critical' });
    const {
      comments,
      replies,
      raised: marks,
    } = prepare([one], { earlierFindings: [known({ ...OTHERS, ...finding, thread: there })] });
    expect([comments.length, replies.length]).toEqual(isReply ? [0, 1] : [1, 0]);
    if (!isReply) return;
    // Who had closed the conversation did not mean this finding.
    expect(replies).toMatchObject([
      { thread: there, placed: one, mark: { marks: [{ ...marks[0], closedBy: parts.resolvedBy }] } },
    ]);
    expect(replies[0]?.body).toMatch(/^🔴 \*\*Critical · security\*\*/);
  });
});

it('every finding of a review is in exactly one place', () => {
  const one = fc.record({
    path: fc.constantFrom('src/auth.ts', 'fresh.ts', 'logo.png', 'other.ts', 'src/new-name.ts'),
    line: fc.integer({ min: 1, max: 70 }),
    severity: fc.constantFrom(...SEVERITIES),
    isThere: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 40 }), fc.nat(20), (some, maxComments) => {
      const all = some.map(({ path, line, severity }) => placed({ path, line, severity }));
      const earlierFindings = some.flatMap(({ path, line, isThere }) =>
        isThere ? [known({ thread: thread({ path, line }) })] : [],
      );
      const review = prepare(all, { earlierFindings, maxComments, clean: (text: string) => text });
      const listed = [
        ...review.comments.flatMap(saidIn),
        ...review.replies.map((reply) => reply.placed.finding.id),
        ...[...review.inBody, ...review.omitted].map(({ finding }) => finding.id),
      ];
      expect(listed.toSorted()).toEqual(all.map(({ finding }) => finding.id).toSorted());
      expect(review.raised).toHaveLength(all.length);
      expect(review.comments.length).toBeLessThanOrEqual(maxComments);
      const places = review.comments.map(({ path, side, line }) => `${path} ${side} ${line}`);
      expect(new Set(places).size).toBe(places.length);
    }),
  );
});
