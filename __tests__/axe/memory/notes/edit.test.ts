import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { editedText, editNote, type NoteEdit } from '../../../../src/axe/memory/notes/edit.js';

function append(text: string, dedup = false): NoteEdit {
  return { kind: 'append', text, dedup };
}

describe('an append to a note', () => {
  it.each([
    ['', 'a', 'a\n'],
    ['a', 'b\n', 'a\nb\n'],
    ['a\n', '\nb', 'a\n\nb\n'],
    ['', '', '\n'],
  ])('to %j of %j makes %j', (before, text, after) => {
    expect(editedText(before, append(text))).toBe(after);
  });

  it('begins an empty note with its head, and no other', () => {
    const edit: NoteEdit = { kind: 'append', text: 'b\n', dedup: false, head: '# Head\n\n' };
    expect(editedText('', edit)).toBe('# Head\n\nb\n');
    expect(editedText('a\n', edit)).toBe('a\nb\n');
  });

  it('keeps blank lines, and leaves out what differs in white space alone', () => {
    expect(editNote('use tabs\n\n', append('# New\n\n  use\ttabs \r\n\nno push', true))).toEqual({
      kind: 'written',
      text: 'use tabs\n\n# New\n\n\nno push\n',
      addedBytes: 15,
      skippedLines: 1,
    });
  });

  it('writes nothing where only blank lines would be left', () => {
    expect(editNote('a\nb\n', append('b\n\na\n', true))).toEqual({ kind: 'duplicate', skippedLines: 2 });
  });

  it.each(['使用制表符', 'タブを使う', 'استخدم علامات الجدولة'])('knows a line of %s again', (line) => {
    expect(editNote(`${line}\n`, append(` ${line} `, true))).toEqual({ kind: 'duplicate', skippedLines: 1 });
  });

  it('leaves every byte that was there, whatever is added', () => {
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

  it('with dedup adds nothing the second time', () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t') });
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (before, added) => {
        const edit = append(added.join('\n'), true);
        const once = editedText(before.join('\n'), edit);
        const plain = (text: string) => text.split('\n').filter((words) => words.trim() !== '');
        expect(plain(editedText(once, edit))).toEqual(plain(once));
      }),
    );
  });
});

describe('a replacement in a note', () => {
  it.each([
    ['', 'a', 0],
    ['abc', 'd', 0],
    ['a b a', 'a', 2],
    ['aaa', 'aa', 2],
    ['abc', '', 0],
  ])('in %j of %j changes nothing: it is there %i times', (text, from, matches) => {
    expect(editNote(text, { kind: 'replace', from, to: 'x' })).toEqual({ kind: 'unmatched', matches });
  });

  it('is no pattern, neither what is looked for nor what is put there', () => {
    expect(editedText('v1x2 v1.2', { kind: 'replace', from: 'v1.2', to: "$& $1 $' \\0" })).toBe(
      "v1x2 $& $1 $' \\0",
    );
  });

  it('finds lines whose ends are those of Windows', () => {
    expect(editedText('a\r\nb\r\nc\r\n', { kind: 'replace', from: 'a\nb\n', to: 'd\ne\n' })).toBe(
      'd\r\ne\r\nc\r\n',
    );
  });

  it('starts with another text only where there is none', () => {
    const edit: NoteEdit = { kind: 'replace', from: 'a', to: 'b', start: 'an a' };
    expect(editNote('', edit)).toEqual({ kind: 'unmatched', matches: 2 });
    expect(editedText('', { ...edit, start: 'one a' })).toBe('one b');
    expect(editedText('x a', { ...edit, start: 'one a' })).toBe('x b');
  });

  it('changes exactly one place or nothing', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\n', '文', '😀') });
    fc.assert(
      fc.property(text, text, text, (before, from, to) => {
        const result = editNote(before, { kind: 'replace', from, to });
        const all = [...Array(before.length).keys()].filter(
          (at) => from !== '' && before.startsWith(from, at),
        );
        if (all.length !== 1) {
          expect(result).toEqual({ kind: 'unmatched', matches: all.length });
          return;
        }
        const [at = 0] = all;
        expect(result).toMatchObject({
          kind: 'written',
          text: before.slice(0, at) + to + before.slice(at + from.length),
        });
      }),
    );
  });
});

describe('other edits of a note', () => {
  it('overwrite it to the byte, and clear it', () => {
    expect(editedText('a\n', { kind: 'overwrite', text: 'new' })).toBe('new');
    expect(editedText('a\n', { kind: 'overwrite', text: '' })).toBe('');
  });

  it('delete it, if it is there', () => {
    expect(editNote('a', { kind: 'delete' })).toEqual({ kind: 'deleted' });
    expect(editNote('', { kind: 'delete' })).toEqual({ kind: 'missing' });
    expect(editedText('a', { kind: 'delete' })).toBe('');
  });
});
