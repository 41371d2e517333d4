import { describe, expect, it } from '@jest/globals';
import {
  AxeError,
  ConfigError,
  formatError,
  mergeWarnings,
  networkCause,
  warningText,
} from '../../src/lib/errors.js';

it.each([
  [{}, 'bad key'],
  [{ at: { file: 'bot.toml', line: 3, column: 1 } }, 'bad key\n  at bot.toml:3:1'],
  [{ at: { file: 'bot.toml', line: 3 } }, 'bad key\n  at bot.toml:3'],
  [
    { at: { file: 'bot.toml', column: 7 }, remedy: 'Remove `x`.' },
    'bad key\n  at bot.toml\n  Remove `x`.',
  ],
])(
  'an error with %j is shown with place and remedy, each on a line of its own',
  (details, text) => {
    expect(formatError(new ConfigError('bad key', details))).toBe(text);
  },
);

const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });
const failed = (cause: Error) => new TypeError('fetch failed', { cause });
const ours = new AxeError('the proxy is away', {
  remedy: 'Start it.',
  cause: withCode('x', 'ECONNREFUSED'),
});

it.each<[string, unknown, object]>([
  [
    'its own error',
    withCode('refused', 'ECONNREFUSED'),
    { code: 'ECONNREFUSED', message: 'refused' },
  ],
  [
    'what fetch wraps',
    failed(withCode('read', 'ECONNRESET')),
    { code: 'ECONNRESET', message: 'read' },
  ],
  [
    'that of the first of several addresses',
    failed(new AggregateError([withCode('one', 'E1'), withCode('two', 'E2')])),
    { code: 'E1', message: 'one' },
  ],
  ['the text of what is not an error', 'odd', { code: undefined, message: 'odd' }],
  [
    'an error of ours, with its remedy',
    failed(ours),
    { code: undefined, message: 'the proxy is away', remedy: 'Start it.', isMistake: false },
  ],
])('the cause of a broken connection is %s', (_, thrown, cause) => {
  expect(networkCause(thrown)).toEqual(cause);
});

describe('warnings merged for the runner', () => {
  it('contain a remedy once, whichever messages have it', () => {
    const add = 'Add `issues: write` under `permissions:` of the job.';
    const warnings = [
      { message: 'the labels were not set: GitHub answered 403', remedy: add },
      { message: 'no one was assigned: GitHub answered 403', remedy: add },
      { message: 'no one was assigned: GitHub answered 403', remedy: add },
      { message: 'the reaction was not added: GitHub answered 500', remedy: 'Run it again.' },
      { message: 'it was not saved.', remedy: add },
      { message: 'one has no remedy' },
    ];
    const [group] = mergeWarnings(
      warnings.map((warning) => ({ code: 'publish-failed', ...warning })),
    );
    expect(group?.message.split('\n')).toEqual([
      `the labels were not set: GitHub answered 403. ${add}`,
      'no one was assigned: GitHub answered 403.',
      'the reaction was not added: GitHub answered 500. Run it again.',
      'it was not saved.',
      'one has no remedy',
    ]);
  });

  it.each([
    ['axe ends a message without a full stop', 'it failed', 'it failed. Try again.'],
    ['a message can be a whole sentence', 'It failed.', 'It failed. Try again.'],
  ])('have one full stop before the remedy: %s', (_, message, text) => {
    expect(warningText({ message })).toBe(message);
    expect(warningText({ message, remedy: 'Try again.' })).toBe(text);
  });
});
