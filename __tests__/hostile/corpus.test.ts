import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { CORPUS } from './corpus.js';
import { formatRow, type ReportedTest, reportRows, unlistedRows } from './rows.js';
import { numberedTitles, numberedTitlesBelow } from './titles.js';

const ROOT = join(import.meta.dirname, '../..');
const SECURITY = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');
const SOURCES = {
  corpus: CORPUS,
  security: SECURITY,
  tests: numberedTitlesBelow(join(ROOT, '__tests__'))
    .filter(({ file }) => !file.startsWith('hostile/corpus.'))
    .map(({ title }) => passed(title)),
};

function passed(...titles: readonly string[]): ReportedTest {
  return { ancestorTitles: titles.slice(0, -1), title: titles.at(-1) ?? '', status: 'passed' };
}

describe('the corpus', () => {
  it('numbers its rows from 1 to 103', () => {
    expect(CORPUS.map(([row]) => Number(row.split(' ')[1]))).toEqual(
      Array.from({ length: 103 }, (_, index) => index + 1),
    );
  });

  it.each(CORPUS)('has a test or a line of SECURITY.md for %s, %s', (row) => {
    expect(reportRows(SOURCES).find((one) => one.row === row)?.state).toMatch(/^(?:passed|named)$/);
  });

  it('lists every number in a title or in SECURITY.md', () => {
    expect(unlistedRows(SOURCES)).toEqual([]);
  });
});

describe('the report of the rows', () => {
  const corpus = [
    ['C1 1', 'one'],
    ['C1 2', 'two'],
    ['C1 3', 'three'],
    ['C1 4', 'four'],
  ] as const;
  const security = 'Text about C1 4 and\n- **C1 3**: nobody can do this here.\n';

  it('counts the tests of each row, by the start of any part of their titles', () => {
    const tests = [
      passed('C1 1: a'),
      passed('suite', 'C1 1: b'),
      passed('C1 1: suite', 'c'),
      { ...passed('C1 2: a'), status: 'failed' },
      passed('C1 2: b'),
      { ...passed('C1 4: a'), status: 'pending' },
      passed('what ends with C1 4: a'),
    ];
    expect(reportRows({ corpus, tests, security }).map(formatRow)).toEqual([
      'C1 1    passed   one (3 tests)',
      'C1 2    failed   two (2 tests)',
      'C1 3    named    three',
      'C1 4    missing  four',
    ]);
  });

  it('finds numbers that the corpus does not list', () => {
    const tests = [passed('C1 1: a'), passed('C1 5: a')];
    expect(unlistedRows({ corpus, tests, security: '- C9 7: why' })).toEqual(['C1 5', 'C9 7']);
  });
});

it('counts as titles the first argument of each test, and the rows of a table', () => {
  const source = `
    // C1 1: in a comment
    it('C1 2: plain', () => { const other = 'C1 3: another string'; log('C1 4: a word of another call'); });
    it.each([['C1 5: in a row']])('%s', () => undefined);
    it.each([['C1 12: in a row that ends the title']])('is %s', () => undefined);
    it.each([{ name: 'C1 13: in a named row' }])('$name', () => undefined);
    const CASES = [{ name: 'C1 6: in a table' }];
    for (const { name } of CASES) it(name, () => undefined);
    describe.each([1])(\`C1 7: of \${1}\`, () => { it('deeper', () => undefined); });
    it.skip('C1 8: skipped', () => undefined);
    it.todo('C1 9: for later');
    describe.skip('all', () => { it('C1 10: skipped with its suite', () => undefined); });
    test('C1 11: another word', async () => undefined);
  `;
  expect(numberedTitles(source)).toEqual([
    'C1 2: plain',
    'C1 5: in a row',
    'C1 13: in a named row',
    'C1 6: in a table',
    'C1 7: of ',
    'C1 11: another word',
  ]);
});
