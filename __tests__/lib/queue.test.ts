import { expect, it } from '@jest/globals';
import { createQueue } from '../../src/lib/queue.js';

it('a queue starts a call when the one before has ended, whatever its result', async () => {
  const inTurn = createQueue();
  const steps: string[] = [];
  const work =
    (name: string, fails = false) =>
    async () => {
      steps.push(`${name} begins`);
      await Promise.resolve();
      steps.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    };
  const results = await Promise.allSettled([inTurn(work('a', true)), inTurn(work('b')), inTurn(work('c'))]);
  expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled']);
});
