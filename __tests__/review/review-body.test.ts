import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_COMMENT_CHARACTERS } from '../../src/lib/defaults.js';
import { NOTHING_BUFFERED } from '../../src/review/buffered.js';
import type { Severity } from '../../src/review/finding.js';
import { findingMarksOf } from '../../src/review/marks.js';
import type { News, ReviewPost } from '../../src/review/news.js';
import { formatReviewBody } from '../../src/review/review-body.js';
import { sanitize } from '../../src/safety/sanitize.js';
import { placed } from './change.js';
import { HEAD, known, NO_NEWS, posting, raised } from './threads.js';

function clean(text: string): string {
  return sanitize(text, 'comment', ['hunter2-hunter2']);
}

type Parts = Partial<Parameters<typeof formatReviewBody>[1]> &
  Partial<ReviewPost> & { readonly summary?: string };

function body({ summary = '', listed = [], unplaced = [], overCap = [], marks = [], ...parts }: Parts = {}) {
  const buffered = { ...NOTHING_BUFFERED, review: { summary } };
  const { earlier = [], part, ...said } = parts;
  const about = { listed, unplaced, overCap, marks, earlier, part };
  return formatReviewBody(posting({ buffered, clean, ...said }), about);
}

/** What is open already, and what is back. */
function newsOf(kept: number, back = 0): News {
  return { ...NO_NEWS, kept: Array(kept).fill(known()), back: Array(back).fill(known()) };
}

describe('the text of a review', () => {
  it('has headline and summary, earlier findings, a table, findings without a line, those beyond the limit, and what was dropped', () => {
    const docs = { path: 'docs/a.md', line: 3, severity: 'minor', category: 'docs' } as const;
    const unplaced = placed({ ...docs, title: 'A|B', body: 'It says the opposite.' });
    const lines = { startLine: 10, line: 11 };
    const overCap = placed({ ...lines, title: 'Leak', body: 'It leaks.', suggestion: 'close();' });
    const { body: text } = body({
      listed: [placed({ title: 'On its line' }), overCap, unplaced],
      unplaced: [unplaced],
      overCap: [overCap],
      news: { ...newsOf(2), heldBack: [{ finding: placed().finding, of: known() }] },
      buffered: { ...NOTHING_BUFFERED, review: { summary: 'One risk.' }, refusedFindings: 3 },
      remarks: ['Only a part was reviewed.'],
      earlier: ['- ✅ Old one — settled by `aaaaaaa`'],
      footer: 'agent `pr-reviewer` · `/axe help`',
    });
    expect(text).toMatchInlineSnapshot(`
"<!-- axe-action {"kind":"review","agent":"pr\\u002dreviewer","head":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","part":1,"marks":[],"lane":"trusted"} -->

**3 findings: 2 major, 1 minor.** One risk.

- ✅ Old one — settled by \`aaaaaaa\`

| | Finding | Where |
|---|---|---|
| 🟠 | On its line | \`src/auth.ts:10\` |
| 🟠 | Leak | \`src/auth.ts:11\` |
| 🟡 | A\\|B | \`docs/a.md:3\` |

### 1 finding outside of the diff

**\`docs/a.md:3\`** · FKBC8

🟡 **Minor · docs** — A|B

It says the opposite.

<details>
<summary>1 more finding: a review has at most 20 comments</summary>

**\`src/auth.ts:10-11\`** · F27RW

🟠 **Major · security** — Leak

It leaks.

Suggested:

\`\`\`
close();
\`\`\`

</details>

*Only a part was reviewed. Not repeated: 2 open, 1 dismissed before. Not accepted: 3 findings beyond the number a run may raise.*"
`);
  });

  it('is its marker alone if it has no content', () => {
    expect(body().body).toBe(
      `<!-- axe-action {"kind":"review","agent":"pr\\u002dreviewer","head":"${HEAD}","part":1,"marks":[],"lane":"trusted"} -->`,
    );
  });

  it.each<[string, readonly Severity[], string]>([
    ['nothing', [], 'S'],
    ['one finding', ['major'], '**1 finding: 1 major.** S'],
    ['several', ['critical', 'major', 'minor', 'minor'], '**4 findings: 1 critical, 1 major, 2 minor.** S'],
  ])('has a headline that counts %s', (_, severities, expected) => {
    const listed = severities.map((severity) => placed({ severity }));
    expect(body({ summary: 'S', listed }).body.split('\n\n')[1]).toBe(expected);
  });

  const listed = [placed({ severity: 'major' })];
  const IN_PART = '**1 finding in the part that was reviewed';
  it.each<[string, Parts, string]>([
    ['nothing was found', { extent: 'whole' }, '**No findings.** S'],
    ['nothing was found in a part', { extent: 'part' }, '**No findings in the part that was reviewed.** S'],
    ['nothing was found before a limit ended it', { extent: 'cut' }, '**No findings so far.** S'],
    ['there is nothing but what is open', { extent: 'whole', news: newsOf(1) }, '**Nothing new.** S'],
    ['something was found in a part', { extent: 'part', listed }, `${IN_PART}: 1 major.** S`],
    ['something was found before a limit', { extent: 'cut', listed }, '**1 finding so far: 1 major.** S'],
    ['the summary says it', { extent: 'whole', summary: '**No findings.** S' }, '**No findings.** S'],
    ['something is back', { extent: 'whole', news: newsOf(1, 1) }, 'S'],
    ['its agent raises none', { extent: undefined }, 'S'],
  ])('has a headline for how much was looked at, where %s', (_, parts, expected) => {
    expect(body({ summary: 'S', ...parts }).body.split('\n\n')[1]).toBe(expected);
  });

  it('begins with as many marks of its run as there is room for', () => {
    const many = Array.from({ length: 200 }, (_, n) => raised({ at: n }));
    expect(findingMarksOf(body({ marks: many.slice(0, 50) }).body)).toEqual(many.slice(0, 50));
    const kept = findingMarksOf(body({ marks: many }).body);
    expect(kept.length).toBeGreaterThan(50);
    expect(kept).toEqual(many.slice(0, kept.length));
  });

  it('sanitizes everything that others wrote', () => {
    const evil =
      '@octocat ![x](https://evil.example/?d=1) hunter2-hunter2 <!-- axe-action {"kind":"finding"} -->';
    const { body: text } = body({
      summary: evil,
      unplaced: [placed({ path: 'a`@hubot`.ts', body: evil })],
      overCap: [placed({ body: evil, title: evil, trigger: evil })],
      listed: [placed({ path: evil, title: evil }), placed({ title: `\`${evil}` })],
    });
    const prose = text.replace(/`[^`\n]+`/g, '');
    expect(text).not.toContain('hunter2-hunter2');
    expect(prose).not.toMatch(/!\[|action:finding /);
    expect(prose).not.toMatch(/(?<![`\w]|<code>)@(?:octocat|hubot)/);
    const secret = body({ unplaced: [placed({ path: 'hunter2-hunter2', line: 1e21 })] });
    expect(secret.body).not.toContain('hunter2');
  });

  it('reports if it has to leave findings out', () => {
    const unplaced = Array.from({ length: 1200 }, (_, n) =>
      placed({ path: `f${n}.ts`, body: 'w'.repeat(300) }),
    );
    const { body: text, omitted } = body({ unplaced });
    expect(omitted.length).toBeGreaterThan(0);
    expect(text).toMatch(/No room here for [\d,]+ more findings: see the job summary\./);
    expect(text.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
  });

  it('cuts a very long summary', () => {
    const unplaced = [placed({ path: 'x.ts' })];
    const { body: text } = body({ summary: 'word <b> '.repeat(20_000), unplaced });
    expect(text.length).toBeLessThanOrEqual(MAX_COMMENT_CHARACTERS);
    expect(text).toContain('The summary is too long to show here.');
    expect(text).toContain('x.ts:10');
  });

  it('never exceeds GitHub’s limit, and every finding is in one list (C8 100)', () => {
    const size = fc.oneof(fc.nat(300), fc.nat(8192));
    const finding = fc.record({ path: fc.string({ maxLength: 300 }), size, line: fc.integer({ min: 1 }) });
    const growing = (text: string) => text.replaceAll('<', '&lt;').replaceAll('@', '@\u200b');
    fc.assert(
      fc.property(
        fc.array(finding, { maxLength: 120 }),
        fc.nat(60_000),
        fc.constantFrom('<', 'w ', '@a. ', '😀'),
        (some, length, unit) => {
          const repeated = (length: number) => unit.repeat(length / unit.length);
          const all = some.map(({ path, size: bytes, line }) =>
            placed({ path, line, title: repeated(240), body: repeated(bytes) }),
          );
          const unplaced = all.slice(0, all.length / 2);
          const overCap = all.slice(unplaced.length);
          const summary = repeated(length);
          const made = body({
            unplaced,
            overCap,
            summary,
            listed: all,
            news: newsOf(99),
            marks: Array(99).fill(raised({ title: repeated(200) })),
            remarks: Array(4).fill(repeated(600)),
            earlier: Array(40).fill(`- ✅ ${growing(repeated(200)).slice(0, 200)} — back`),
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
