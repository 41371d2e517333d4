import { describe, expect, it } from '@jest/globals';
import type { CommentTrigger } from '../../../src/event/trigger.js';
import { readCommand } from '../../../src/run/commands/run-command.js';
import { comment, pullRequest } from '../../helpers/triggers.js';

function read(
  body: string,
  { phrase = '@axe', ...patch }: Partial<CommentTrigger> & { phrase?: string } = {},
) {
  return readCommand(comment({ on: 'pull_request', body, ...patch }), phrase);
}

const IN_THREAD = { event: 'pull_request_review_comment', inReplyTo: 5 };

describe('help', () => {
  it.each([
    '/axe help',
    '/axe',
    '/AXE  Help ',
    '\n\n  /axe\n',
    '/axe help\nThanks.',
    '@axe help',
    'Help @axe',
    '@Axe, help',
  ])('is requested by %j', (body) => {
    expect(read(body)?.verb).toBe('help');
  });

  it('is requested if `/axe` is the phrase, too', () => {
    expect(read('/axe', { phrase: '/axe' })?.verb).toBe('help');
    expect(read('/axe help', { phrase: '/axe' })?.verb).toBe('help');
  });
});

describe('a command, whatever follows it,', () => {
  it.each([
    ['/axe dismiss', 'dismiss', undefined],
    ['/axe dismiss added on purpose', 'dismiss', undefined],
    ['/axe dismiss FQ7K2', 'dismiss', 'FQ7K2'],
    ['/axe dismiss `fq7k2`, we want it so', 'dismiss', 'FQ7K2'],
    ['/axe done', 'done', undefined],
    ['/axe done thanks', 'done', undefined],
    ['/axe done with it?', 'done', undefined],
    ['/axe done FQ7K2', 'done', 'FQ7K2'],
    ['/axe reopen FQ7K2', 'reopen', 'FQ7K2'],
    ['@axe reopen', 'reopen', undefined],
    ['@axe done FQ7K2', 'done', 'FQ7K2'],
  ])('is about a finding in %j', (body, verb, handle) => {
    expect(read(body, IN_THREAD)).toMatchObject({ verb, handle });
  });

  it.each([
    ['/axe fix FQ7K2', { handle: 'FQ7K2', isAll: false }],
    ['@axe fix `fq7k2`', { handle: 'FQ7K2' }],
    ['/axe fix', { handle: undefined, isAll: false }],
    ['/axe fix this', { handle: undefined, isAll: false }],
    ['/axe fix ALL', { isAll: true }],
    ['@axe fix all!', { isAll: true }],
    ['@axe, fix this.', { handle: undefined, isAll: false, isReply: true }],
    ['@axe fix', { handle: undefined, isReply: true }],
  ])('asks for a fix in %j', (body, what) => {
    expect(read(body, IN_THREAD)).toMatchObject({ verb: 'fix', ...what });
  });

  it.each([
    ['/axe test', undefined],
    ['/axe test FQ7K2', 'FQ7K2'],
    ['@axe test fq7k2', 'FQ7K2'],
    ['@axe test', undefined],
  ])('asks for a test in %j', (body, handle) => {
    expect(read(body, IN_THREAD)).toMatchObject({ verb: 'test', handle });
  });

  it.each([
    '@axe test',
    '@axe test the limit',
    '/axe test the limit',
    '@axe fix this',
    '@axe fix it',
    '@axe fix',
    '@axe fix the limit',
    '/axe fix the limit',
    '/axe fix login',
    '@axe fix utf8-bom',
    '@axe fix all of it',
  ])('asks for no fix or test of a finding in %j below a pull request', (body) => {
    expect(read(body)).toBeUndefined();
  });

  it.each([
    ['/axe pause', 'pause'],
    ['/axe pause please', 'pause'],
    ['/AXE Pause  ', 'pause'],
    ['\r\n\n/axe pause\r\nI will rewrite it.', 'pause'],
    ['/axe resume the reviews', 'resume'],
    ['@axe resume', 'resume'],
  ])('is a pause or its end in %j', (body, verb) => {
    expect(read(body)).toEqual({ verb });
  });

  it.each<[string, string, readonly string[]]>([
    ['/axe forget 01m8k2', 'forget', ['01m8k2']],
    ['/axe  forget\t01m8k2  ', 'forget', ['01m8k2']],
    ['\n \n/axe forget 01m8k2\n\nIt was wrong.', 'forget', ['01m8k2']],
    ['   /axe forget `01m8k2`', 'forget', ['01m8k2']],
    ['/Axe Forget "01m8k2"\r\nThanks.', 'forget', ['01m8k2']],
    ['/axe forget 01m8k2 --purge', 'forget', ['01m8k2', '--purge']],
    ['/axe forget\n01m8k2', 'forget', []],
    ['/axe promote 01m8k2', 'promote', ['01m8k2']],
    ['/axe remember We use tabs', 'remember', ['We use tabs']],
    ['/axe remember\nWe use:\n\n- tabs\n- "x"\n', 'remember', ['We use:\n\n- tabs\n- "x"']],
    ['/axe remember --force is never used', 'remember', ['--force is never used']],
    ['/axe remember "We use tabs"', 'remember', ['We use tabs']],
    ['/axe remember "a" is not "b"', 'remember', ['"a" is not "b"']],
    ['/axe remember \n ', 'remember', []],
    ['/axe show', 'show', []],
    ['/axe search the docs', 'search', ['the', 'docs']],
  ])('is over memory in %j', (body, verb, words) => {
    expect(read(body)).toEqual({ verb, words });
  });
});

it.each([
  ['/axe dismiss "New endpoints" it is a stub', 'dismiss', 'it is a stub'],
  ['/axe Dismiss “New endpoints”', 'dismiss', ''],
  ['/axe reopen "New endpoints"', 'reopen', ''],
])(
  'a name in quotes is that of a check below a pull request, and a reason in a thread: %s',
  (...row) => {
    const [body, verb, reason] = row;
    expect(read(body)).toMatchObject({ verb, check: 'New endpoints', why: reason });
    expect(read(body, IN_THREAD)).toMatchObject({ verb, handle: undefined });
  },
);

it('a finding in quotes is no check', () => {
  expect(read('/axe dismiss "FQ7K2" why')).toMatchObject({ verb: 'dismiss', handle: 'FQ7K2' });
});

it('a reply in a set phrase dismisses what its conversation holds, and nothing elsewhere', () => {
  expect(read('Not a bug.', IN_THREAD)).toMatchObject({ verb: 'dismiss', isReply: true });
  expect(read('Not a bug.')).toBeUndefined();
});

it.each([
  ['/axe revew', '/axe review'],
  ['/axe reveiw full', '/axe review full'],
  ['/axe reviews', '/axe review'],
  ['/axe hlep', '/axe help'],
  ['/axe puase', '/axe pause'],
  ['/axe resme', '/axe resume'],
  ['/axe forgt 01m8k2', '/axe forget 01m8k2'],
  ['/axe dismis FQ7K2', '/axe dismiss FQ7K2'],
  ['/axe tests FQ7K2', '/axe test FQ7K2'],
  ['/axe test FQ7K2 please', '/axe test FQ7K2'],
  ['/axe reopne', '/axe reopen'],
  ['@axe revew', '/axe review'],
])('a mistyped command %j is corrected to %j', (body, meant) => {
  for (const phrase of ['', '@axe', '/axe']) {
    if (body.startsWith('@') && phrase !== '@axe') continue;
    expect(read(body, { phrase })).toMatchObject({ verb: 'mistyped', meant });
  }
});

it.each([
  '@axe why does this fail?',
  '@axe help me with the cache',
  '@axe Resume the discussion of yesterday',
  '@axe review',
  '@axe',
  '/axe why does this fail?',
  '/axe review',
  '/axe review full',
  '/axe forgetful as you are: what is new?',
  '/axe forget-me-not',
  '/axe forget_01m8k2',
  '/axeforget 01m8k2',
  '/axe\nforget 01m8k2',
  'axe forget 01m8k2',
  'Please:\n/axe forget 01m8k2',
  '- /axe forget 01m8k2',
  '```\n/axe forget 01m8k2\n```',
  '\n    /axe forget 01m8k2',
  '\t/axe forget 01m8k2',
  '<!-- x -->/axe forget 01m8k2',
  '/axe constructor 01m8k2',
  '@axe remember that',
  '@axe done with this?',
  '@axe pause the tests',
  '/axe explain',
  '/axe\nWhy does this fail?',
  'Please /axe help',
  'Please /axe pause',
  '    /axe pause',
  '/axe pauses on Sundays',
  '/axe format it',
  '/axe rename foo',
  '> /axe pause',
  '> /axe help',
  '    /axe help',
  '`/axe help`',
  '/axes',
  '/axe-help',
  'I need help.',
  '',
])('a comment for the agent is not a command: %j', (body) => {
  expect(read(body)).toBeUndefined();
});

it('a comment for the agent is every event that is not a comment', () => {
  expect(readCommand(pullRequest({ body: '/axe help' }), '@axe')).toBeUndefined();
});
