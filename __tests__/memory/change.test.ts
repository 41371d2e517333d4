import { expect, it } from '@jest/globals';
import { applyChange, applyChanges, holdsEntry, isCarriedOut } from '../../src/memory/change.js';
import { append, entryText, plainEntry } from './stores/entries.js';

it('changes of memory pass an empty text to a rewrite of a missing file', () => {
  const seen: string[] = [];
  applyChanges(new Map(), [
    { kind: 'rewrite', path: 'new.md', rewrite: (text) => `${seen.push(text)}` },
  ]);
  expect(seen).toEqual(['']);
});

it('changes of memory create no empty file', () => {
  expect(applyChanges(new Map(), [{ kind: 'facts', path: 'bot.state.md', text: '' }]).size).toBe(0);
});

const whole = entryText('a');
it.each([
  ['a', whole, true],
  ['a', whole.replaceAll('\n', '\r\n'), true],
  ['a', whole.trimEnd(), true],
  ['a', `x\n${whole.slice(whole.indexOf('<!--'))}`, true],
  ['a', entryText('ab'), false],
  ['b', entryText('ab'), false],
  ['a', plainEntry('it names id=a run=1'), false],
  ['a', whole.slice(0, whole.indexOf(' sha=')), false],
  ['a', whole.replace('\n<!--', '\n <!--'), false],
  ['a', whole.replace('v=1', 'v=9'), false],
  ['a b', entryText('a b'), true],
  ['a.b', entryText('a-b'), false],
])('searching for an entry with the id %s in %j: %s', (id, text, held) =>
  expect(holdsEntry(text, append(id))).toBe(held),
);

it('an entry that was cut off anywhere is written again, whatever was added after it (C2 18)', () => {
  const text = entryText('a', 'One paragraph.\n\n- a list\n\nThe end.');
  const change = { ...append('a'), text };
  for (let length = 1; length < text.trimEnd().length; length += 1) {
    const torn = text.slice(0, length);
    expect(applyChange(torn, change)).toBe(`${torn}${torn.endsWith('\n') ? '' : '\n'}${text}`);
    const later = applyChange(torn, append('b'));
    expect(applyChange(later, change)).toBe(later + text);
  }
  expect(applyChange(text.trimEnd(), change)).toBe(text.trimEnd());
});

it('an entry that somebody has changed is not written again', () => {
  const changed = whole.replace('done', 'done, and corrected by hand');
  expect(applyChange(changed, append('a'))).toBe(changed);
});

const note = { kind: 'note', path: 'MEMORY.md', backup: true, id: '1' } as const;
const tree = new Map([['MEMORY.md', 'one\n']]);

it('changes of notes keep the former version if requested', () => {
  const edit = { kind: 'overwrite', text: 'two\n' } as const;
  expect([...applyChanges(tree, [{ ...note, edit }])]).toEqual([
    ['MEMORY.md', 'two\n'],
    ['MEMORY.bak', 'one\n'],
  ]);
  expect([...applyChanges(tree, [{ ...note, backup: false, edit }])]).toEqual([
    ['MEMORY.md', 'two\n'],
  ]);
  expect([...applyChanges(new Map(), [{ ...note, edit }])]).toEqual([['MEMORY.md', 'two\n']]);
});

it('changes of notes leave of a deleted note only its former version', () => {
  const path = 'projects/a/notes/b.md';
  const next = applyChanges(new Map([[path, 'b\n']]), [
    { ...note, path, edit: { kind: 'delete' } },
  ]);
  expect([next.get(path), next.get('projects/a/notes/b.bak')]).toEqual(['', 'b\n']);
});

it('changes of notes change neither note nor former version if they have no effect', () => {
  const before = new Map([...tree, ['MEMORY.bak', 'zero\n']]);
  const edit = { kind: 'append', text: 'one', dedup: true } as const;
  expect([...applyChanges(before, [{ ...note, edit }])]).toEqual([...before]);
});

it.each([
  ['A\nB\nC\n', 'B\nC', true],
  ['A\nB\nC\n', '\nB\n', true],
  ['A\r\nB\r\n', 'A', true],
  ['  A  \n', 'A', true],
  ['anything', ' \n', true],
  ['', 'A', false],
  ['No A\n', 'A', false],
  ['A!\n', 'A', false],
  ['No A\nA\n', 'A', true],
  ['A\nC\nB\n', 'A\nB', false],
])('an append that may have been made to %j of %j: %s', (text, added, made) => {
  const edit = { kind: 'append', text: added, dedup: false } as const;
  const change = { kind: 'note', path: 'MEMORY.md', edit, backup: false, id: '1' } as const;
  expect(isCarriedOut(text, { ...change, again: new Date(0) })).toBe(made);
  expect(isCarriedOut(text, change)).toBe(false);
});
