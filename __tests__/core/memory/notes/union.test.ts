import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deletedIds, partIds, uniteNotes } from '../../../../src/core/memory/notes/union.js';

const FACTS = 'MEMORY.md';
const DAY = 'projects/p-12345678/daily/2026-03-01.md';
const NOTE = 'projects/p-12345678/notes/auth.md';
const NONE: ReadonlySet<string> = new Set();

function united(path: string, base: string, other: string, known = NONE): string {
  return uniteNotes(path, { base, other, known }).text;
}

describe('facts and days of two versions', () => {
  it.each([
    ['the other version if there is none', '', '# Facts\n\nA\n', '# Facts\n\nA\n'],
    ['the content if the other is blank', 'A\n', ' \n', 'A\n'],
    ['lines that only the other has, at the end', 'A\nB\n', 'B\nC\nA\nD\n', 'A\nB\nC\nD\n'],
    ['a line without an end', 'A', 'B', 'A\nB\n'],
    ['a line that is part of another', 'No A\n', 'A\n', 'No A\nA\n'],
    [
      'lines under the heading they have',
      '# X\n\nA\n\n# Y\n\nB\n',
      '# X\n\nA\nC\n\n# Y\n\nD\n',
      '# X\n\nA\nC\n\n# Y\n\nB\nD\n',
    ],
    ['a section that is new, with its blank lines', '# X\nA\n', '# Y\n\nB\n\nC\n', '# X\nA\n# Y\n\nB\n\nC\n'],
    ['the same line under two headings', '# X\nyes\n', '# Y\nyes\n', '# X\nyes\n# Y\nyes\n'],
    ['code as a whole', '# X\n```\na\n```\n', '# X\n```\nb\n```\n', '# X\n```\na\n```\n```\nb\n```\n'],
    [
      'entries of the same second',
      '## 14:05:09 UTC\n\ndid A\n\n---\n\n',
      '## 14:05:09 UTC\n\ndid B\n\n---\n\n',
      '## 14:05:09 UTC\n\ndid A\n\n---\ndid B\n\n',
    ],
    [
      'a table of its own below another with the same rule',
      '# X\n| a |\n|---|\n| 1 |\n',
      '# X\n| b |\n|---|\n| 1 |\n',
      '# X\n| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 1 |\n',
    ],
    [
      'an object whose braces another has too',
      'A\n\n{\n  "a": 1\n}\n',
      '{\n  "b": 1\n}\n\nB\n',
      'A\n\n{\n  "a": 1\n}\n\n{\n  "b": 1\n}\n\nB\n',
    ],
    [
      'an item with what is below it',
      '- a\n  see docs\n',
      '- b\n  see docs\n',
      '- a\n  see docs\n- b\n  see docs\n',
    ],
    [
      'an item with its further paragraph',
      '- a\n\n  see docs\n',
      '- a\n\n  see docs\n- b\n\n  see docs\n',
      '- a\n\n  see docs\n- b\n\n  see docs\n',
    ],
    ['headings in code for code', '````\n```\n# Y\n````\n', '# Y\nB\n', '````\n```\n# Y\n````\n# Y\nB\n'],
    ['日本語 and العربية', '日本語\n', 'العربية\n日本語\n', '日本語\nالعربية\n'],
  ])('keep %s', (_, base, other, both) => {
    expect(united(FACTS, base, other)).toBe(both);
    expect(united(DAY, base, other)).toBe(both);
  });

  it('do not restore known lines, and add new ones next to them', () => {
    const known = new Set(partIds(FACTS, 'A\nB\n'));
    expect(united(FACTS, 'C\n', 'A\nB\n', known)).toBe('C\n');
    expect(united(FACTS, '', 'A\nB\nD\n', known)).toBe('D\n');
  });

  it('do not restore a deleted day, unless it continues', () => {
    const known = new Set(deletedIds(DAY, 'A\n', true));
    expect(united(DAY, '', 'A\nB\n', known)).toBe('');
    expect(united(DAY, 'C\n', 'B\n', known)).toBe('C\nB\n');
  });

  it('of a continued day restore what was written since it was deleted', () => {
    const known = new Set(deletedIds(DAY, 'A\n', false));
    expect(united(DAY, '', 'A\n', known)).toBe('');
    expect(united(DAY, '', 'A\nB\n', known)).toBe('B\n');
  });

  it('recognize a file below a lane or a scope by the same ids', () => {
    expect(partIds(`untrusted/${DAY}`, 'A\n')).toEqual(partIds(DAY, 'A\n'));
    expect(partIds(DAY, 'A\n')).not.toEqual(partIds(FACTS, 'A\n'));
  });

  const line = fc.constantFrom('A', 'B', 'C', '日本語', '', '---', '# X', '## Y', '```', 'a  b ');
  const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((one) => `${one}\n`).join(''));

  it('lose no line of either side, and produce the same when merged again', () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        const both = united(FACTS, base, other);
        const lines = new Set(both.split('\n').map((one) => one.trimEnd()));
        for (const one of `${base}${other}`.split('\n')) {
          if (one !== '---') expect(lines).toContain(one.trimEnd());
        }
        expect(both.startsWith(base.trimEnd()) || base.includes('#')).toBe(true);
        const isBalanced = [base, other].every((one) => one.split('```').length % 2 === 1);
        if (isBalanced) expect([united(FACTS, both, base), united(FACTS, both, other)]).toEqual([both, both]);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['---\n', '***\n\n___\n'])(
    'merge nothing from a version with only horizontal rules, %j',
    (other) => {
      expect(partIds(FACTS, other)).toEqual([]);
      expect(united(FACTS, '', other)).toBe('');
    },
  );

  const block = fc.constantFrom(
    'A\n',
    '- b\n',
    '- c\n  more\n',
    '- d\n  more\n',
    '| x |\n|---|\n| 1 |\n',
    '| y |\n|---|\n| 1 |\n',
    '{\n  "a": 1\n}\n',
    '{\n  "b": 1\n}\n',
    '    x = 1\n    y = 1\n',
    '```\nA\n\n# X\n```\n',
    '# X\n',
    '## Y\n',
  );
  const blocks = fc.array(block, { maxLength: 8 });

  it('lose no block of either side: no table, no object, no code, nothing below an item', () => {
    fc.assert(
      fc.property(blocks, blocks, (base, other) => {
        const both = united(FACTS, base.join('\n'), other.join('\n'));
        for (const one of [...base, ...other]) expect(`\n${both}`).toContain(`\n${one}`);
        const again = united(FACTS, both, other.join('\n'));
        expect(again).toBe(both);
      }),
      { numRuns: 2_000 },
    );
  });

  it('merge a version once, whatever happens to it afterwards', () => {
    fc.assert(
      fc.property(text, text, (base, other) => {
        const known = new Set(partIds(FACTS, other));
        expect(united(FACTS, base, other, known)).toBe(base);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a note of two versions', () => {
  it('is the main version, and the other is kept as a backup', () => {
    expect(uniteNotes(NOTE, { base: 'mine', other: 'theirs', known: NONE })).toEqual({
      text: 'mine',
      losing: 'theirs',
    });
  });

  it('has no backup that it contains, or that is known', () => {
    expect(uniteNotes(NOTE, { base: 'mine\ntheirs', other: 'theirs\n', known: NONE })).toEqual({
      text: 'mine\ntheirs',
    });
    const known = new Set(partIds(NOTE, 'theirs'));
    expect(uniteNotes(NOTE, { base: 'mine', other: 'theirs', known })).toEqual({ text: 'mine' });
    expect(uniteNotes(NOTE, { base: '', other: 'theirs', known })).toEqual({ text: '' });
    expect(uniteNotes(NOTE, { base: '', other: 'theirs again', known })).toEqual({ text: 'theirs again' });
  });
});
