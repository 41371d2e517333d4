import { expect, it } from '@jest/globals';
import { AxeError, describeCause, networkCause } from '../../src/lib/errors.js';

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

const BROKE = 'the connection broke before the answer was complete';

it.each([
  ['socket hang up', 'ECONNRESET', `${BROKE} (socket hang up)`],
  ['other side closed', 'UND_ERR_SOCKET', `${BROKE} (other side closed)`],
  ['getaddrinfo ENOTFOUND api.example', 'ENOTFOUND', 'getaddrinfo ENOTFOUND api.example'],
])('a cause has a subject in words: %s', (message, code, expected) => {
  expect(describeCause({ code, message })).toBe(expected);
});
