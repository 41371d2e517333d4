import { expect, it } from '@jest/globals';
import { fetchJobLog, tailOf } from '../../../src/github/reading/failing-checks.js';
import { HELLO, noAbort } from '../../helpers/github-client-fake.js';
import { startHello } from '../hello-fixture.js';

const AT = '2026-01-02T03:04:05.1234567Z ';

it.each([
  ['the last lines', 'a\nb\nc\n', 2, 'b\nc', 3],
  ['all of a short log', 'a\r\nb', 5, 'a\nb', 2],
  ['no times and colours', `\uFEFF${AT}\u001b[36;1mnpm test\u001b[0m\n${AT}done\n`, 9, 'npm test\ndone', 2],
  [
    'what leads to the last error',
    'x\na\n##[error]one\nb\n##[error]two\nPost job cleanup.\n',
    3,
    '##[error]one\nb\n##[error]two',
    6,
  ],
])('a job log keeps %s', (_, log, maxLines, text, linesTotal) => {
  expect(tailOf(log, maxLines)).toEqual({ kind: 'tail', text, linesTotal });
});

it('a missing job log is reported with the reason', async () => {
  const { client } = await startHello();
  expect(await fetchJobLog(client, HELLO, 6, 1, noAbort())).toEqual({
    kind: 'unavailable',
    message: expect.stringMatching(/404.*add `actions: read` under `permissions:`/),
  });
});
