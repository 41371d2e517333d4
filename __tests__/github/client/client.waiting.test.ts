import { describe, expect, it } from '@jest/globals';
import {
  createGitHubClient,
  type GitHubClient,
  type RetryPause,
} from '../../../src/github/client/client.js';
import { startTimeLimit } from '../../../src/lib/clock.js';
import { noAbort } from '../../helpers/github-client-fake.js';
import { createFakeClock, type FakeClock } from '../../memory/stores/fake-clock.js';

const GET = 'GET /user/issues';
const POST = 'POST /user/repos';

/** What a server does in place of an answer. */
type Fault = () => Response;

function answerOf(
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Fault {
  return () => Response.json({ message }, { status, headers });
}

function limited(headers: Readonly<Record<string, string>> = {}, status = 403): Fault {
  return answerOf(status, 'You have exceeded a secondary rate limit', headers);
}

/** A limit that ends 30 s later, by a clock that differs from ours by so many seconds. */
function spent(aheadS: number): Readonly<Record<string, string>> {
  const nowS = Math.floor(createFakeClock().now().getTime() / 1000) + aheadS;
  return {
    date: new Date(nowS * 1000).toUTCString(),
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': String(nowS + 30),
  };
}

const BROKEN: Fault = () => {
  throw new TypeError('fetch failed', {
    cause: Object.assign(new Error('closed'), { code: 'ECONNRESET' }),
  });
};
const DOWN = answerOf(503, 'down');

/** A client that meets these faults before it is answered; no chance in its pauses. */
async function stage(faults: readonly Fault[], clock: FakeClock = createFakeClock(() => 0)) {
  const left = [...faults];
  const asked: string[] = [];
  const told: RetryPause[] = [];
  const client = await createGitHubClient({
    token: 'token-1',
    apiUrl: 'https://api.github.com',
    graphqlUrl: 'https://api.github.com/graphql',
    fetch: async (url) => {
      asked.push(String(url));
      return left.shift()?.() ?? Response.json({ number: 1, data: { number: 1 } });
    },
    userAgent: 'axe-action/test',
    clock,
    onPause: (pause) => told.push(pause),
  });
  return { client, clock, told, asked };
}

async function ask(client: GitHubClient, query: string): Promise<unknown> {
  return await client.graphql(query, { variables: {}, signal: noAbort() });
}

function times(count: number, fault: Fault): readonly Fault[] {
  return Array.from({ length: count }, () => fault);
}

describe('a rate-limited request', () => {
  it.each([
    ['as long as GitHub says', { 'retry-after': '7' }, [7000, 7000]],
    ['a minute without a value', {}, [60_000]],
    ['until the reset, by the clock of GitHub, which is ten minutes ahead', spent(600), [30_000]],
    ['until the reset, by the clock of GitHub, which is ten minutes behind', spent(-600), [30_000]],
    ['longer each time with a useless value', { 'retry-after': '0' }, [1000, 3000, 9000]],
  ])('is repeated after a pause: %s', async (_, headers, pauses) => {
    const { client, asked, clock } = await stage(pauses.map(() => limited(headers)));
    expect((await client.request(POST, { signal: noAbort() })).body).toMatchObject({ number: 1 });
    expect(clock.slept).toEqual(pauses);
    expect(asked).toHaveLength(pauses.length + 1);
  });

  it('is not repeated a seventh time', async () => {
    const { client, asked } = await stage(times(9, limited({ 'retry-after': '1' })));
    const { signal } = startTimeLimit(createFakeClock(), 1e9, noAbort());
    const answer = client.request(GET, { signal });
    await expect(answer).rejects.toMatchObject({ reason: 'rate-limited' });
    expect(asked).toHaveLength(6);
  });
});

describe('a request that failed temporarily', () => {
  it.each([
    ['a read', (client: GitHubClient) => client.request(GET, { signal: noAbort() })],
    ['a query', (client: GitHubClient) => ask(client, 'query { x }')],
  ])('is repeated with growing pauses, if it is %s', async (_, send) => {
    const { client, asked, clock } = await stage([BROKEN, DOWN, BROKEN]);
    await send(client);
    expect(clock.slept).toEqual([1000, 3000, 9000]);
    expect(asked).toHaveLength(4);
  });

  it('reports in the end how often it was tried, and in which time', async () => {
    const { client, asked } = await stage(times(9, DOWN));
    await expect(client.request(GET, { signal: noAbort() })).rejects.toMatchObject({
      reason: 'unavailable',
      status: 503,
      message: 'GitHub answered 503 to `GET /user/issues`: down (asked 4 times in 13 s)',
      remedy: expect.stringContaining('githubstatus'),
    });
    expect(asked).toHaveLength(4);
  });

  it.each([
    ['a POST', (client: GitHubClient) => client.request(POST, { signal: noAbort() })],
    ['a mutation', (client: GitHubClient) => ask(client, ' mutation { x }')],
  ])('is not repeated if it is %s, since it might have been carried out', async (_, send) => {
    const { client, asked } = await stage([DOWN]);
    await expect(send(client)).rejects.toMatchObject({ status: 503 });
    expect(asked).toHaveLength(1);
  });
});

describe('a pause', () => {
  it.each([
    ['GitHub', 3_600, 100_000],
    ['us', 1, 900],
  ])(
    'is not started if the time of the run ends before that of %s',
    async (_, retryAfterS, limitMs) => {
      const { client, clock } = await stage([limited({ 'retry-after': String(retryAfterS) })]);
      const { signal } = startTimeLimit(clock, limitMs, noAbort());
      await expect(client.request(GET, { signal })).rejects.toMatchObject({
        reason: 'rate-limited',
      });
      expect(clock.slept).toEqual([]);
    },
  );

  it('lasts at most two minutes if no deadline is known', async () => {
    const { client, clock } = await stage(times(3, limited({ 'retry-after': '50' })));
    const answer = client.request(GET, { signal: noAbort() });
    await expect(answer).rejects.toMatchObject({ reason: 'rate-limited' });
    expect(clock.slept).toEqual([50_000, 50_000]);
  });

  it('ends with the signal, and no request follows', async () => {
    const abort = new AbortController();
    const clock = { ...createFakeClock(), sleep: async () => abort.abort(new Error('time is up')) };
    const { client, asked } = await stage([limited({ 'retry-after': '1' })], clock);
    await expect(client.request(GET, { signal: abort.signal })).rejects.toThrow('time is up');
    expect(asked).toHaveLength(1);
  });
});

it.each([
  [409, 2],
  [422, 2],
  [401, 1],
  [403, 1],
  [404, 1],
])('a read that GitHub refuses with %i is made %i times', async (status, count) => {
  const { client, asked } = await stage(times(3, answerOf(status, 'Validation Failed')));
  const read = client.request('GET /repos/o/r/commits/new', { signal: noAbort() });
  await expect(read).rejects.toMatchObject({ status });
  expect(asked).toHaveLength(count);
});

describe('the queue of writes', () => {
  /** A client whose every request takes 150 ms; `sent` has the time of each. */
  async function paced(answer: (sent: number) => Response = () => Response.json({ data: {} })) {
    const clock = createFakeClock(() => 0);
    const sent: number[] = [];
    const client = await createGitHubClient({
      token: 'token-1',
      apiUrl: 'https://api.github.com',
      graphqlUrl: 'https://api.github.com/graphql',
      fetch: async () => {
        sent.push(clock.now().getTime());
        clock.advance(150);
        return answer(sent.length);
      },
      userAgent: 'axe-action/test',
      clock,
    });
    return { client, sent };
  }

  /** A review of 45 findings that a push settled: a reply and a mutation for each. */
  async function publish(client: GitHubClient): Promise<void> {
    const { signal } = new AbortController();
    await client.request('POST /repos/o/r/pulls/1/reviews', { signal });
    for (let finding = 0; finding < 45; finding += 1) {
      await client.graphql('mutation { resolve }', { variables: {}, signal });
      await client.request('POST /repos/o/r/pulls/1/comments/2/replies', { signal });
    }
  }

  it('keeps a second between two writes from the eleventh on', async () => {
    const { client, sent } = await paced();
    await publish(client);
    expect(sent).toHaveLength(91);
    const distances = sent.slice(1).map((at, index) => at - (sent[index] ?? 0));
    expect(distances.slice(0, 9)).toEqual(Array(9).fill(150));
    expect(Math.min(...distances.slice(9))).toBeGreaterThanOrEqual(1000);
  });

  it('stays below 80 writes a minute', async () => {
    const { client, sent } = await paced();
    await publish(client);
    const inMinuteFrom = (from: number) =>
      sent.filter((at) => at >= from && at < from + 60_000).length;
    expect(Math.max(...sent.map(inMinuteFrom))).toBeLessThan(80);
  });

  it('loses no write that was refused for coming too quickly', async () => {
    const tooQuickly = { message: 'Validation Failed', errors: [{ code: 'abuse', field: 'base' }] };
    const { client, sent } = await paced((count) =>
      count === 30 ? Response.json(tooQuickly, { status: 422 }) : Response.json({ data: {} }),
    );
    await publish(client);
    expect(sent).toHaveLength(92);
    expect((sent[30] ?? 0) - (sent[29] ?? 0)).toBeGreaterThanOrEqual(60_000);
  });

  it('does not hold back reads', async () => {
    const { client, sent } = await paced();
    await publish(client);
    const before = sent.length;
    await client.request('GET /repos/o/r', { signal: noAbort() });
    await client.graphql('query { x }', { variables: {}, signal: noAbort() });
    expect((sent[before + 1] ?? 0) - (sent[before] ?? 0)).toBe(150);
  });
});
