import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { readEntries } from '../../../../src/core/memory/commands/entry.js';
import { fieldsOf, formatDraft, parseDraft } from '../../../../src/core/memory/commands/replace.js';

describe('a draft of an entry', () => {
  it('is the two lines of the entry, without heading and provenance', () => {
    expect(formatDraft({ task: 'Look', result: 'one\ntwo' })).toBe('**Task:** Look\n**Result:** one\ntwo\n');
  });

  it('that is unchanged has the same fields, whatever the editor does to line ends', () => {
    const line = fc.string().map((text) => text.replace(/[\r\n]/g, '').trim());
    const result = fc.array(line, { minLength: 1 }).map((lines) => lines.join('\n').trim());
    fc.assert(
      fc.property(line, result, (task, text) => {
        const draft = formatDraft({ task, result: text });
        expect(parseDraft(draft)).toEqual({ task, result: text });
        expect(parseDraft(draft.replaceAll('\n', '\r\n'))).toEqual({ task, result: text });
      }),
    );
  });

  it.each([
    ['**Task:** a\n', { task: 'a', result: '' }],
    ['**Result:** b', { task: '', result: 'b' }],
    ['some words\n', undefined],
    ['', undefined],
  ])('%j is parsed as %j', (text, fields) => {
    expect(parseDraft(text)).toEqual(fields);
  });

  it('of an entry without the two lines has all its text as the result', () => {
    const [entry] = readEntries('## 2026-02-03T04:05:06Z\nnotes\nof mine\n', 'trusted');
    expect(entry === undefined ? undefined : fieldsOf(entry)).toEqual({ task: '', result: 'notes\nof mine' });
  });
});
