import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { editedText, editNote, type NoteEdit } from '../../../../src/core/memory/notes/edit.js';

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

  it('starts an empty note with its head, and no other', () => {
    const edit: NoteEdit = { kind: 'append', text: 'b\n', dedup: false, head: '# Head\n\n' };
    expect(editedText('', edit)).toBe('# Head\n\nb\n');
    expect(editedText('a\n', edit)).toBe('a\nb\n');
  });

  it('keeps blank lines, and leaves out lines that differ in white space alone under the same heading', () => {
    expect(editNote('use tabs\n\n', append(' use\ttabs \r\n\nno push\n\n# New\n\nuse tabs', true))).toEqual({
      kind: 'written',
      text: 'use tabs\n\n\nno push\n\n# New\n\nuse tabs\n',
      addedBytes: 25,
      skippedLines: 1,
    });
  });

  it('writes nothing if only blank lines would be left', () => {
    expect(editNote('a\nb\n', append('b\n\na\n', true))).toEqual({ kind: 'duplicate', skippedLines: 2 });
  });

  it.each(['使用制表符', 'タブを使う', 'استخدم علامات الجدولة'])('recognizes a line of %s', (line) => {
    expect(editNote(`${line}\n`, append(` ${line} `, true))).toEqual({ kind: 'duplicate', skippedLines: 1 });
  });

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

  it('with dedup adds nothing the second time, of lines that are not indented', () => {
    const line = fc
      .string({ unit: fc.constantFrom('a', 'b', ' ', '\t') })
      .filter((words) => words === words.trimStart());
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

describe('dedup (D53)', () => {
  it.each([
    ['a closing fence', '```sh\nnpm ci\n```\n', '```sh\nnpm test\n```\n'],
    ['a line of code that is text elsewhere', 'npm ci\n', '```sh\nnpm ci\n```\n'],
    ['fences inside longer fences', '````\n```\nx\n```\n````\n', '````\n```\nx\n```\n````\n'],
    ['code without an end', '~~~\nx\n', 'x\nx\n'],
    ['JSON', '{\n  "a": 1,\n  "b": 2\n}\n', '{\n  "a": 1,\n  "c": 3\n}\n'],
    ['JSON without indentation', '{\n"a": 1,\n"b": 2\n}\n', '{\n"a": 1,\n"c": 3\n}\n'],
    ['rules and rows of a table', '| a | b |\n|---|---|\n| 1 | 2 |\n', '| c | d |\n|---|---|\n| 1 | 2 |\n'],
    ['a table without outer bars', 'a | b\n--- | ---\n1 | 2\n', 'c | d\n--- | ---\n1 | 2\n'],
    ['an owner under a second heading', '## api\n- owner: Ann\n', '## web\n- owner: Ann\n'],
    ['one under a heading of the same name', '# api\n## Team\n- Ann\n', '# web\n## Team\n- Ann\n'],
    ['an item with something below it', '- a\n- b\n', '- a\n  more of a\n'],
    ['an item with a paragraph below it', '- a\n- b\n', '- a\n\n    more of a\n'],
    ['an indented line', '    x = 1\n', '    x = 1\n'],
    ['a quote', '> Yes.\n', '> Yes.\n'],
    ['lines of punctuation alone', '---\n***\n);\n', '---\n***\n);\n'],
  ])('leaves %s alone', (_, before, added) => {
    expect(editNote(before, append(added, true))).toMatchObject({
      kind: 'written',
      text: before + added,
      skippedLines: 0,
    });
  });

  it.each([
    ['of several, the lines that are known', '## api\n- a\n- b', '- b\n- c\n', '## api\n- a\n- b\n- c\n'],
    ['a heading that the text is under already', '## api\n- a\n', '## api\n- b\n', '## api\n- a\n- b\n'],
    [
      'a heading with all its lines',
      '## api\n- a\n## web\n- b\n',
      '## api\n- a\n## web\n- c\n',
      '## api\n- a\n## web\n- b\n## web\n- c\n',
    ],
    ['an item whose lines below it are known with it', '- a\n  more\n', '- a\n- b\n', '- a\n  more\n- b\n'],
  ])('leaves out %s', (_, before, added, after) => {
    expect(editedText(before, append(added, true))).toBe(after);
  });

  it('counts a heading that goes with its lines', () => {
    const note = '# Facts\n## api\n- a\n## web\n- b\n';
    expect(editNote(note, append('## api\n\n- a\n', true))).toEqual({ kind: 'duplicate', skippedLines: 2 });
  });

  interface Block {
    readonly kind: 'kept' | 'plain' | 'heading';
    readonly lines: readonly string[];
  }

  const word = fc.constantFrom('use tabs', 'owner: Ann', '日本語', 'a');
  const plain = fc.array(fc.tuple(fc.constantFrom('', '- ', '* ', '1. '), word), {
    minLength: 1,
    maxLength: 4,
  });
  const block: fc.Arbitrary<Block> = fc.oneof(
    plain.map((lines): Block => ({ kind: 'plain', lines: lines.map((parts) => parts.join('')) })),
    fc.constantFrom('# A', '# B', '## A').map((line): Block => ({ kind: 'heading', lines: [line] })),
    fc
      .tuple(fc.constantFrom('```', '~~~~'), fc.array(fc.oneof(word, fc.constantFrom('', '# A', '- a', '}'))))
      .map(([fence, lines]): Block => ({ kind: 'kept', lines: [fence, ...lines, fence] })),
    fc.array(fc.tuple(word, word), { minLength: 1, maxLength: 3 }).map(
      (rows): Block => ({
        kind: 'kept',
        lines: ['| x | y |', '|---|---|', ...rows.map((cells) => `| ${cells.join(' | ')} |`)],
      }),
    ),
    fc
      .array(word, { minLength: 1, maxLength: 3 })
      .map((lines): Block => ({ kind: 'kept', lines: lines.map((line) => `    ${line}`) })),
    fc
      .array(word, { minLength: 1, maxLength: 3 })
      .map((lines): Block => ({ kind: 'kept', lines: ['{', ...lines.map((line) => `"${line}": 1,`), '}'] })),
    fc.constantFrom('---', '***', '...', ');').map((line): Block => ({ kind: 'kept', lines: [line] })),
  );
  const note = fc.array(block, { maxLength: 8 }).filter((blocks) =>
    // What is above an indented block belongs to it, and stays with it.
    blocks.every(({ kind }, at) => kind !== 'plain' || blocks[at + 1]?.lines[0]?.startsWith(' ') !== true),
  );
  const textOf = (blocks: readonly Block[]) => blocks.map(({ lines }) => `${lines.join('\n')}\n\n`).join('');

  /** The plain lines of blocks, each with the headings above it; `under` goes on from block to block. */
  function plainLines(blocks: readonly Block[], under: { a: string; b: string }): readonly string[] {
    return blocks.flatMap(({ kind, lines }) => {
      const [line = ''] = lines;
      if (kind === 'heading') Object.assign(under, line.startsWith('##') ? { b: line } : { a: line, b: '' });
      return kind === 'plain' ? lines.map((each) => `${under.a}/${under.b}/${each}`) : [];
    });
  }

  it('never changes code, tables, indented blocks and punctuation, nor a line under another heading', () => {
    fc.assert(
      fc.property(note, note, (before, added) => {
        const start = textOf(before);
        const after = editedText(start, append(textOf(added), true));
        expect(after.startsWith(start)).toBe(true);
        const rest = after.slice(start.length);
        let from = 0;
        for (const { kind, lines } of added) {
          if (kind !== 'kept') continue;
          const at = rest.indexOf(`${lines.join('\n')}\n`, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + lines.join('\n').length;
        }
        const under = { a: '', b: '' };
        const known = new Set(plainLines(before, under));
        const wanted = plainLines(added, under).filter((line) => !known.has(line));
        const expected = [...new Set(wanted)].map((line) => line.slice(line.lastIndexOf('/') + 1)).sort();
        const outside = added
          .filter(({ kind }) => kind === 'kept')
          .reduce((text, { lines }) => text.replace(`${lines.join('\n')}\n`, '\n'), rest);
        const found = outside.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
        expect(found.sort()).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('other edits of a note', () => {
  it('overwrite it to the byte, and clear it', () => {
    expect(editedText('a\n', { kind: 'overwrite', text: 'new' })).toBe('new');
    expect(editedText('a\n', { kind: 'overwrite', text: '' })).toBe('');
  });

  it('delete it', () => {
    expect(editedText('a', { kind: 'delete' })).toBe('');
  });
});
