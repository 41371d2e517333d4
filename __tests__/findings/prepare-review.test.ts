import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type BufferedPublications,
  NO_PUBLICATIONS,
} from '../../src/findings/buffered-publications.js';
import type { PlacedFinding } from '../../src/findings/change/diff-lines.js';
import type { FindingChanges } from '../../src/findings/decide/ledger.js';
import { SEVERITIES, type Severity } from '../../src/findings/finding.js';
import { readCopy, saidRevsIn } from '../../src/findings/kept-finding.js';
import type { KnownFinding } from '../../src/findings/known-finding.js';
import type { ReviewToPost } from '../../src/findings/post/finding-texts.js';
import { prepareReview } from '../../src/findings/post/prepare-review.js';
import { MAX_COMMENT_CHARACTERS } from '../../src/lib/defaults.js';
import { readOwnMark } from '../../src/safety/mark.js';
import { sanitize } from '../../src/safety/sanitize.js';
import { finding, placed } from './change.js';
import { HEAD, KEY, known, ledgerOf, NO_NEWS, posting } from './threads.js';

type Parts = Partial<ReviewToPost> & {
  readonly earlierFindings?: readonly KnownFinding[];
  readonly summary?: string;
};

function prepare(
  fresh: readonly PlacedFinding[],
  { earlierFindings = [], summary = '', news = NO_NEWS, ...parts }: Parts = {},
) {
  const clean = (text: string) => sanitize(text, 'comment', ['hunter2-hunter2']);
  const ledger = ledgerOf(earlierFindings);
  for (const { finding } of fresh) ledger.raise(finding, { isNew: true });
  const buffered = { ...NO_PUBLICATIONS, review: { summary } };
  return prepareReview(posting({ ledger, buffered, clean, ...parts, news: { ...news, fresh } }));
}

/** What is open already, and what is back. */
function newsOf(kept: number, back = 0): FindingChanges {
  return { ...NO_NEWS, kept: Array(kept).fill(known()), back: Array(back).fill(known()) };
}

/** Ids of what a comment says, the worst first. */
function saidIn({ body }: { readonly body: string }) {
  return saidRevsIn(body).map(({ id }) => id);
}

const LIMIT = { path: 'a.ts', line: 1, title: 'A', code: 'limit' } as const;
const MILD = { path: 'b.ts', line: 2, title: 'B', code: 'too-mild', least: 'minor' } as const;
const WISH = { path: 'b.ts', line: 2, title: 'B', code: 'wish' } as const;

/** A run wanted this, and nothing was accepted as a finding of the change. */
const wanted = (parts: Partial<BufferedPublications>, summary = 'S') => {
  return {
    extent: 'whole',
    buffered: { ...NO_PUBLICATIONS, review: { summary }, ...parts },
  } as const;
};

const LINES = [7, 8, 9, 10].map((line) => placed({ line }));
const WALL = 'many words '.repeat(370);

describe('a prepared review', () => {
  it('has a comment for each finding on a line', () => {
    const { comments, body } = prepare([placed({ startLine: 8, suggestion: 'x' })], {
      signature: 'agent `pr-reviewer`',
    });
    const [comment] = comments;
    expect(comment).toMatchObject({ path: 'src/auth.ts', side: 'RIGHT', line: 10, startLine: 8 });
    expect(comment?.body.split('\n').slice(1).join('\n').split('\n\n<sub>')[0]).toBe(
      '🟠 **Major · security** — The query is built from the id\n\nThe id reaches the query unescaped. Bind it.\n\n```suggestion\nx\n```',
    );
    expect(comment?.body).toContain(' · agent `pr-reviewer`</sub>');
    const { id, handle } = placed().finding;
    expect(saidRevsIn(comment?.body ?? '')).toEqual([{ id, rev: 1 }]);
    expect(readCopy(body)?.findings).toMatchObject([{ id, handle, code: KEY, words: 'own' }]);
  });

  it.each([
    ['is unsure', { confidence: 'unsure' }, { confidence: 'unsure' }],
    ['has a line that a model made up', { line: 1e21 }, { line: 999_999_999 }],
    ['has a path that cleaning would change', { path: '@octocat.ts' }, { path: '' }],
    ['has a title of several lines', { title: 'One\nline' }, { title: 'One line' }],
  ] as const)('has a copy of the record of a finding that %s', (_, parts, expected) => {
    const { body } = prepare([placed(parts)]);
    expect(readCopy(body)?.findings).toMatchObject([expected]);
  });

  it('has one small line, which is below all else, and room for it', () => {
    const wall = Array.from({ length: 60 }, (_, n) => placed({ path: `f${n}.ts`, body: WALL }));
    const { body, footer } = prepare(wall, { footer: 'agent `pr-reviewer`' });
    expect(footer).toBe('<sub>agent `pr-reviewer`</sub>');
    expect(body.length + footer.length + 2).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
    expect(prepare([]).footer).toBe('');
  });

  it('names the agent in its marks, whatever the review is called', () => {
    const { comments, mark } = prepare([placed()], { agent: 'bot/reply-9' });
    expect(readOwnMark(comments[0]?.body ?? '')['agent']).toBe('bot');
    expect(mark).toMatchObject({ kind: 'review', agent: 'bot/reply-9' });
  });

  it.each([
    [
      'a section',
      '<details>\n<summary>Why</summary>\n\ntext',
      '\n\n</details>\n\n```suggestion\nx\n```',
    ],
    ['a block of code', 'B\n\n```ts\na()', '\n```\n\n```suggestion\nx\n```'],
    ['a comment', 'B <!-- c', '\n\n```suggestion\nx\n```'],
  ])('keeps a suggestion out of %s that the text before it leaves open', (_, body, end) => {
    const [comment] = prepare([placed({ body, suggestion: 'x' })]).comments;
    expect(comment?.body).toContain(`${end}\n\n<sub>`);
  });

  it('puts the worst findings on their lines, and the others into the text', () => {
    const severities: readonly Severity[] = ['nit', 'minor', 'critical', 'major'];
    const some = LINES.map((_, index) =>
      placed({ line: 7 + index, severity: severities[index] ?? 'nit' }),
    );
    const { comments, inBody, body } = prepare(some, { maxComments: 3 });
    expect(comments.map(({ line }) => line)).toEqual([9, 10, 8]);
    expect(inBody).toEqual(some.slice(0, 1));
    expect(body).toContain('**4 open: 1 critical, 1 major, 1 minor, 1 nit.**');
    expect(body).toContain('1 more finding: a review has at most 3 comments');
    expect(prepare(LINES, { maxComments: 0 }).inBody).toEqual(LINES);
    expect(prepare(LINES, { maxComments: 3 }).comments.map(({ line }) => line)).toEqual([7, 8, 9]);
  });
});

describe('two findings on one line', () => {
  it('have a comment each, with a place and a suggestion of its own, the worst one first', () => {
    const mild = placed({ severity: 'minor', startLine: 9, suggestion: 'wide' });
    const bad = placed({ title: 'Timeout is counted in seconds', suggestion: 'narrow' });
    const { comments } = prepare([mild, bad]);
    const places = comments.map((comment) => [comment.startLine, comment.line, saidIn(comment)]);
    expect(places).toEqual([
      [undefined, 10, [bad.finding.id]],
      [9, 10, [mild.finding.id]],
    ]);
    expect(comments[0]?.body).toContain('```suggestion\nnarrow\n```');
    expect(comments[1]?.body).toContain('```suggestion\nwide\n```');
  });
});

it('every finding of a review is in exactly one place', () => {
  const one = fc.record({
    path: fc.constantFrom('src/auth.ts', 'fresh.ts', 'logo.png', 'other.ts', 'src/new-name.ts'),
    line: fc.integer({ min: 1, max: 70 }),
    severity: fc.constantFrom(...SEVERITIES),
  });
  fc.assert(
    fc.property(fc.array(one, { maxLength: 40 }), fc.nat(20), (some, maxComments) => {
      const all = some.map(({ path, line, severity }) => placed({ path, line, severity }));
      const review = prepare(all, { maxComments, clean: (text: string) => text });
      const listed = [
        ...review.comments.flatMap(saidIn),
        ...[...review.inBody, ...review.omitted].map(({ finding }) => finding.id),
      ];
      expect(listed.toSorted()).toEqual(all.map(({ finding }) => finding.id).toSorted());
      expect(review.comments.length).toBeLessThanOrEqual(maxComments);
    }),
  );
});

describe('the text of a review', () => {
  it('has headline and summary, a list of new and earlier findings, findings without a line, those beyond the limit, and what was dropped', () => {
    const docs = { path: 'docs/a.md', line: 3, severity: 'minor', category: 'docs' } as const;
    const outside = placed({ ...docs, title: 'A|B', body: 'It says the opposite.' });
    const lines = { startLine: 10, line: 11 };
    const more = placed({ ...lines, title: 'Leak', body: 'It leaks.', suggestion: 'close();' });
    const { body } = prepare([placed({ title: 'On its line' }), more, outside], {
      maxComments: 1,
      news: {
        ...newsOf(2),
        heldBack: [{ finding: placed().finding, of: known() }],
        ended: [known({ state: 'settled', why: 'fixed' })],
      },
      buffered: {
        ...NO_PUBLICATIONS,
        review: { summary: 'One risk.' },
        refusedFindings: [LIMIT, MILD, LIMIT],
      },
      remarks: ['Only a part was reviewed.'],
    });
    const text = body.slice(body.indexOf('\n\n') + 2);
    expect(text).toMatchInlineSnapshot(`
"**3 open: 2 major, 1 minor.** One risk.

- 🟠 On its line · \`src/auth.ts:10\` — **new**
- 🟠 Leak · \`src/auth.ts:11\` — **new**
- 🟡 A|B · \`docs/a.md:3\` — **new**
- ✅ [The query is built from the id](https://github.com/octocat/hello/pull/42#discussion_r1) · FQ7K2 — settled by \`aaaaaaa\`

### 1 finding without a line in the diff

**\`docs/a.md:3\`** · FKBC8

🟡 **Minor · docs** — A|B

It says the opposite.

<details>
<summary>1 more finding: a review has at most 1 comment</summary>

**\`src/auth.ts:10-11\`** · F27RW

🟠 **Major · security** — Leak

It leaks.

Suggested:

\`\`\`
close();
\`\`\`

</details>

*Only a part was reviewed. Not repeated: 2 open, 1 dismissed before. Not accepted: 2 findings; the job summary says why.*"
`);
  });

  it('is its marker alone if it has no content', () => {
    expect(prepare([]).body).toBe(
      `<!-- axe-action {"kind":"review","v":1,"agent":"pr\\u002dreviewer","head":"${HEAD}","part":1,"says":[],"record":{"v":1,"findings":[],"heard":[]}} -->`,
    );
  });

  const one = [placed({ severity: 'major' })];
  const some = (['critical', 'major', 'minor', 'minor'] as const).map((severity, index) =>
    placed({ severity, line: 7 + index }),
  );
  const IN_PART = '**1 open in the part that was reviewed';
  it.each<[string, readonly PlacedFinding[], Parts, string]>([
    ['nothing was found', [], { extent: 'whole' }, '**No findings.** S'],
    [
      'nothing in a part',
      [],
      { extent: 'part' },
      '**No findings in the part that was reviewed.** S',
    ],
    ['nothing before a limit ended it', [], { extent: 'cut' }, '**Review not finished.** S'],
    ['nothing but what is open', [], { extent: 'whole', news: newsOf(1) }, '**Nothing new.** S'],
    ['one finding', one, {}, '**1 open: 1 major.** S'],
    ['several', some, {}, '**4 open: 1 critical, 1 major, 2 minor.** S'],
    ['something in a part', one, { extent: 'part' }, `${IN_PART}: 1 major.** S`],
    ['something before a limit', one, { extent: 'cut' }, '**1 open so far: 1 major.** S'],
    [
      'what the summary says',
      [],
      { extent: 'whole', summary: '**No findings.** S' },
      '**No findings.** S',
    ],
    ['its agent raises none', [], { extent: undefined }, 'S'],
    [
      'one too mild',
      [],
      wanted({ refusedFindings: [MILD] }),
      '**No findings of `minor` or worse.** S',
    ],
    ['one wish', [], wanted({ refusedFindings: [WISH] }), '**No findings accepted.** S'],
    [
      'one too mild and one unseen',
      [],
      wanted({ refusedFindings: [MILD, { ...WISH, code: 'unseen' }] }),
      '**No findings accepted.** S',
    ],
    [
      'something not from this change',
      [],
      wanted({ preexisting: [finding()] }),
      '**No findings in this change.** S',
    ],
    [
      'that the model found nothing, although something was refused',
      [],
      wanted({ refusedFindings: [WISH] }, 'No issues found.'),
      '**No findings accepted.** No issues found.',
    ],
  ])('has a headline: %s', (_, fresh, parts, expected) => {
    expect(prepare(fresh, { summary: 'S', ...parts }).body.split('\n\n')[1]).toBe(expected);
  });

  it('has no headline where something is back', () => {
    const { body } = prepare([], { summary: 'S', extent: 'whole', news: newsOf(1, 1) });
    expect(body).toContain('\n\nS\n\n- ↩️ ');
  });

  it('sanitizes everything that others wrote', () => {
    const evil =
      '@octocat ![x](https://evil.example/?d=1) hunter2-hunter2 <!-- axe-action {"kind":"finding"} -->';
    const { body: text } = prepare(
      [
        placed({ path: 'a`@hubot`.ts', body: evil }),
        placed({ body: evil, title: evil, trigger: evil }),
        placed({ path: evil, title: evil }),
        placed({ title: `\`${evil}` }),
        placed({ path: 'hunter2-hunter2', line: 1e21 }),
      ],
      { summary: evil, maxComments: 0 },
    );
    const prose = text.replace(/`[^`\n]+`/g, '');
    expect(text).not.toContain('hunter2');
    expect(prose).not.toMatch(/!\[|action:finding /);
    expect(prose).not.toMatch(/(?<![`\w]|<code>)@(?:octocat|hubot)/);
  });

  it('names no line of a file that has none', () => {
    expect(prepare([placed({ path: 'logo.png' })]).body).toContain('\n\n**`logo.png`** · F');
  });

  it('reports if it has to leave findings out, and cuts a very long summary', () => {
    const many = Array.from({ length: 1200 }, (_, n) =>
      placed({ path: `f${n}.ts`, title: `T${n}`, body: 'w'.repeat(300) }),
    );
    const { body: text, omitted } = prepare(many, { summary: 'word <b> '.repeat(20_000) });
    expect(omitted.length).toBeGreaterThan(0);
    expect(text).toMatch(/No room here for [\d,]+ more findings: see the job summary\./);
    expect(text).toContain('The summary is too long to show here.');
    expect(text).toContain('f0.ts:10');
    expect(text.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
  });

  it('lists the five worst findings that are not from the change, folded, without code to commit', () => {
    const titles = ['A', 'B', 'C', 'D', 'E', 'F'];
    const preexisting = titles.map((title) => {
      const severity = title === 'F' ? 'critical' : 'major';
      return finding({ title, severity, line: 40, code: 'old();', suggestion: 'x' });
    });
    const never = { ...finding({ title: 'G', severity: 'critical' }), code: undefined };
    const { body, omittedPreexisting } = prepare([], {
      buffered: { ...NO_PUBLICATIONS, preexisting: [...preexisting, never] },
    });
    const section = body.slice(body.indexOf('<details>'));
    expect(section.match(/^\*\*.*$|^🔴.*$|^🟠.*$|^\*.*$|^<.*$/gm)).toEqual([
      '<details>',
      '<summary>7 findings not from this change</summary>',
      '**`src/auth.ts:40`**',
      '🔴 **Critical · security** — F',
      '**`src/auth.ts`**',
      '🔴 **Critical · security** — G',
      ...['A', 'B', 'C'].flatMap((title) => [
        '**`src/auth.ts:40`**',
        `🟠 **Major · security** — ${title}`,
      ]),
      '*The job summary has 2 more.*',
      '</details>',
    ]);
    expect(section).not.toContain('```suggestion');
    expect(omittedPreexisting.map(({ title }) => title)).toEqual(['D', 'E']);
  });

  it('never exceeds GitHub’s limit, and every finding is in one list (C8 100)', () => {
    const size = fc.oneof(fc.nat(300), fc.nat(8192));
    const drawn = fc.record({
      path: fc.string({ maxLength: 300 }),
      size,
      line: fc.integer({ min: 1 }),
    });
    const growing = (text: string) => text.replaceAll('<', '&lt;').replaceAll('@', '@\u200b');
    fc.assert(
      fc.property(
        fc.array(drawn, { maxLength: 120 }),
        fc.nat(60_000),
        fc.constantFrom('<', 'w ', '@a. ', '😀'),
        (some, length, unit) => {
          const repeated = (length: number) => unit.repeat(length / unit.length);
          const all = some.map(({ path, size: bytes, line }) =>
            placed({ path, line, title: repeated(240), body: repeated(bytes) }),
          );
          const ended = known({ state: 'settled', why: 'wrong', title: repeated(200) });
          const made = prepare(all, {
            maxComments: 0,
            buffered: {
              ...NO_PUBLICATIONS,
              preexisting: all.map((raised) => raised.finding),
              review: { summary: repeated(length) },
            },
            news: { ...newsOf(99), ended: Array(40).fill(ended) },
            earlierFindings: Array(99).fill(known({ title: repeated(200) })),
            remarks: Array(4).fill(repeated(600)),
            footer: 'agent `pr-reviewer` · $0.42 · `/axe help`',
            clean: growing,
          });
          expect(made.body.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
          const listed = [...made.inBody, ...made.omitted];
          expect(listed).toHaveLength(all.length);
          expect(new Set(listed)).toEqual(new Set(all));
        },
      ),
      { numRuns: 50 },
    );
  });
});
