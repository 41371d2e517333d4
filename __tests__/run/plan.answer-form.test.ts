import { expect, it } from '@jest/globals';
import { ConfigError, ProviderError } from '../../src/lib/errors.js';
import { answerForm } from '../../src/run/plan.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';

const BROKEN = '{"type":"nothing"}';

it('the deadline is reported if it passed while the schema was prepared', async () => {
  const { signal, clock } = dueWhileSleeping(new ProviderError('timeout', 'context deadline exceeded'));
  const deadline = { signal, leftMs: () => 0, limit: () => {} };
  const form = answerForm({ responseFormat: undefined }, BROKEN, { deadline, clock });
  await expect(form).rejects.toThrow('context deadline exceeded');
});

it('the schema is reported if nothing else has ended the run', async () => {
  const { clock } = dueWhileSleeping(new Error('unused'));
  const { signal } = new AbortController();
  const deadline = { signal, leftMs: () => 1000, limit: () => {} };
  const form = answerForm({ responseFormat: undefined }, BROKEN, { deadline, clock });
  await expect(form).rejects.toThrow(ConfigError);
});

/** A clock whose second pause lets a signal abort, as one does whose timer had to wait. */
function dueWhileSleeping(reason: Error) {
  const controller = new AbortController();
  let pauses = 0;
  const sleep = async () => {
    pauses += 1;
    if (pauses === 2) controller.abort(reason);
  };
  return { signal: controller.signal, clock: { ...createFakeClock(), sleep } };
}
