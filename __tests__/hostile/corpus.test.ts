import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseSync } from '@swc/core';
import { CORPUS } from './corpus.js';
import { formatRow, type ReportedTest, reportRows, unlistedRows } from './rows.js';

const NUMBERED = /^C\d+ \d+: /;
const TESTS = ['it', 'test', 'describe'];
/** Calls whose tests do not run. */
const IDLE = ['skip', 'todo', 'failing'];
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
  it('numbers its rows from 1 to 121', () => {
    expect(CORPUS.map(([row]) => Number(row.split(' ')[1]))).toEqual(
      Array.from({ length: 121 }, (_, index) => index + 1),
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

/** A node of a syntax tree. */
type Node = Readonly<Record<string, unknown>>;

/** The numbered titles of all test files below a folder, with the file of each. */
function numberedTitlesBelow(
  folder: string,
): readonly { readonly file: string; readonly title: string }[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .flatMap((path) => {
      const text = readFileSync(path, 'utf8');
      const titles = /C\d+ \d+: /.test(text) ? numberedTitles(text) : [];
      return titles.map((title) => ({ file: relative(folder, path), title }));
    });
}

/**
 * The numbered titles of a test file: what a test or a suite that runs is called with, and what
 * tables hold. A number in a comment, in another string, or in a test that is skipped is no title.
 */
function numberedTitles(source: string): readonly string[] {
  return titlesIn(
    parseSync(source, { syntax: 'typescript', target: 'es2023' }) as unknown as Node,
    false,
  );
}

function titlesIn(node: Node, isTitle: boolean): readonly string[] {
  if (node['type'] === 'StringLiteral') return isTitle ? numbered(node['value']) : [];
  if (node['type'] === 'TemplateLiteral' && isTitle) {
    const [first] = nodesIn(node['quasis']);
    return numbered(first?.['raw']);
  }
  if (node['type'] === 'CallExpression') return titlesOfCall(node);
  const isTable = node['type'] === 'ArrayExpression' || node['type'] === 'KeyValueProperty';
  // The elements of an array are in wrappers that have no type.
  const isHeld = isTable || (isTitle && !('type' in node));
  return Object.values(node).flatMap((child) =>
    nodesIn(child).flatMap((one) => titlesIn(one, isHeld)),
  );
}

function titlesOfCall(call: Node): readonly string[] {
  const [callee] = nodesIn(call['callee']);
  const words = callee === undefined ? [] : calleeWords(callee);
  const isTest = TESTS.includes(words[0] ?? '');
  if (isTest && words.some((word) => IDLE.includes(word))) return [];
  const given = nodesIn(call['arguments']).flatMap((argument, index) =>
    nodesIn(argument['expression']).flatMap((one) => titlesIn(one, isTest && index === 0)),
  );
  // The table of `it.each(table)(title)` is an argument of the callee; its words count where they
  // begin the title.
  const isTable = callee !== undefined && (!isTest || beginsWithTable(call));
  return [...(isTable ? titlesIn(callee, false) : []), ...given];
}

/** Whether the title of a call begins with a word of its table: `%s` or `$name`. */
function beginsWithTable(call: Node): boolean {
  const [title] = nodesIn(call['arguments']).flatMap((argument) => nodesIn(argument['expression']));
  return title?.['type'] !== 'StringLiteral' || /^(?:%s|\$)/.test(String(title['value']));
}

/** `it`, `each` for `it.each(table)`. */
function calleeWords(node: Node): readonly string[] {
  if (node['type'] === 'Identifier') return [String(node['value'])];
  return [
    ...nodesIn(node['object']),
    ...nodesIn(node['callee']),
    ...nodesIn(node['property']),
  ].flatMap(calleeWords);
}

function nodesIn(child: unknown): readonly Node[] {
  const children: readonly unknown[] = Array.isArray(child) ? child : [child];
  return children.filter((one): one is Node => typeof one === 'object' && one !== null);
}

function numbered(text: unknown): readonly string[] {
  return typeof text === 'string' && NUMBERED.test(text) ? [text] : [];
}
