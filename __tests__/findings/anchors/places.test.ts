import { describe, expect, it } from '@jest/globals';
import { findAnchor, type NamedLines } from '../../../src/findings/decide/anchor.js';
import type { ShownFiles } from '../../../src/findings/decide/evidence.js';
import { HEAD, LINES, lineOf, shownFiles } from './scene.js';

/** The place of a finding, `RIGHT 25-26 exact`, or the reason why it has none. */
function placeOf(named: Partial<NamedLines>, shown: ShownFiles = shownFiles()): string {
  const anchor = findAnchor(
    { path: 'src/ledger.ts', side: 'RIGHT', line: 1, ...named },
    LINES,
    shown,
  );
  if (anchor.kind !== 'found') return anchor.kind;
  const { side, line, startLine, isExact } = anchor;
  const range = startLine === undefined ? `${line}` : `${startLine}-${line}`;
  return `${side} ${range}${isExact ? ' exact' : ''}`;
}

const CLOSE = 'export function close(id, reason, by) {';
const AUDIT = "  audit.write('read', id, store);";
const STORE = "  const store = open('accounts');";
const codeOf = (first: number, last = first) => HEAD.slice(first - 1, last).join('\n');
const OFF = [-25, -10, -3, -1, 1, 3, 10, 25];

it('the file has what is hard to tell apart', () => {
  expect(HEAD).toHaveLength(60);
  const shorts = ['}', 'return null;'].map((text) => {
    return HEAD.filter((line) => line.trim() === text).length;
  });
  expect(shorts).toEqual([12, 4]);
  const numbers = [AUDIT, STORE].map((line) => {
    return [1, 2].map((nth) => lineOf(line.trim(), nth));
  });
  expect(numbers).toEqual([
    [9, 11],
    [8, 39],
  ]);
});

describe('a number that is wrong', () => {
  it.each(OFF)('by %i follows a telling quote that is found once', (by) => {
    expect(placeOf({ line: 25 + by, code: CLOSE })).toBe('RIGHT 25 exact');
  });

  it.each(OFF)('by %i leaves it unclear where a short quote is meant', (by) => {
    expect(placeOf({ line: 28 + by, code: '    return null;' })).toBe('unclear');
  });

  it.each(OFF)('by %i follows three quoted lines', (by) => {
    expect(placeOf({ line: 28 + by, code: codeOf(26, 28) })).toBe('RIGHT 26-28');
  });

  it.each(OFF)('by %i follows a whole range that was quoted', (by) => {
    const range = { startLine: Math.max(1, 25 + by), line: Math.max(2, 26 + by) };
    expect(placeOf({ ...range, code: codeOf(25, 26) })).toBe('RIGHT 25-26 exact');
  });

  it.each<[string, number, string, string]>([
    ['is right at one of two equal lines', 9, AUDIT, 'RIGHT 9'],
    ['is between two equal lines', 10, AUDIT, 'unclear'],
    ['is near both of two equal lines', 6, AUDIT, 'unclear'],
    ['is near one of two equal lines, and far from the other', 10, STORE, 'RIGHT 8'],
    ['is far from both of two equal lines', 24, STORE, 'unclear'],
  ])('%s', (_, line, code, expected) => {
    expect(placeOf({ line, code }, shownFiles(30, 45))).toBe(expected);
  });

  it('moves a range as a whole', () => {
    expect(placeOf({ startLine: 30, line: 33, code: CLOSE })).toBe('RIGHT 22-25');
  });
});

describe('a quote at the right number', () => {
  const LINE = '  audit.write(\'read\', "id", a < b && c);';
  const shown = shownFiles();
  shown.show([{ path: 'src/other.ts', side: 'RIGHT', firstLine: 7, lines: [LINE, '  x();'] }]);

  it.each([
    ['as it is', LINE],
    ['without white space around', LINE.trim()],
    ['with other white space in it', '\taudit.write( \'read\',"id", a<b && c );'],
    ['with the mark of the diff', `+${LINE}`],
    ['with its number', `7: ${LINE}`],
    ['with mark and number', `+7: ${LINE}`],
    ['with its number and a bar', `7| ${LINE}`],
    ['in backticks', `\`${LINE.trim()}\``],
    ['in a fence', `\`\`\`ts\n${LINE}\n\`\`\``],
    ['with empty lines around it', `\n${LINE}\n\n`],
    ['with entities', LINE.replaceAll('&', '&amp;').replaceAll('<', '&lt;')],
    ['with entities and a number', `7: ${LINE.replaceAll('"', '&quot;')}`],
    ['with typographic quotes', LINE.replaceAll("'", '’').replaceAll('"', '“')],
    ['up to an ellipsis', 'audit.write(\'read\', "id"...'],
    ['around an ellipsis', "audit.write('read' … && c);"],
    ['in its first part', LINE.slice(0, 25)],
    ['in its last part', LINE.slice(15)],
    ['with zero bytes between its letters', [...LINE].join('\0')],
  ])('is read %s', (_, code) => {
    expect(placeOf({ path: 'src/other.ts', line: 7, code }, shown)).toMatch(/^RIGHT 7\b/);
  });

  it.each([
    [
      'without what nobody sees',
      "log.info('\u26a0\ufe0f saved', id);",
      "log.info('\u26a0 saved', id);",
    ],
    ['with what nobody sees written out', 'admin\u200b = true;', 'admin<U+200B> = true;'],
  ])('is read as a model is shown it, %s', (_, line, code) => {
    const other = shownFiles();
    other.show([{ path: 'src/other.ts', side: 'RIGHT', firstLine: 7, lines: [line, '  x();'] }]);
    expect(placeOf({ path: 'src/other.ts', line: 7, code }, other)).toMatch(/^RIGHT 7\b/);
  });

  it.each([
    ['has a wrong word', LINE.replace('read', 'write')],
    ['is a short part', 'a < b'],
    ['is an ellipsis behind little', 'audit...'],
    ['goes on behind its end', `${LINE} // yes`],
    ['is in another encoding', LINE.replace('read', 'r\uFFFDad')],
    ['has a megabyte of words', LINE.repeat(2 ** 20 / LINE.length)],
    ['has a megabyte of spaces in front of another word', `${' '.repeat(2 ** 20)}x`],
    ['has a megabyte of ellipses', '...'.repeat(2 ** 20 / 3)],
    ['has a megabyte of ellipses between letters', 'a...'.repeat(2 ** 20 / 4)],
    ['has a megabyte of lines', `${LINE}\n`.repeat(2 ** 20 / LINE.length)],
  ])('is unclear if it %s', (_, code) => {
    expect(placeOf({ path: 'src/other.ts', line: 7, code }, shown)).toBe('unclear');
  });

  it.each([
    ['a brace', 60, '}'],
    ['a short line', 48, 'return null;'],
    ['a short line with its number', 48, ' 48:     return null;'],
  ])('counts although it says little: %s', (_, line, code) => {
    expect(placeOf({ line, code })).toBe(`RIGHT ${line}`);
  });

  it('says no more with its number than without', () => {
    expect(placeOf({ line: 13, code: '12: return null;' })).toBe('unclear');
  });
});

describe('a finding', () => {
  it.each<[string, Partial<NamedLines>, string]>([
    ['without a quote is on its number', { line: 25 }, 'RIGHT 25'],
    ['without a quote keeps its range', { startLine: 25, line: 26 }, 'RIGHT 25-26'],
    ['with an empty quote is on its number', { line: 25, code: '' }, 'RIGHT 25'],
    ['with an empty fence is on its number', { line: 25, code: '```\n\n```' }, 'RIGHT 25'],
    ['without a quote on a line that was not shown', { line: 4000 }, 'unclear'],
    ['far behind the end, where its quote is found', { line: 1e9, code: CLOSE }, 'RIGHT 25 exact'],
    [
      'without a quote, on a range that goes on far behind the end',
      { startLine: 25, line: 1e9 },
      'RIGHT 25-60',
    ],
    [
      'that quotes a line of a range that goes on far behind the end',
      { startLine: 25, line: 1e9, code: CLOSE },
      'RIGHT 25-60',
    ],
    [
      'on a range over two hunks, of which it quotes the last line',
      { startLine: 9, line: 25, code: CLOSE },
      'RIGHT 9-25',
    ],
    [
      'that quotes lines of two hunks, and none of those between',
      { startLine: 14, line: 25, code: `${codeOf(14)}\n${codeOf(25)}` },
      'unclear',
    ],
    ['with a garbled quote', { line: 25, code: 'func close(this, and, that)' }, 'unclear'],
    ['on a reversed range', { startLine: 26, line: 25, code: codeOf(25, 26) }, 'RIGHT 25-26 exact'],
    [
      'that quotes the first line of its range',
      { startLine: 25, line: 28, code: CLOSE },
      'RIGHT 25-28',
    ],
    [
      'that quotes lines of its range',
      { startLine: 22, line: 29, code: codeOf(25, 26) },
      'RIGHT 25-26',
    ],
    [
      'that quotes the last line of its range',
      { startLine: 25, line: 26, code: codeOf(26) },
      'RIGHT 25-26',
    ],
    ['on a removed line', { side: 'LEFT', line: 24, code: '-  const row = find(id);' }, 'LEFT 24'],
    [
      'on an unchanged line, numbered on the left',
      { side: 'LEFT', line: 25, code: codeOf(27) },
      'RIGHT 27 exact',
    ],
    [
      'on an unchanged range, numbered on the left',
      { side: 'LEFT', startLine: 25, line: 26 },
      'RIGHT 27-28',
    ],
    [
      'on an added line, numbered as if removed',
      { side: 'LEFT', line: 25, code: CLOSE },
      'RIGHT 25 exact',
    ],
    [
      'on a removed line, numbered as if added',
      { line: 23, code: 'export function close(id, reason) {' },
      'LEFT 23 exact',
    ],
    [
      'on a line that is there twice, added and removed',
      { line: 26, code: codeOf(26) },
      'RIGHT 26',
    ],
    [
      'of a file under its old path',
      { path: 'src/book.ts', line: 25, code: CLOSE },
      'RIGHT 25 exact',
    ],
    [
      'of a path with a prefix',
      { path: 'b/src/ledger.ts', line: 25, code: CLOSE },
      'RIGHT 25 exact',
    ],
    ['of a path with a dot', { path: './src/ledger.ts', line: 25, code: CLOSE }, 'RIGHT 25 exact'],
    [
      'with Windows line ends',
      { path: 'win.ts', line: 2, code: 'close(first, second);\r\n' },
      'RIGHT 2 exact',
    ],
    [
      'at the end of a file without a last line break',
      { path: 'no-end.ts', line: 2, code: 'end(second, first);' },
      'RIGHT 2 exact',
    ],
    [
      'that quotes the mark of a missing line break',
      { path: 'no-end.ts', line: 2, code: '+end(second, first);\n\\ No newline at end of file' },
      'RIGHT 2 exact',
    ],
    ['of a binary file', { path: 'logo.png', line: 3, code: CLOSE }, 'RIGHT 3'],
    [
      'of a submodule',
      { path: 'lib', line: 1, code: '+Subproject commit 2222222' },
      'RIGHT 1 exact',
    ],
    ['of a file that was only renamed', { path: 'before.ts', line: 3, code: CLOSE }, 'RIGHT 3'],
    ['of a file that nobody has seen', { path: 'src/no.ts', line: 2, code: CLOSE }, 'unseen'],
    ['outside of what was shown', { line: 36, code: '  if (options.dry) {' }, 'unclear'],
    ['with a number that is not one', { line: Number.MAX_SAFE_INTEGER, code: '}' }, 'unclear'],
  ])('%s', (_, named, expected) => {
    expect(placeOf(named)).toBe(expected);
  });

  it('is found on a line outside of the diff that was shown', () => {
    expect(placeOf({ line: 37, code: '  if (options.dry) {' }, shownFiles(30, 40))).toBe(
      'RIGHT 36 exact',
    );
  });
});
