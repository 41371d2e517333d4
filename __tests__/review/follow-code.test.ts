import { describe, expect, it } from '@jest/globals';
import { readDiffLines } from '../../src/review/diff-lines.js';
import type { Finding } from '../../src/review/finding.js';
import { followCode } from '../../src/review/follow-code.js';
import { finding, LINES } from './change.js';

describe('a finding that quotes its line', () => {
  it.each<[string, Partial<Finding>, Partial<Finding>]>([
    ['stays if number and code agree', { line: 11, code: 'return user;' }, { line: 11 }],
    ['moves to the line of the code', { line: 14, code: 'return user;' }, { line: 11 }],
    ['moves from outside of the diff to the code', { line: 3, code: 'return user;' }, { line: 11 }],
    ['can quote with other spaces', { line: 3, code: '   return   user;  ' }, { line: 11 }],
    ['can quote the mark of the diff', { line: 3, code: '+return user;' }, { line: 11 }],
    ['can quote a part that is long enough', { line: 3, code: '"SELECT " + user.id' }, { line: 10 }],
    [
      'can quote several lines, of which the last counts',
      { line: 3, code: 'line 9;\nline 11;\n' },
      { line: 12 },
    ],
    ['goes to the other side', { line: 3, code: 'line 51;' }, { line: 51, side: 'LEFT' }],
    ['takes its range along', { line: 14, startLine: 12, code: 'return user;' }, { line: 11, startLine: 9 }],
    [
      'keeps its range within the file',
      { line: 20, startLine: 1, code: 'line 8;' },
      { line: 8, startLine: 1 },
    ],
    [
      'stays outside of the diff with code that is nowhere in it',
      { line: 30, code: 'line 29;' },
      { line: 30 },
    ],
    ['stays if nothing is quoted', { line: 13, code: ' \n' }, { line: 13 }],
    ['stays in a file that is not in the diff', { path: 'x.ts', line: 13, code: 'a' }, { line: 13 }],
  ])('%s', (_, wanted, expected) => {
    const given = finding(wanted);
    expect(followCode(given, LINES)).toEqual({ kind: 'followed', finding: { ...given, ...expected } });
  });

  it.each([
    [1, 2],
    [4, 2],
    [5, 6],
    [9, 6],
  ])('moves from line %i to the nearest line with that code, %i', (line, expected) => {
    const code = ['a', 'same();', 'b', 'c', 'd', 'same();', 'e'].map((one) => `+${one}\n`).join('');
    const lines = readDiffLines(`--- /dev/null\n+++ b/f.ts\n@@ -0,0 +1,7 @@\n${code}`);
    const given = finding({ path: 'f.ts', line, code: 'same();' });
    expect(followCode(given, lines)).toEqual({ kind: 'followed', finding: { ...given, line: expected } });
  });

  it('is refused if the diff has other code on that line', () => {
    expect(followCode(finding({ line: 10, code: 'exec(user.id)' }), LINES)).toEqual({
      kind: 'mismatch',
      actual: 'query("SELECT " + user.id);',
    });
  });
});
