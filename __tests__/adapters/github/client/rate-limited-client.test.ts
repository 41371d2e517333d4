import { describe, expect, it } from '@jest/globals';
import { type GitHubError, httpError, networkError } from '../../../../src/adapters/github/client/errors.js';
import {
  createRateLimitedClient,
  type RetryPause,
} from '../../../../src/adapters/github/client/rate-limited-client.js';
import { limitTime } from '../../../../src/core/time-limit.js';
import { createFakeGitHubClient, noAbort } from '../../../helpers/github-client-fake.js';
import { createFakeClock } from '../../stores/fake-clock.js';

const GET = 'GET /repos/{owner}/{repo}/issues';
const POST = 'POST /repos/{owner}/{repo}/issues';

const LIMIT = 'You have exceeded a secondary rate limit';

function limited(headers: Readonly<Record<string, string>> = {}, status = 403): GitHubError {
  return httpError({ requestLine: GET, status, headers, body: { message: LIMIT } });
}

const BROKEN = networkError(GET, { code: undefined, message: 'the connection broke' });
const DOWN = httpError({ requestLine: GET, status: 503, headers: {}, body: { message: 'down' } });

/** A client that meets these errors before it is answered; no chance in its pauses. */
function stage(...errors: readonly Error[]) {
  const left = [...errors];
  const answer = () => {
    const error = left.shift();
    if (error !== undefined) throw error;
    return { number: 1 };
  };
  const fake = createFakeGitHubClient({ [GET]: answer, [POST]: answer, graphql: answer });
  const clock = createFakeClock(() => 0);
  const told: RetryPause[] = [];
  const client = createRateLimitedClient(fake, { clock, onPause: (pause) => told.push(pause) });
  return { fake, clock, told, client };
}

function times(count: number, error: Error): readonly Error[] {
  return Array.from({ length: count }, () => error);
}

describe('a rate-limited request', () => {
  it.each([
    ['as long as GitHub says', { 'retry-after': '7' }, [7000, 7000]],
    ['a minute without a value', {}, [60_000]],
    ['longer each time with a useless value', { 'retry-after': '0' }, [1000, 3000, 9000]],
  ])('is repeated after a pause: %s', async (_, headers, pauses) => {
    const { client, fake, clock } = stage(...pauses.map(() => limited(headers)));
    expect((await client.request(POST, { signal: noAbort() })).body).toEqual({ number: 1 });
    expect(clock.slept).toEqual(pauses);
    expect(fake.requests).toHaveLength(pauses.length + 1);
  });

  it.each(['query { x }', 'mutation { x }'])('is repeated by GraphQL: %s', async (query) => {
    const { client, clock } = stage(limited({ 'retry-after': '2' }, 429));
    expect(await client.graphql(query, { variables: {}, signal: noAbort() })).toEqual({ number: 1 });
    expect(clock.slept).toEqual([2000]);
  });

  it('is not repeated a seventh time', async () => {
    const { client, fake } = stage(...times(9, limited({ 'retry-after': '1' })));
    const asked = client.request(GET, {
      signal: limitTime({ clock: createFakeClock(), limitMs: 1e9, signal: noAbort() }).signal,
    });
    await expect(asked).rejects.toMatchObject({ reason: 'rate-limited' });
    expect(fake.requests).toHaveLength(6);
  });
});

describe('a request that failed temporarily', () => {
  it.each([
    ['a read', (client: ReturnType<typeof stage>['client']) => client.request(GET, { signal: noAbort() })],
    [
      'a query',
      (client: ReturnType<typeof stage>['client']) =>
        client.graphql('query { x }', { variables: {}, signal: noAbort() }),
    ],
  ])('is repeated with growing pauses, if it is %s', async (_, ask) => {
    const { client, fake, clock } = stage(BROKEN, DOWN, BROKEN);
    await ask(client);
    expect(clock.slept).toEqual([1000, 3000, 9000]);
    expect(fake.requests).toHaveLength(4);
  });

  it('reports in the end how often it was tried, and in which time', async () => {
    const { client, fake } = stage(...times(9, DOWN));
    await expect(client.request(GET, { signal: noAbort() })).rejects.toMatchObject({
      reason: 'unavailable',
      status: 503,
      message: 'GitHub answered 503 to `GET /repos/{owner}/{repo}/issues`: down (asked 4 times in 13 s)',
      remedy: DOWN.remedy,
    });
    expect(fake.requests).toHaveLength(4);
  });

  it('is not repeated a third time if each answer takes 20 seconds', async () => {
    const { clock } = stage();
    let requests = 0;
    const slow = createFakeGitHubClient({
      [GET]: () => {
        requests += 1;
        clock.advance(20_000);
        throw networkError(GET, { code: undefined, message: 'no answer within 20 s' });
      },
    });
    const client = createRateLimitedClient(slow, { clock });
    await expect(client.request(GET, { signal: noAbort() })).rejects.toMatchObject({
      message: expect.stringContaining('(asked 2 times in 41 s)'),
    });
    expect(requests).toBe(2);
  });

  it.each([
    ['a POST', (client: ReturnType<typeof stage>['client']) => client.request(POST, { signal: noAbort() })],
    [
      'a mutation',
      (client: ReturnType<typeof stage>['client']) =>
        client.graphql(' mutation { x }', { variables: {}, signal: noAbort() }),
    ],
  ])('is not repeated if it is %s, since it might have been carried out', async (_, send) => {
    const { client, fake } = stage(DOWN);
    await expect(send(client)).rejects.toBe(DOWN);
    expect(fake.requests).toHaveLength(1);
  });
});

describe('a pause', () => {
  it('is reported before it starts', async () => {
    const { client, told } = stage(limited({ 'retry-after': '7' }));
    await client.request(GET, { signal: noAbort() });
    expect(told).toMatchObject([{ pauseMs: 7000, error: { reason: 'rate-limited' } }]);
  });

  it.each([
    ['GitHub', 3_600, 100_000],
    ['us', 1, 900],
  ])('is not started if the time of the run ends before that of %s', async (_, retryAfterS, limitMs) => {
    const { client, clock } = stage(limited({ 'retry-after': String(retryAfterS) }));
    const { signal } = limitTime({ clock, limitMs, signal: noAbort() });
    await expect(client.request(GET, { signal })).rejects.toMatchObject({ reason: 'rate-limited' });
    expect(clock.slept).toEqual([]);
  });

  it('lasts at most two minutes if no deadline is known', async () => {
    const { client, clock } = stage(...times(3, limited({ 'retry-after': '50' })));
    await expect(client.request(GET, { signal: noAbort() })).rejects.toMatchObject({
      reason: 'rate-limited',
    });
    expect(clock.slept).toEqual([50_000, 50_000]);
  });

  it('ends with the signal, and no request follows', async () => {
    const abort = new AbortController();
    const { fake } = stage(limited({ 'retry-after': '1' }));
    const clock = { ...createFakeClock(), sleep: async () => abort.abort(new Error('time is up')) };
    const client = createRateLimitedClient(fake, { clock });
    await expect(client.request(GET, { signal: abort.signal })).rejects.toThrow('time is up');
    expect(fake.requests).toHaveLength(1);
  });
});

it.each([404, 401, 422])('a %d is passed on at once', async (status) => {
  const error = httpError({ requestLine: GET, status, headers: {}, body: { message: 'no' } });
  const { client, clock } = stage(error);
  await expect(client.request(GET, { signal: noAbort() })).rejects.toBe(error);
  expect(clock.slept).toEqual([]);
});

it('an error caused by the settings is passed on at once', async () => {
  const mistake = networkError(GET, {
    code: undefined,
    message: 'no password',
    remedy: 'Set it.',
    isMistake: true,
  });
  const { client, clock } = stage(mistake);
  await expect(client.request(GET, { signal: noAbort() })).rejects.toMatchObject({ remedy: 'Set it.' });
  expect(clock.slept).toEqual([]);
});

it('an error that is not from GitHub is passed on', async () => {
  const { client } = stage(new Error('a bug'));
  await expect(client.request(GET, { signal: noAbort() })).rejects.toThrow('a bug');
});
