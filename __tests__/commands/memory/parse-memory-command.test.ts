import { describe, expect, it } from '@jest/globals';
import { isCommentCommand, parseMemoryCommand } from '../../../src/commands/memory/parse-memory-command.js';

describe('parseMemoryCommand', () => {
  it.each([
    ['show', { kind: 'show', id: '', lane: 'trusted', last: 0 }],
    ['show abc --lane=untrusted --last 3', { kind: 'show', id: 'abc', lane: 'untrusted', last: 3 }],
    ['search --last 2 race db', { kind: 'search', words: ['race', 'db'], lane: 'trusted', last: 2 }],
    ['search race --last 2', { kind: 'search', words: ['race', '--last', '2'], lane: 'trusted', last: 0 }],
    ['verify', { kind: 'verify' }],
    ['forget abc', { kind: 'forget', id: 'abc', purge: false }],
    ['forget --purge abc', { kind: 'forget', id: 'abc', purge: true }],
    ['forget abc --purge', { kind: 'forget', id: 'abc', purge: true }],
    ['edit abc', { kind: 'edit', id: 'abc', text: undefined, lane: undefined }],
    ['edit abc --text new --lane untrusted', { kind: 'edit', id: 'abc', text: 'new', lane: 'untrusted' }],
    ['remember use --frozen-lockfile', { kind: 'remember', text: 'use --frozen-lockfile' }],
    ['remember -- --frozen-lockfile', { kind: 'remember', text: '--frozen-lockfile' }],
    ['remember', { kind: 'remember', text: undefined }],
    ['show --', { kind: 'show', id: '', lane: 'trusted', last: 0 }],
    ['promote abc', { kind: 'promote', id: 'abc' }],
    ['export', { kind: 'export', out: '-', all: false, lane: 'trusted' }],
    ['export --all --out folder', { kind: 'export', out: 'folder', all: true, lane: 'trusted' }],
    ['import - --lane untrusted', { kind: 'import', from: '-', lane: 'untrusted' }],
  ])('reads `%s`', (line, command) => {
    expect(parseMemoryCommand(line.split(' '))).toEqual(command);
  });

  it('keeps the line breaks of a text that is one argument', () => {
    expect(parseMemoryCommand(['remember', 'one\ntwo  three'])).toEqual({
      kind: 'remember',
      text: 'one\ntwo  three',
    });
  });

  it.each([
    ['', 'what to do with the memory is missing', '`show [id]'],
    ['bogus', 'unknown memory command "bogus"', '`forget <id> [--purge]`'],
    ['constructor', 'unknown memory command "constructor"', '`verify`'],
    ['forget', '`forget` needs <id>', '`forget <id> [--purge]`'],
    ['import', '`import` needs <file>', '`import <file>'],
    ['forget a b', '`forget` takes one argument, not 2', '`forget <id> [--purge]`'],
    ['forget a --last 3', 'unknown flag: --last', '`forget <id> [--purge]`'],
    ['forget a --purge=perhaps', '`--purge` is "perhaps"', '`forget <id> [--purge]`'],
    ['show --last many', '`--last` is "many"', '`show [id]'],
    ['show --last', 'flag needs an argument: --last', '`show [id]'],
    ['show --lane side', '`--lane` is "side"', '`show [id]'],
    ['search', '`search` needs at least one word', '`search'],
    ['verify all', '`verify` takes no argument', '`verify`'],
    ['export a.md', '`export` takes no argument', '`export'],
  ])('refuses `%s` and shows the correct form', (line, message, remedy) => {
    const parse = () => parseMemoryCommand(line === '' ? [] : line.split(' '));
    expect(parse).toThrow(
      expect.objectContaining({
        message: expect.stringContaining(message),
        remedy: expect.stringContaining(remedy),
        exitCode: 1,
      }),
    );
  });
});

describe('isCommentCommand', () => {
  it.each([
    ['forget abc', true],
    ['remember this', true],
    ['forget abc --purge', false],
    ['remember', false],
    ['show', false],
    ['search x', false],
    ['verify', false],
    ['edit a --text b', false],
    ['promote a', false],
    ['export', false],
    ['import x', false],
  ])('returns for `%s`: %j', (line, expected) => {
    expect(isCommentCommand(parseMemoryCommand(line.split(' ')))).toBe(expected);
  });
});
