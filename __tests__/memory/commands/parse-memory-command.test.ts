import { describe, expect, it } from '@jest/globals';
import { COMMENT_COMMANDS } from '../../../src/event/comment-commands.js';
import {
  commandInComment,
  hasSeveralCommands,
  isCommentCommand,
  parseMemoryCommand,
} from '../../../src/memory/commands/parse-memory-command.js';
import { comment, issue, pullRequest, SCHEDULE } from '../../helpers/triggers.js';

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

it('comments have what `/axe help` lists of memory, and nothing that shows any of it', () => {
  const all = ['show', 'search', 'remember', 'forget', 'promote'];
  const listed = COMMENT_COMMANDS.map(({ name }) => name).filter((name) => all.includes(name));
  expect(all.filter(isCommentCommand).sort()).toEqual(listed.sort());
  expect(listed).not.toContain('show');
});

describe('a comment', () => {
  it.each<[string, readonly string[]]>([
    ['/axe forget 01m8k2', ['forget', '01m8k2']],
    ['/axe  forget\t01m8k2  ', ['forget', '01m8k2']],
    ['\n \n/axe forget 01m8k2\n\nIt was wrong.', ['forget', '01m8k2']],
    ['   /axe forget 01m8k2', ['forget', '01m8k2']],
    ['/axe forget `01m8k2`', ['forget', '01m8k2']],
    ['/axe forget "01m8k2"\r\nThanks.', ['forget', '01m8k2']],
    ['/Axe Forget 01m8k2', ['forget', '01m8k2']],
    ['/axe forget 01m8k2 --purge', ['forget', '01m8k2', '--purge']],
    ['/axe forget', ['forget']],
    ['/axe forget\n01m8k2', ['forget']],
    ['/axe forget about it', ['forget', 'about', 'it']],
    ['/axe promote 01m8k2', ['promote', '01m8k2']],
    ['/axe remember We use tabs', ['remember', 'We use tabs']],
    ['/axe remember\nWe use:\n\n- tabs\n- "x"\n', ['remember', 'We use:\n\n- tabs\n- "x"']],
    ['/axe remember --force is never used', ['remember', '--force is never used']],
    ['/axe remember "We use tabs"', ['remember', 'We use tabs']],
    ['/axe remember "a" is not "b"', ['remember', '"a" is not "b"']],
    ['/axe remember', ['remember']],
    ['/axe remember \n ', ['remember']],
    ['/axe show', ['show']],
    ['/axe search the docs for timeouts', ['search', 'the', 'docs', 'for', 'timeouts']],
  ])('%j holds a command', (body, words) => {
    expect(commandInComment(comment({ body }))).toEqual(words);
  });

  it.each([
    '/axe forgetful',
    '/axe forget-me-not',
    '/axe forget_01m8k2',
    '/axes forget 01m8k2',
    '/axeforget 01m8k2',
    '/axe',
    '/axe\nforget 01m8k2',
    'axe forget 01m8k2',
    'Please /axe forget 01m8k2',
    'Please:\n/axe forget 01m8k2',
    '> /axe forget 01m8k2',
    '- /axe forget 01m8k2',
    '`/axe forget 01m8k2`',
    '```\n/axe forget 01m8k2\n```',
    '    /axe forget 01m8k2',
    '\n    /axe forget 01m8k2',
    '\t/axe forget 01m8k2',
    '<!-- x -->/axe forget 01m8k2',
    '/axe verify that the tests pass',
    '/axe constructor 01m8k2',
    '',
  ])('%j holds none', (body) => {
    expect(commandInComment(comment({ body }))).toBeUndefined();
  });

  it.each([issue({ body: '/axe forget 01m8k2' }), pullRequest({ body: '/axe forget 01m8k2' }), SCHEDULE])(
    'is the only event that can hold one: %j',
    (trigger) => {
      expect(commandInComment(trigger)).toBeUndefined();
      expect(hasSeveralCommands(trigger)).toBe(false);
    },
  );

  it.each([
    ['/axe forget 01m8k2\n/axe promote 01m8k3', true],
    ['/axe remember We use tabs\r\n\r\n/axe forget 01m8k2', true],
    ['/axe forget 01m8k2\n\n> /axe forget 01m8k3', false],
    ['/axe remember that /axe forget takes an id', false],
    ['/axe forget 01m8k2\n/axe forgetful', false],
  ])('%j holds several: %j', (body, expected) => {
    expect(hasSeveralCommands(comment({ body }))).toBe(expected);
  });
});
