import { describe, expect, it } from '@jest/globals';
import {
  anchorOf,
  carry,
  carryTarget,
  formatAnchor,
  parseAnchor,
} from '../../../src/core/findings/anchor.js';
import { codeId } from '../../../src/core/findings/code.js';
import { readDiffLines } from '../../../src/core/review/diff-lines.js';

const OLD = lines('function find(id) {', '  const db = open();', '  return db.get(id);', '}', '', 'close();');

describe('carry', () => {
  it.each([
    [
      'stays where nothing changed',
      ['function find(id) {', '  const db = open();', '  return db.get(id);', '}'],
      3,
    ],
    [
      'follows a line that moved',
      ['// new', '// new', 'function find(id) {', '  const db = open();', '  return db.get(id);'],
      5,
    ],
    ['follows a line that was indented', ['if (db) {', '      return db.get(id);', '}'], 2],
    [
      'prefers the same surroundings to the nearest line',
      ['', '', 'return db.get(id);', '', '  const db = open();', '  return db.get(id);', '}'],
      6,
    ],
    ['takes the nearest of equal ones', ['', 'return db.get(id);', '', '', 'return db.get(id);'], 2],
  ])('%s', (_, now, line) => {
    expect(carry(anchorOf(OLD, 3), 3, carryTarget(lines(...now)))).toMatchObject({ kind: 'stands', line });
  });

  it.each([
    ['above', ['x', 'function find(id) {', '  const db = open();', '  return cache.get(id);'], 4],
    ['below, unless that says nothing', ['x', 'y', 'z', 'return cache.get(id);', '}'], undefined],
    ['of nothing that is left', ['x', 'y'], undefined],
  ])('tells where a line was that is gone from the line %s', (_, now, line) => {
    expect(carry(anchorOf(OLD, 3), 3, carryTarget(lines(...now)))).toEqual({ kind: 'gone', line });
  });

  it('tells where a line was from the line below it', () => {
    const anchor = anchorOf(OLD, 5);
    expect(carry(anchor, 5, carryTarget(lines('a', 'b', 'c', 'open();', 'close();')))).toEqual({
      kind: 'gone',
      line: 4,
    });
  });

  it('follows a closing brace only by what is around it', () => {
    const anchor = anchorOf(OLD, 4);
    const now = lines('}', '', 'x', '  return db.get(id);', '}');
    expect(carry(anchor, 4, carryTarget(now))).toMatchObject({ kind: 'stands', line: 5 });
    expect(carry(anchor, 4, carryTarget(lines('x', 'y', '}')))).toMatchObject({ kind: 'gone' });
  });

  it('prefers the hunk of the same function', () => {
    const now = lines('return x;', 'a', 'b', 'return x;');
    const anchor = anchorOf(lines('return x;'), 1, 'function two() {');
    const headingOf = (line: number): string => (line > 2 ? 'function two() {' : 'function one() {');
    expect(carry(anchor, 1, carryTarget(now, headingOf))).toMatchObject({ line: 4 });
    expect(carry(anchor, 1, carryTarget(now))).toMatchObject({ line: 1 });
  });

  it('finds nothing for a line that was never known', () => {
    expect(carry(anchorOf(OLD, 99), 99, carryTarget(OLD))).toEqual({ kind: 'gone', line: undefined });
  });

  it('works on the lines of a diff', () => {
    const diff =
      '--- a/a.ts\n+++ b/a.ts\n@@ -50,3 +50,4 @@\n const db = open();\n+log(db);\n return db.get(id);\n }\n';
    const file = readDiffLines(diff).get('a.ts');
    expect(carry(anchorOf(OLD, 3), 3, carryTarget(file?.RIGHT ?? lines()))).toEqual({
      kind: 'stands',
      line: 52,
      text: 'return db.get(id);',
    });
  });
});

describe('an anchor', () => {
  it.each([1, 3, 5, 99])('is read as it was written, at line %d', (line) => {
    const anchor = anchorOf(OLD, line, line === 3 ? 'function find(id) {' : '');
    expect(parseAnchor(formatAnchor(anchor))).toEqual(anchor);
  });

  it('knows a telling line by the id that findings are compared by', () => {
    expect(anchorOf(OLD, 3).code).toBe(codeId('return db.get(id);'));
  });

  it.each(['', 'abc', '....', '0123456789abcdef.zz..', '0123456789abcdef'])('is not read from %p', (word) => {
    expect(parseAnchor(word)).toBeUndefined();
  });
});

function lines(...texts: readonly string[]): ReadonlyMap<number, { readonly text: string }> {
  return new Map(texts.map((text, index) => [index + 1, { text }]));
}
