import { describe, expect, it } from '@jest/globals';
import {
  commandInComment,
  hasSeveralCommands,
  memoryCommandIn,
} from '../../../src/commands/memory/parse-comment.js';
import { comment, issue, pullRequest, SCHEDULE } from '../../helpers/triggers.js';

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
    ['/axe remember We use tabs', ['remember', '--', 'We use tabs']],
    ['/axe remember\nWe use:\n\n- tabs\n- "x"\n', ['remember', '--', 'We use:\n\n- tabs\n- "x"']],
    ['/axe remember --force is never used', ['remember', '--', '--force is never used']],
    ['/axe remember "We use tabs"', ['remember', '--', 'We use tabs']],
    ['/axe remember "a" is not "b"', ['remember', '--', '"a" is not "b"']],
    ['/axe remember', ['remember']],
    ['/axe remember \n ', ['remember']],
    ['/axe show', ['show']],
    ['/axe show 01m8k2', ['show', '01m8k2']],
    ['/axe show --last 3', ['show', '--last', '3']],
    ['/axe edit 01m8k2 We use tabs', ['edit', '01m8k2', 'We', 'use', 'tabs']],
    ['/axe promote 01m8k2', ['promote', '01m8k2']],
    ['/axe verify', ['verify']],
    ['/axe export', ['export']],
    ['/axe show me the tests that fail', ['show', 'me', 'the', 'tests', 'that', 'fail']],
    ['/axe search the docs for timeouts', ['search', 'the', 'docs', 'for', 'timeouts']],
    ['/axe verify that the tests pass', ['verify', 'that', 'the', 'tests', 'pass']],
    ['/axe import lodash instead', ['import', 'lodash', 'instead']],
    ['/axe push', ['push']],
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
    ['/axe forget 01m8k2\n/axe forget 01m8k3', true],
    ['/axe remember We use tabs\r\n\r\n/axe forget 01m8k2', true],
    ['/axe forget 01m8k2\n\n> /axe forget 01m8k3', false],
    ['/axe remember that /axe forget takes an id', false],
    ['/axe forget 01m8k2\n/axe forgetful', false],
  ])('%j holds several: %j', (body, expected) => {
    expect(hasSeveralCommands(comment({ body }))).toBe(expected);
  });
});

describe('the input `memory-command`', () => {
  it.each<[string, readonly string[]]>([
    ['', []],
    ['  \n', []],
    ['show', ['show']],
    ['  show --last 3 \n', ['show', '--last', '3']],
    ['forget 01m8k2 --purge', ['forget', '01m8k2', '--purge']],
    ['edit 01m8k2 --text "We use tabs"', ['edit', '01m8k2', '--text', 'We use tabs']],
    ["edit 01m8k2 --text='We use tabs'", ['edit', '01m8k2', '--text=We use tabs']],
    ['edit 01m8k2 --text="say \\"no\\" to C:\\\\x\\n"', ['edit', '01m8k2', '--text=say "no" to C:\\x\\n']],
    ['edit 01m8k2 --text "two\nlines"', ['edit', '01m8k2', '--text', 'two\nlines']],
    ['edit --text="x" 01m8k2', ['edit', '--text=x', '01m8k2']],
    ['edit 01m8k2 We use tabs, "always"', ['edit', '01m8k2', '--text=We use tabs, "always"']],
    ['edit 01m8k2 "We use tabs"\n', ['edit', '01m8k2', '--text=We use tabs']],
    ['edit 01m8k2', ['edit', '01m8k2']],
    ['search "timing attack" it\'s', ['search', 'timing attack', "it's"]],
    ["search --last 2 'two words'", ['search', '--last', '2', 'two words']],
    ['search ""', ['search', '']],
    ['remember We use tabs', ['remember', '--', 'We use tabs']],
    ['remember "We use tabs"', ['remember', '--', 'We use tabs']],
    ['remember --text "We use tabs"', ['remember', '--', 'We use tabs']],
    ['remember --frozen-lockfile is a must', ['remember', '--', '--frozen-lockfile is a must']],
    ['remember one\n\n  two "x"\n', ['remember', '--', 'one\n\n  two "x"']],
    ["remember it's 'x'", ['remember', '--', "it's 'x'"]],
    ['remember', ['remember']],
    ['export --out memory.md', ['export', '--out', 'memory.md']],
  ])('%j is split into words', (text, words) => {
    expect(memoryCommandIn(text)).toEqual(words);
  });

  it.each(['search "timing attack', 'edit 01m8k2 --text="a', "search 'tis", 'search "a"b', 'search "a\\"'])(
    '%j has an unclosed quote, which is reported',
    (text) => {
      expect(() => memoryCommandIn(text)).toThrow(
        expect.objectContaining({
          message: expect.stringMatching(
            /^the input `memory-command`: a quotation mark is not closed: (?:--text=)?["']/,
          ),
          remedy: 'Close it before a space; inside double quotes write `\\"`.',
          exitCode: 2,
        }),
      );
    },
  );
});
