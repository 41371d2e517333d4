import { describe, expect, it } from '@jest/globals';
import { parseMemoryCommand } from '../../../src/memory/commands/parse-memory-command.js';

const FLAGS = { lane: 'untrusted', last: 2, purge: true } as const;

describe('parseMemoryCommand', () => {
  it.each([
    [['show'], { kind: 'show', id: '', lane: 'untrusted', last: 2 }],
    [['show', 'abc'], { kind: 'show', id: 'abc', lane: 'untrusted', last: 2 }],
    [
      ['search', 'race db', '--x'],
      { kind: 'search', words: ['race', 'db', '--x'], lane: 'untrusted', last: 2 },
    ],
    [['forget', 'abc'], { kind: 'forget', id: 'abc', purge: true }],
    [['remember', 'one\ntwo  three', 'four'], { kind: 'remember', text: 'one\ntwo  three four' }],
    [['promote', 'abc'], { kind: 'promote', id: 'abc' }],
  ])('reads %j', (words, command) => {
    expect(parseMemoryCommand(words, { prefix: 'axe-action memory', flags: FLAGS })).toEqual(command);
  });

  it.each([
    ['forget', '`forget` needs `<id>`', 'Usage: `axe-action memory forget <agent> <id>`.'],
    ['forget a b', '`forget` takes one argument, not 2', 'Usage: `axe-action memory forget <agent> <id>`.'],
    ['show a b', '`show` takes one argument, not 2', 'Usage: `axe-action memory show <agent> [id]`.'],
    ['search', '`search` needs `<words>`', 'Usage: `axe-action memory search <agent> <words>`.'],
    ['remember', '`remember` needs `<text>`', 'Usage: `axe-action memory remember <agent> <text>`.'],
  ])('refuses `%s` and shows the correct form', (line, message, remedy) => {
    const parse = () => parseMemoryCommand(line.split(' '), { prefix: 'axe-action memory' });
    expect(parse).toThrow(expect.objectContaining({ message, remedy, exitCode: 1 }));
  });
});
