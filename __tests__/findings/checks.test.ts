import { describe, expect, it } from '@jest/globals';
import {
  type CheckRow,
  endsOfRecord,
  endsOfRows,
  hasNewAnswers,
  keepRows,
  overruledBy,
  withOverrule,
} from '../../src/findings/check-rows.js';
import { appliesTo, type Check, describeProblems, parseChecks } from '../../src/findings/checks.js';
import { CheckAnswers, rowWithoutAsking } from '../../src/findings/decide/check-answers.js';
import { linesOfDiff, ShownFiles } from '../../src/findings/decide/evidence.js';
import { formatChecks } from '../../src/findings/post/checks-text.js';
import { parseDiff } from '../../src/lib/text/diff.js';
import { sanitize } from '../../src/safety/sanitize.js';

const FILE = `# Our rules

## New endpoints have a test
paths: src/api/**, !src/api/generated/**
level: error

Every new route has a test that calls it.

\`\`\`
## not a check
\`\`\`

## Migrations can be undone ##
A migration has a way back.
`;

const CHECK: Check = { name: 'Tests', text: 'Each has one.', paths: [], level: 'error' };

describe('a file of checks', () => {
  it('has a check at each heading outside of a fence, with keys in any order', () => {
    const { checks, problems } = parseChecks(FILE.replaceAll('\n', '\r\n'));
    expect(problems).toEqual([]);
    expect(checks).toMatchObject([
      {
        name: 'New endpoints have a test',
        level: 'error',
        paths: ['src/api/**', '!src/api/generated/**'],
        text: expect.stringContaining('## not a check'),
      },
      { name: 'Migrations can be undone', level: 'warning', paths: [] },
    ]);
  });

  const many = Array.from({ length: 21 }, (_, index) => `## Rule ${index}\nText.`).join('\n');
  it.each<[string, string, number, RegExp]>([
    ['without a heading', 'Be nice.', 0, /has no check/],
    ['that is empty', '', 0, /has no check/],
    ['that is binary', '## A\n\0', 0, /not a text/],
    ['with a heading twice', '## A b\nx\n## “a  B”\ny', 1, /is there twice/],
    ['with more than 20 checks', many, 20, /"Rule 20" is one too many/],
    ['without a text', '## A\nlevel: error\n## B\ny', 1, /"A" has no text/],
    ['with a text that is too long', `## A\n${'x'.repeat(601)}`, 0, /more than 600/],
    ['with a name that is too long', `## ${'x'.repeat(81)}\ny`, 0, /more than 80/],
    ['with hidden characters in a name', '## A\u202eb\ny', 0, /hidden characters in its name/],
    ['with hidden characters in a text', '## A\ny\u200bz\u202e', 0, /has hidden characters/],
    ['with a name of quotes alone', '## “”\ny', 0, /has no name/],
    ['with a name like that of a finding', '## FQ7K2\ny', 0, /"FQ7K2" is named like a finding/],
    ['with an unknown level', '## A\nlevel: fatal\ny', 1, /"fatal" counts as `warning`/],
    ['with a broken pattern', '## A\npaths: src/[\ny', 0, /cannot be read/],
    ['with braces', '## A\npaths: src/**/*.{ts,tsx}\ny', 0, /write a pattern for each/],
    [
      'of 1 MB',
      `## A\ny\n## B\n${'x\n'.repeat(500_000)}`,
      1,
      /too long: nothing is read from "B" on/,
    ],
  ])('%s is read as far as it can be, with one warning', (_, text, number, why) => {
    const { checks, problems } = parseChecks(text);
    expect(checks).toHaveLength(number);
    expect(describeProblems(problems)).toMatch(why);
  });

  it.each([
    [['src/api/a.ts'], true],
    [['src/api/generated/a.ts'], false],
    [['README.md'], false],
  ])('a check is about the files of its paths: %j', (changed, applies) => {
    const [check = CHECK] = parseChecks(FILE).checks;
    expect(appliesTo(check, changed)).toBe(applies);
    expect(appliesTo(CHECK, changed)).toBe(true);
  });

  it.each(['src/', './src/**', '/src/**', '!docs/'])(
    'reads `paths: %s` as the input does',
    (paths) => {
      const [check = CHECK] = parseChecks(`## A\npaths: ${paths}\ny`).checks;
      const asked = [['src/api/a.ts'], ['docs/a.md']].map((changed) => appliesTo(check, changed));
      expect(asked).toEqual([true, false]);
    },
  );
});

it.each([
  [true, 'does not apply', undefined],
  [false, 'unsure', true],
] as const)(
  'a check without a file of its paths, all known: %j',
  (areAllKnown, answer, isUnanswered) => {
    const check = { ...CHECK, paths: ['docs/**'] };
    const row = rowWithoutAsking(check, { paths: ['src/a.ts'], areAllKnown });
    expect(row).toMatchObject({ answer });
    expect(row?.isUnanswered).toBe(isUnanswered);
    expect(rowWithoutAsking(check, { paths: ['docs/a.md'], areAllKnown })).toBeUndefined();
  },
);

const DIFF = `diff --git a/src/a.ts b/src/a.ts
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,1 +1,2 @@
 const known = readConfig(file);
+app.post('/refund', refund);
`;

function answering(checks: readonly Check[] = [CHECK]) {
  const inDiff = linesOfDiff(parseDiff(DIFF));
  const shown = new ShownFiles(inDiff);
  shown.show([
    { path: 'b.ts', side: 'RIGHT', firstLine: 3, lines: ['it("calls the refund route")'] },
  ]);
  return new CheckAnswers(checks, { shown, diff: new ShownFiles(inDiff) });
}

describe('an answer', () => {
  const IN_DIFF = { path: 'src/a.ts', line: 2, code: "app.post('/refund', refund);" };
  const SHOWN = { path: 'b.ts', line: 3, code: 'it("calls the refund route")' };
  const NOWHERE = { path: 'b.ts', line: 9, code: 'it("calls something else here")' };
  it.each([
    ['fail', IN_DIFF, 'fail'],
    ['fail', {}, 'unsure'],
    ['fail', SHOWN, 'unsure'],
    ['fail', NOWHERE, 'unsure'],
    ['pass', {}, 'pass'],
    ['pass', SHOWN, 'pass'],
    ['pass', IN_DIFF, 'pass'],
    ['pass', NOWHERE, 'unsure'],
    ['unsure', {}, 'unsure'],
    ['does not apply', {}, 'does not apply'],
  ] as const)('%s with the quote %j counts as %s', (answer, quote, counts) => {
    const answers = answering();
    const { kind } = answers.give([{ check: ' “tests” ', answer, why: 'Because.', ...quote }]);
    const [row] = answers.rows;
    expect(row?.answer).toBe(counts);
    expect(row?.isUnanswered).toBe(counts === answer ? undefined : true);
    expect(kind).toBe(answers.isComplete ? 'taken' : 'refused');
    expect(answers.isComplete).toBe(counts === answer);
  });

  it('counts once, and those that are missing are named', () => {
    const answers = answering([CHECK, { ...CHECK, name: 'Docs' }]);
    const give = (check: string, answer: 'pass' | 'unsure') =>
      answers.give([{ check, answer, why: '' }]).text;
    expect(give('Tests', 'pass')).toMatch(/1 check without an answer: "Docs"/);
    expect(give('Other', 'pass')).toMatch(/no check is called "Other"/);
    give('Tests', 'unsure');
    expect(give('Docs', 'pass')).toBe('All checks have their answer.');
    expect(answers.rows.map(({ answer }) => answer)).toEqual(['pass', 'pass']);
  });
});

const row = (answer: CheckRow['answer'], change: Partial<Check> = {}): CheckRow => ({
  check: { ...CHECK, ...change },
  answer,
  why: 'No test calls it.',
  quote: '',
});

describe('what was said of a check', () => {
  const kept = keepRows([row('fail'), row('pass', { name: 'Docs' })], undefined, 'head');
  const failing = (record: typeof kept) => endsOfRecord(record).failing;
  const word = { name: 'Tests', login: 'octocat', why: 'a stub', comment: 7 };

  it('is news only if an answer or a check differs', () => {
    expect(hasNewAnswers([row('fail'), row('pass', { name: 'Docs' })], kept)).toBe(false);
    expect(hasNewAnswers([row('pass'), row('pass', { name: 'Docs' })], kept)).toBe(true);
    expect(hasNewAnswers([row('fail')], kept)).toBe(true);
    expect(hasNewAnswers([row('fail')], undefined)).toBe(true);
  });

  it('is overruled by a person until the rule changes', () => {
    const over = withOverrule(kept, '“tests”', word);
    expect(failing(kept)).toEqual(['Tests']);
    expect(over && failing(over)).toEqual([]);
    expect(overruledBy(CHECK, over)?.login).toBe('octocat');
    expect(overruledBy({ ...CHECK, text: 'Each has two.' }, over)).toBeUndefined();
    expect(keepRows([row('fail', { text: 'Each has two.' })], over, 'next').over).toEqual([]);
    expect(withOverrule(over, 'TESTS', undefined)?.over).toEqual([]);
    expect(withOverrule(kept, 'Unknown', word)).toBeUndefined();
  });

  it('holds for a name that is written in another way', () => {
    const over = withOverrule(kept, 'Tests', word);
    const renamed = [row('fail', { name: 'TESTS' }), row('pass', { name: 'Docs' })];
    const [said] = keepRows(renamed, over, 'next').over;
    expect(said).toMatchObject({ login: 'octocat' });
    expect(failing(keepRows(renamed, over, 'next'))).toEqual([]);
  });

  it.each<[string, Partial<CheckRow>, readonly string[]]>([
    ['no answer', { isUnanswered: true }, ['Tests']],
    ['an unsure answer', {}, []],
    ['a word of a person', { isUnanswered: true, overruledBy: 'octocat' }, []],
    [
      'no answer at the level `warning`',
      { isUnanswered: true, check: { ...CHECK, level: 'warning' } },
      [],
    ],
  ])('is unknown with %s', (_, change, unanswered) => {
    const rows = [{ ...row('unsure'), ...change }];
    expect(endsOfRows(rows)).toEqual({ failing: [], unanswered });
    const record = keepRows(rows, undefined, '');
    if (change.overruledBy === undefined)
      expect(endsOfRecord(record).unanswered).toEqual(unanswered);
  });

  it('fails the step only at the level `error`', () => {
    expect(failing(keepRows([row('fail', { level: 'warning' })], undefined, ''))).toEqual([]);
  });
});

describe('the table', () => {
  const clean = (text: string) => sanitize(text, 'comment', []);
  const format = (rows: readonly CheckRow[], isNew = true) =>
    formatChecks(rows, { isNew, clean, offersCommands: true });

  it('shows what people have to look at, and counts the rest', () => {
    const fails = { ...row('fail'), place: { path: 'src/a.ts', line: 2 } };
    const over = { ...row('fail', { name: 'Logs' }), overruledBy: 'octocat' };
    const text = format([row('pass', { name: 'Docs' }), fails, over, row('unsure', { name: 'B' })]);
    expect(text).toContain('**Checks: 1 fails, 1 unsure, 1 overruled, 1 passes.**');
    expect(text).toContain('| ❌ | Tests | `src/a.ts:2` No test calls it. |');
    expect(text).toContain('| ➖ | Logs | by `octocat`: No test calls it. |');
    expect(text).toContain('`/axe dismiss "Tests" why`');
    expect(text).not.toContain('| Docs |');
  });

  it('is one line if nothing is new, and nothing without checks', () => {
    expect(format([row('fail')], false)).toBe('Checks: 1 fails, as before.');
    expect(format([row('pass')])).toBe('**Checks: 1 passes.**');
    expect(format([])).toBe('');
  });

  it('offers a command that reads the name as it is', () => {
    const text = format([row('fail', { name: 'No "magic" numbers' })]);
    expect(text).toContain('`/axe dismiss "No magic numbers" why`');
  });

  it('cleans and escapes names', () => {
    const text = format([row('fail', { name: 'a](https://evil.example) @team | b' })]);
    expect(text).toContain('<code>@team</code> \\| b |');
  });
});
