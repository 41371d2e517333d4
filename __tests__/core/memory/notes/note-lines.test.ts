import { describe, expect, it } from '@jest/globals';
import { readNoteLines } from '../../../../src/core/memory/notes/note-lines.js';

function kinds(text: string, openCode: 'is-code' | 'is-text' = 'is-code') {
  return readNoteLines(text.split('\n'), openCode).map(({ kind }) => kind);
}

describe('the lines of a note', () => {
  it.each([
    ['use tabs\n- [ ] a\n2. b\n**bold** 日本', ['plain', 'plain', 'plain', 'plain']],
    ['# A\n####### no heading\n#hashtag', ['heading', 'plain', 'plain']],
    ['- a\n  b\n- c', ['parent', 'block', 'plain']],
    ['- a\n\n  b\n\ntext\n\n    code', ['parent', 'blank', 'block', 'blank', 'plain', 'blank', 'block']],
    ['Title\n---\ntext\n\n---', ['parent', 'block', 'plain', 'blank', 'block']],
    ['a\n| b |\nc\n\nd', ['block', 'block', 'block', 'blank', 'plain']],
    ['{\n"a": 1\n}', ['block', 'block', 'block']],
    ['```\n# x\n\n~~~\n```\ny', ['code', 'code', 'code', 'code', 'code', 'plain']],
    ['````md\n```\n````', ['code', 'code', 'code']],
    ['``` not `code`', ['plain']],
    ['- a\n  ```\n  x\n  ```', ['parent', 'code', 'code', 'code']],
  ])('%j are %j', (text, expected) => {
    expect(kinds(text)).toEqual(expected);
  });

  it('after a fence without an end are code, unless two notes might meet there', () => {
    expect(kinds('a\n```\nb')).toEqual(['parent', 'code', 'code']);
    expect(kinds('a\n\n```\n\nb', 'is-text')).toEqual(['plain', 'blank', 'block', 'blank', 'plain']);
  });

  it('are identified by the headings above them', () => {
    const lines = readNoteLines('a\n# A\nb\n### C\nc\n## B  \nd\n# D'.split('\n'), 'is-code');
    expect(lines.map(({ under }) => under)).toEqual([
      '',
      '# A',
      '# A',
      '# A\n### C',
      '# A\n### C',
      '# A\n## B',
      '# A\n## B',
      '# D',
    ]);
  });
});
