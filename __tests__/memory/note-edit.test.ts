import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { editedText, editNote, type NoteEdit } from '../../src/memory/note-edit.js';

function append(text: string, dedup = false): NoteEdit {
  return { kind: 'append', text, dedup };
}

describe('an append to a note', () => {
  it.each(['使用制表符', 'タブを使う', 'استخدم علامات الجدولة'])(
    'recognizes a line of %s',
    (line) => {
      expect(editNote(`${line}\n`, append(` ${line} `, true))).toEqual({
        kind: 'duplicate',
        skippedLines: 1,
      });
    },
  );

  it('leaves every existing byte, whatever is added', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        fc.boolean(),
        (text, added, dedup) => {
          const after = editedText(text, append(added, dedup));
          expect(after.startsWith(text)).toBe(true);
          expect(after === text || after.endsWith('\n')).toBe(true);
          if (!dedup) expect(after).toContain(added);
        },
      ),
    );
  });
});

describe('dedup (D53)', () => {
  it.each([
    ['code', 'npm ci\n', '```sh\nnpm ci\n```\n'],
    ['JSON', '{\n"a": 1,\n"b": 2\n}\n', '{\n"a": 1,\n"c": 3\n}\n'],
    ['a table', '| a | b |\n|---|---|\n| 1 | 2 |\n', '| c | d |\n|---|---|\n| 1 | 2 |\n'],
    ['a table without outer bars', 'a | b\n--- | ---\n1 | 2\n', 'c | d\n--- | ---\n1 | 2\n'],
    ['lines under a heading', '## api\n- owner: Ann\n', '## web\n- owner: Ann\n'],
    ['an item with something below it', '- a\n- b\n', '- a\n  more of a\n'],
    ['a quote', '> Yes.\n', '> Yes.\n'],
    ['lines of punctuation alone', '---\n***\n);\n', '---\n***\n);\n'],
  ])('leaves %s alone', (_, before, added) => {
    const written = { kind: 'written', text: before + added, skippedLines: 0 };
    expect(editNote(before, append(added, true))).toMatchObject(written);
  });

  it('leaves out, of several, the lines that are known', () => {
    expect(editNote('## api\n- a\n- b', append('- b\n\n- c\n- c\n', true))).toMatchObject({
      text: '## api\n- a\n- b\n\n- c\n',
      skippedLines: 2,
    });
  });
});
