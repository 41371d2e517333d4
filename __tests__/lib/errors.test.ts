import { describe, expect, it } from '@jest/globals';
import {
  AxeError,
  ConfigError,
  formatError,
  networkCause,
  ProviderError,
  sourcePosition,
} from '../../src/lib/errors.js';

describe('errors', () => {
  it('exit with 1 by default, and with 2 for a wrong configuration', () => {
    expect(new AxeError('no').exitCode).toBe(1);
    expect(new AxeError('no', { exitCode: 3 }).exitCode).toBe(3);
    expect(new ConfigError('no').exitCode).toBe(2);
    expect(new ConfigError('no', { exitCode: 1 }).exitCode).toBe(1);
  });

  it('of a provider exit with 3, or with 1 for a bad request (axe-behaviour §12)', () => {
    expect(new ProviderError('server', 'boom')).toMatchObject({ message: 'server: boom', exitCode: 3 });
    expect(new ProviderError('bad_request', 'boom').exitCode).toBe(1);
  });

  it.each([
    ['the message alone', {}, 'bad key'],
    ['with the place', { at: { file: 'bot.toml', line: 3, column: 1 } }, 'bad key\n  at bot.toml:3:1'],
    [
      'with place and remedy, each on a line of its own',
      { at: { file: 'bot.toml' }, remedy: 'Remove `x`.' },
      'bad key\n  at bot.toml\n  Remove `x`.',
    ],
  ])('are formatted as %s', (_, details, text) => {
    expect(formatError(new ConfigError('bad key', details))).toBe(text);
  });
});

it.each([
  [{ file: 'bot.toml' }, 'bot.toml'],
  [{ file: 'bot.toml', line: 3 }, 'bot.toml:3'],
  [{ file: 'bot.toml', column: 7 }, 'bot.toml'],
])('the position %j is written as %s', (position, text) => {
  expect(sourcePosition(position)).toBe(text);
});

const withCode = (message: string, code: string) => Object.assign(new Error(message), { code });
const failed = (cause: Error) => new TypeError('fetch failed', { cause });
const ours = new AxeError('the proxy is away', { remedy: 'Start it.', cause: withCode('x', 'ECONNREFUSED') });

it.each<[string, unknown, object]>([
  ['its own error', withCode('refused', 'ECONNREFUSED'), { code: 'ECONNREFUSED', message: 'refused' }],
  ['what fetch wraps', failed(withCode('read', 'ECONNRESET')), { code: 'ECONNRESET', message: 'read' }],
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
