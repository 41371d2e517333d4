import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_COMMENT_CHARACTERS } from '../../src/core/defaults.js';
import { sanitize } from '../../src/core/sanitize/sanitize.js';
import { type Buffered, NOTHING_BUFFERED, type ReviewVerdict } from '../../src/review/buffered.js';
import { featuresOf } from '../../src/review/features.js';
import { findingText } from '../../src/review/finding.js';
import { sketchOf } from '../../src/review/likeness.js';
import { parseFindingMarker } from '../../src/review/markers.js';
import { candidateOfPlaced } from '../../src/review/match.js';
import type { PlacedFinding } from '../../src/review/place.js';
import { type OpenFinding, prepareReview, type ReviewParts } from '../../src/review/prepare-review.js';
import { SEVERITIES, type Severity } from '../../src/review/terms.js';
import { finding, placed } from './change.js';
import { known, OTHER } from './threads.js';

const STRICT: Partial<Buffered> = { review: { summary: 'S', verdict: 'request-changes' } };

function prepare(
  findings: readonly PlacedFinding[],
  { buffered = {}, ...parts }: Partial<Omit<ReviewParts, 'buffered'>> & { buffered?: Partial<Buffered> } = {},
) {
  return prepareReview({
    agent: 'pr-reviewer',
    lane: 'trusted',
    head: 'a'.repeat(40),
    buffered: { ...NOTHING_BUFFERED, ...STRICT, findings, ...buffered },
    open: [],
    compared: new Set(),
    maxComments: 20,
    blockOn: 'major',
    clean: (text) => sanitize(text, 'comment', []),
    ...parts,
  });
}

/** A finding on its line, in exactly the words of this one. */
function openOf(one: PlacedFinding, id = OTHER): OpenFinding {
  const { placement } = one;
  const thread =
    placement.kind === 'line'
      ? { commentId: 7, path: placement.path, side: placement.side, line: placement.line }
      : undefined;
  return { id, candidate: candidateOfPlaced(one), thread };
}

const LINES = [7, 8, 9, 10].map((line) => placed({ line }));
const UNLIKE = { title: 'Timeout is counted in seconds', body: 'The retry waits a thousand times too long.' };

describe('a prepared review', () => {
  it('has a comment for each finding on a line', () => {
    const { comments, verdict, hasFindings } = prepare([placed({ startLine: 8, suggestion: 'x' })], {
      signature: 'agent `pr-reviewer`',
    });
    const [comment] = comments;
    expect(comment).toMatchObject({ path: 'src/auth.ts', side: 'RIGHT', line: 10, startLine: 8, others: [] });
    expect(comment?.body.split('\n\n<details>')[0]).toBe(
      `<!-- axe-action {"kind":"finding","agent":"pr\\u002dreviewer","id":"${placed().id}","category":"security","severity":"major","title":"The query is built from the id","lane":"trusted"} -->\n🟠 **Major · security** — The query is built from the id\n\nThe id reaches the query unescaped. Bind it.\n\n\`\`\`suggestion\nx\n\`\`\``,
    );
    expect(comment?.body).toContain(' · agent `pr-reviewer`\n\n</details>');
    expect([verdict, hasFindings]).toEqual(['request-changes', true]);
  });

  it('has one small line, which is below all else, and room for it', () => {
    const wall = Array.from({ length: 60 }, (_, n) =>
      placed({ path: `f${n}.ts`, body: 'many words '.repeat(370) }),
    );
    const { body, footer } = prepare(wall, { footer: 'agent `pr-reviewer`' });
    expect(footer).toBe('<sub>agent `pr-reviewer`</sub>');
    expect(body.length + footer.length + 2).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
    expect(prepare([]).footer).toBe('');
  });

  it('names the agent in its comments, whatever the review is called', () => {
    const { comments, mark } = prepare([placed()], { agent: 'bot/reply-9' });
    expect(parseFindingMarker(comments[0]?.body ?? '')?.agent).toBe('bot');
    expect(mark).toMatchObject({ kind: 'review', agent: 'bot/reply-9' });
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
  });

  it('keeps the order of findings of equal severity', () => {
    expect(prepare(LINES, { maxComments: 3 }).comments.map(({ line }) => line)).toEqual([7, 8, 9]);
  });

  it('starts one conversation on a line, with the worst finding first', () => {
    const mild = placed({ severity: 'minor' });
    const bad = placed({ ...UNLIKE, severity: 'critical' });
    const { comments } = prepare([mild, bad, placed({ line: 11 })]);
    expect(comments.map(({ line, others }) => [line, others])).toEqual([
      [10, [mild]],
      [11, []],
    ]);
    const { body = '' } = comments[0] ?? {};
    expect(parseFindingMarker(body)).toMatchObject({ id: bad.id, severity: 'critical' });
    expect(body).toMatch(/🔴 .*Timeout is counted.*\n\n---\n\n🟡 .*The query is built/s);
    expect(body.match(/<!-- axe-action/g)).toHaveLength(1);
  });

  it('moves into the text what does not fit into the comment of a line', () => {
    const wall = 'many words '.repeat(370);
    const all = Array.from({ length: 30 }, (_, n) => placed({ title: `Fault ${n}`, body: wall }));
    const { comments, inBody, omitted } = prepare(all);
    expect(comments).toHaveLength(1);
    expect(comments[0]?.body.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
    const onLine = [comments[0]?.placed, ...(comments[0]?.others ?? [])];
    expect(onLine.length).toBeGreaterThan(5);
    expect([...onLine, ...inBody, ...omitted]).toEqual(all);
  });
});

describe('a finding that was posted meanwhile', () => {
  it.each<[string, OpenFinding]>([
    ['is on its line', openOf(placed())],
    ['is on its line, in words that decide nothing', openOf(placed(UNLIKE))],
    [
      'is in the text of a review',
      {
        id: OTHER,
        candidate: {
          path: 'src/auth.ts',
          line: 10,
          isPresent: false,
          code: '',
          sketch: sketchOf(featuresOf(findingText(finding()))),
        },
        thread: undefined,
      },
    ],
    [
      'is in the text of a review of an older version',
      {
        id: OTHER,
        candidate: { path: 'src/auth.ts', line: 10, isPresent: false, code: '', sketch: '' },
        thread: undefined,
      },
    ],
  ])('is not repeated if it %s', (_, open) => {
    const one = placed();
    const prepared = prepare([one], { open: [open] });
    expect(prepared).toMatchObject({ comments: [], replies: [], inBody: [], hasFindings: false });
    expect(prepared.alreadyOpen).toEqual([{ placed: one, of: open }]);
    expect(prepared.body).toContain('Not repeated: 1 finding that is open already.');
  });

  it('counts as different with other words on another line', () => {
    expect(prepare([placed({ ...UNLIKE, line: 40 })], { open: [openOf(placed())] }).comments).toHaveLength(1);
  });

  it('uses no room', () => {
    const [first, second, third, fourth] = LINES;
    const open = [first, second].flatMap((one) => (one === undefined ? [] : [openOf(one)]));
    const { comments, alreadyOpen } = prepare(
      LINES.map((one, n) => (n < 2 ? one : { ...one, finding: { ...one.finding, ...UNLIKE } })),
      { open, maxComments: 2 },
    );
    expect(alreadyOpen).toHaveLength(2);
    expect(comments.map(({ placed: { id } }) => id)).toEqual([third?.id, fourth?.id]);
  });
});

describe('a finding on a line that has a conversation', () => {
  it('is posted in it, and never starts a second one', () => {
    const open = openOf(placed(UNLIKE));
    const one = placed({ severity: 'critical' });
    const { comments, replies, hasFindings } = prepare([one], { open: [open], compared: new Set([OTHER]) });
    expect(comments).toEqual([]);
    expect(replies).toMatchObject([{ thread: open.thread, placed: one }]);
    expect(replies[0]?.body).toMatch(/^🔴 \*\*Critical · security\*\*/);
    expect(replies[0]?.mark).toMatchObject({ id: one.id, severity: 'critical' });
    expect(hasFindings).toBe(true);
  });

  it.each<[string, Partial<OpenFinding['thread'] & object>]>([
    ['in another file', { path: 'fresh.ts' }],
    ['on the other side', { side: 'LEFT' }],
    ['on another line', { line: 11 }],
    ['on a line that has left the diff', { line: undefined }],
  ])('starts its own if the conversation is %s', (_, parts) => {
    const open = openOf(placed(UNLIKE));
    const thread = open.thread === undefined ? undefined : { ...open.thread, ...parts };
    const made = prepare([placed()], { open: [{ ...open, thread }], compared: new Set([OTHER]) });
    expect([made.comments.length, made.replies.length]).toEqual([1, 0]);
  });
});

describe('the verdict', () => {
  const of = (severity: Severity) => placed({ severity });
  const repeated = (severity: Severity | undefined) => [{ of: known({ severity }), finding: finding() }];
  const heldBack = [{ id: OTHER, finding: finding(), why: 'dismissed', pull: undefined }] as const;

  it.each<[string, readonly PlacedFinding[], Parameters<typeof prepare>[1], ReviewVerdict]>([
    ['a finding that is bad enough', [of('major')], {}, 'request-changes'],
    ['one that is worse', [of('critical'), of('nit')], {}, 'request-changes'],
    ['none that is bad enough', [of('minor')], {}, 'comment'],
    ['one that is bad enough for this workflow', [of('minor')], { blockOn: 'minor' }, 'request-changes'],
    ['one that is not bad enough for this workflow', [of('major')], { blockOn: 'critical' }, 'comment'],
    ['an open one that is bad enough', [], { buffered: { repeated: repeated('major') } }, 'request-changes'],
    [
      'an open one of an older version',
      [],
      { buffered: { repeated: repeated(undefined) } },
      'request-changes',
    ],
    ['an open one that is not', [], { buffered: { repeated: repeated('nit') } }, 'comment'],
    ['one that was posted meanwhile', [of('major')], { open: [openOf(placed())] }, 'request-changes'],
    [
      'one that was posted meanwhile and is not bad enough',
      [of('nit')],
      { open: [openOf(placed())] },
      'comment',
    ],
    ['what people have dismissed alone', [], { buffered: { heldBack } }, 'comment'],
    [
      'what people have dismissed, next to one that was posted meanwhile',
      [of('major')],
      { open: [openOf(placed())], buffered: { heldBack } },
      'request-changes',
    ],
    ['the summary alone', [], {}, 'request-changes'],
    ['no review', [of('critical')], { buffered: { review: undefined } }, 'comment'],
    [
      'a review that only comments',
      [of('critical')],
      { buffered: { review: { summary: 'S', verdict: 'comment' } } },
      'comment',
    ],
  ])('follows from %s', (_, findings, parts, verdict) => {
    expect(prepare(findings, parts).verdict).toBe(verdict);
  });
});

describe('every finding', () => {
  it('is in exactly one place', () => {
    const one = fc.record({
      path: fc.constantFrom('src/auth.ts', 'fresh.ts', 'logo.png', 'other.ts', 'src/new-name.ts'),
      line: fc.integer({ min: 1, max: 70 }),
      severity: fc.constantFrom(...SEVERITIES),
      isOpen: fc.boolean(),
      isCompared: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(one, { maxLength: 40 }), fc.nat(20), (some, maxComments) => {
        const all = some.map(({ path, line, severity }) => placed({ path, line, severity }));
        const open = all.flatMap((it, index) =>
          some[index]?.isOpen === true ? [openOf(it, index.toString(16).padStart(16, '0'))] : [],
        );
        const compared = new Set(
          open.filter(({ id }) => some[Number.parseInt(id, 16)]?.isCompared === true).map(({ id }) => id),
        );
        const review = prepare(all, { open, compared, maxComments, clean: (text) => text });
        const listed = [
          ...review.comments.flatMap((comment) => [comment.placed, ...comment.others]),
          ...review.replies.map((reply) => reply.placed),
          ...review.inBody,
          ...review.omitted,
          ...review.alreadyOpen.map((known) => known.placed),
        ];
        expect(listed).toHaveLength(all.length);
        expect(new Set(listed)).toEqual(new Set(all));
        expect(review.comments.length).toBeLessThanOrEqual(maxComments);
        const places = review.comments.map(({ path, side, line }) => `${path} ${side} ${line}`);
        expect(new Set(places).size).toBe(places.length);
      }),
    );
  });
});
