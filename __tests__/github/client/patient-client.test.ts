import { describe, expect, it } from '@jest/globals';
import { httpError } from '../../../src/github/client/errors.js';
import { createPatientClient } from '../../../src/github/client/patient-client.js';
import { createFakeGitHubClient, noAbort } from '../../helpers/github-client-fake.js';

const ROUTE = 'POST /repos/{owner}/{repo}/issues';

/** A client that is refused so many times before it is answered, and the pauses that were made. */
function stage(refusals: number, headers: Record<string, string>, maxWaitMs = 70_000) {
  let left = refusals;
  const answer = () => {
    left -= 1;
    if (left >= 0) {
      throw httpError({ asked: ROUTE, status: 403, headers, body: { message: 'secondary rate limit' } });
    }
    return { number: 1 };
  };
  const pauses: number[] = [];
  const fake = createFakeGitHubClient({ [ROUTE]: answer, graphql: answer });
  const clock = { sleep: async (ms: number) => void pauses.push(ms) };
  return { fake, pauses, client: createPatientClient(fake, { clock, maxWaitMs }) };
}

describe('a client that waits', () => {
  it.each([
    ['as long as GitHub says', { 'retry-after': '7' }, [7000, 7000]],
    ['a second where that is nothing', { 'retry-after': '0' }, [1000, 1000]],
  ])('waits %s, and asks again', async (_, headers, expected) => {
    const { client, fake, pauses } = stage(2, headers);
    expect((await client.request(ROUTE, { signal: noAbort() })).body).toEqual({ number: 1 });
    expect(pauses).toEqual(expected);
    expect(fake.requests).toHaveLength(3);
  });

  it('waits for GraphQL too, and a minute where GitHub says nothing', async () => {
    const { client, pauses } = stage(1, {});
    expect(await client.graphql('mutation', { variables: {}, signal: noAbort() })).toEqual({ number: 1 });
    expect(pauses).toEqual([60_000]);
  });

  it.each([
    ['a pause that is too long', 1, { 'retry-after': '3600' }, []],
    ['pauses that are too long together', 2, { 'retry-after': '40' }, [40_000]],
  ])('gives up at %s', async (_, refusals, headers, expected) => {
    const { client, pauses } = stage(refusals, headers);
    const asked = client.request(ROUTE, { signal: noAbort() });
    await expect(asked).rejects.toMatchObject({ reason: 'rate-limited' });
    expect(pauses).toEqual(expected);
  });

  it('does not ask again once it is aborted', async () => {
    const { fake } = stage(1, { 'retry-after': '1' });
    const abort = new AbortController();
    const clock = { sleep: async () => abort.abort(new Error('time is up')) };
    const patient = createPatientClient(fake, { clock, maxWaitMs: 5000 });
    await expect(patient.request(ROUTE, { signal: abort.signal })).rejects.toThrow('time is up');
    expect(fake.requests).toHaveLength(1);
  });

  it('passes on every other error', async () => {
    const client = createPatientClient(createFakeGitHubClient({}), {
      clock: { sleep: () => Promise.reject(new Error('nothing is waited for')) },
      maxWaitMs: 5000,
    });
    await expect(client.request(ROUTE, { signal: noAbort() })).rejects.toMatchObject({ status: 404 });
  });
});
