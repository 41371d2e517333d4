import { expect, it } from '@jest/globals';
import { once } from '../../../src/github/reading/reader.js';
import { noAbort } from '../../helpers/github-client-fake.js';

it('many concurrent callers cause one request', async () => {
  let asked = 0;
  const ask = once(async () => {
    asked += 1;
    return asked;
  });
  expect(await Promise.all([ask(noAbort()), ask(noAbort())])).toEqual([1, 1]);
  expect(await ask(noAbort())).toBe(1);
});

it('a failed request is repeated for the next caller', async () => {
  let asked = 0;
  const ask = once(async () => {
    asked += 1;
    if (asked === 1) throw new Error('not yet');
    return asked;
  });
  await expect(ask(noAbort())).rejects.toThrow('not yet');
  expect(await ask(noAbort())).toBe(2);
});
