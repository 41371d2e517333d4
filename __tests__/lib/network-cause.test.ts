import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import { describeCause, networkCause } from '../../src/lib/network-cause.js';

function withCode(message: string, code: string): Error {
  return Object.assign(new Error(message), { code });
}

describe('the cause of a broken connection', () => {
  it.each<[string, unknown, string | undefined, string]>([
    ['is its own error', withCode('connect refused', 'ECONNREFUSED'), 'ECONNREFUSED', 'connect refused'],
    [
      'is inside of what fetch throws',
      new TypeError('fetch failed', { cause: withCode('read', 'ECONNRESET') }),
      'ECONNRESET',
      'read',
    ],
    [
      'is the first of several addresses',
      new TypeError('fetch failed', {
        cause: new AggregateError([withCode('one', 'E1'), withCode('two', 'E2')]),
      }),
      'E1',
      'one',
    ],
    ['is the text of what is not an error', 'odd', undefined, 'odd'],
  ])('%s', (_, thrown, code, message) => {
    expect(networkCause(thrown)).toEqual({ code, message });
  });

  it('is an error of ours, with its remedy', () => {
    const ours = new AxeError('the proxy is away', {
      remedy: 'Start it.',
      cause: withCode('x', 'ECONNREFUSED'),
    });
    expect(networkCause(new TypeError('fetch failed', { cause: ours }))).toEqual({
      code: undefined,
      message: 'the proxy is away',
      remedy: 'Start it.',
      isMistake: false,
    });
  });

  it.each([
    ['socket hang up', 'ECONNRESET', 'the connection broke before the answer was complete (socket hang up)'],
    [
      'other side closed',
      'UND_ERR_SOCKET',
      'the connection broke before the answer was complete (other side closed)',
    ],
    ['getaddrinfo ENOTFOUND api.example', 'ENOTFOUND', 'getaddrinfo ENOTFOUND api.example'],
  ])('has a subject in words: %s', (message, code, expected) => {
    expect(describeCause({ code, message })).toBe(expected);
  });
});
