import { describe, expect, it } from '@jest/globals';
import {
  applyChange,
  applyChanges,
  type Change,
  holdsEntry,
  separator,
} from '../../../src/axe/memory/change.js';

const entry = (id: string) => `## t\n<!-- axe-action v=1 id=${id} run=- -->\n\n`;
const append = (id: string, path = 'bot.md'): Change => ({ kind: 'append', path, id, text: entry(id) });

describe('changes of memory', () => {
  it('are applied in order, each to its file', () => {
    const tree = new Map([
      ['bot.md', entry('a')],
      ['kept.md', 'as it is'],
    ]);
    const next = applyChanges(tree, [
      append('b'),
      { kind: 'rewrite', path: 'bot.md', rewrite: (text) => text.toUpperCase() },
      append('c'),
      append('d', 'untrusted/bot.md'),
    ]);
    expect([...next]).toEqual([
      ['bot.md', (entry('a') + entry('b')).toUpperCase() + entry('c')],
      ['kept.md', 'as it is'],
      ['untrusted/bot.md', entry('d')],
    ]);
  });

  it('leave the tree they were given alone', () => {
    const tree = new Map([['bot.md', entry('a')]]);
    applyChanges(tree, [append('b')]);
    expect(tree.get('bot.md')).toBe(entry('a'));
  });

  it('add an entry once, however often they are applied', () => {
    const once = applyChanges(new Map(), [append('a')]);
    expect(applyChanges(once, [append('a'), append('a')])).toEqual(once);
  });

  it.each([
    ['a', 'id=a run', true],
    ['a', 'id=ab run', false],
    ['b', 'id=ab run', false],
  ])('look for the id %s in " %s": %s', (id, text, held) => {
    expect(holdsEntry(`x ${text} y`, id)).toBe(held);
  });

  it('hand an empty text to a rewrite of a file that is not there', () => {
    const seen: string[] = [];
    applyChanges(new Map(), [{ kind: 'rewrite', path: 'new.md', rewrite: (text) => `${seen.push(text)}` }]);
    expect(seen).toEqual(['']);
  });

  it.each([
    ['', ''],
    ['done\n', ''],
    ['cut off', '\n'],
    ['cut off\r', '\n'],
  ])('begin a line of their own after %j', (text, between) => {
    expect(separator(text)).toBe(between);
    expect(applyChange(text, append('a'))).toBe(text + between + entry('a'));
  });
});
