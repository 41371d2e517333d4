import type { Clock } from '../../src/lib/clock.js';

/**
 * What GitHub publishes of its limits for a job's token (docs.github.com: "Rate limits for the REST API"), and how long an
 * answer takes. Every request that changes something counts as content.
 */
const LIMITS = { requestsAnHour: 1000, contentAMinute: 80, contentAnHour: 500, readMs: 250, writeMs: 600 };

const START_MS = Date.UTC(2026, 1, 3, 4, 5, 6);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Promises of several libraries lie between an answer and what is done with it. */
const TURNS = 3;

/**
 * A fetch to a server on loopback as if GitHub were there, with its latency and its limits, and the time that all runs share and
 * that nobody waits for: it moves on to whoever has to be woken next. `random` is the only chance in it.
 */
export function limitGitHub(random: () => number) {
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  let nowMs = START_MS;
  let working = 0;
  let ids = 0;
  const counts = { requests: 0 };
  const content: number[] = [];
  const hour = { endsMs: START_MS + HOUR_MS, requests: 0 };

  function add(ms: number, wake: () => void) {
    const sleeper = { atMs: nowMs + ms, wake };
    sleepers.add(sleeper);
    return sleeper;
  }

  const clock: Clock = {
    now: () => new Date(nowMs),
    random,
    newId() {
      ids += 1;
      return `id${String(ids).padStart(6, '0')}`;
    },
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal?.aborted === true) return resolve();
        const sleeper = add(ms, end);
        signal?.addEventListener('abort', end, { once: true });
        function end(): void {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', end);
          resolve();
        }
      }),
    timer(ms) {
      const controller = new AbortController();
      const sleeper = add(ms, () => controller.abort());
      return { signal: controller.signal, clear: () => void sleepers.delete(sleeper) };
    },
  };

  /** Lets time pass until all of this is done. */
  async function run<T>(work: readonly Promise<T>[]): Promise<readonly T[]> {
    let isDone = false;
    const all = Promise.all(work).finally(() => {
      isDone = true;
    });
    all.catch(() => {});
    while (!isDone) {
      for (let turn = 0; turn < TURNS || working > 0; turn += 1) await immediate();
      // Of those with the same time the first.
      const [next] = [...sleepers].sort((a, b) => a.atMs - b.atMs);
      if (next === undefined || isDone) continue;
      sleepers.delete(next);
      nowMs = Math.max(nowMs, next.atMs);
      next.wake();
    }
    return await all;
  }

  /** For how long a request is refused; undefined if it is not. */
  function refusedMs(isContent: boolean): number | undefined {
    counts.requests += 1;
    if (nowMs >= hour.endsMs) Object.assign(hour, { endsMs: nowMs + HOUR_MS, requests: 0 });
    if (hour.requests >= LIMITS.requestsAnHour) return hour.endsMs - nowMs;
    hour.requests += 1;
    if (!isContent) return undefined;
    const since = (ms: number) => content.filter((atMs) => atMs > nowMs - ms).length;
    if (since(HOUR_MS) >= LIMITS.contentAnHour) return HOUR_MS;
    if (since(MINUTE_MS) >= LIMITS.contentAMinute) return MINUTE_MS;
    content.push(nowMs);
    return undefined;
  }

  /** Work of the real world, which virtual time waits for; with its body, so that it need not wait for what reads that. */
  async function reallyFetch(...request: Parameters<typeof fetch>): Promise<Response> {
    working += 1;
    try {
      const answer = await fetch(...request);
      const body = await answer.arrayBuffer();
      const { status, headers } = answer;
      return new Response(body.byteLength === 0 ? null : body, { status, headers });
    } finally {
      working -= 1;
    }
  }

  const limitedFetch: typeof fetch = async (input, init) => {
    const isContent = isChange(String(init?.method ?? 'GET'), init?.body);
    // Half of it before the request takes effect, half of it before the answer is there; ±30 %.
    const halfMs = ((isContent ? LIMITS.writeMs : LIMITS.readMs) * (0.7 + 0.6 * random())) / 2;
    await clock.sleep(halfMs);
    const waitMs = refusedMs(isContent);
    const answer = waitMs === undefined ? await reallyFetch(input, init) : refusal(waitMs);
    await clock.sleep(halfMs);
    return answer;
  };

  return { clock, counts, fetch: limitedFetch, run };
}

function isChange(method: string, body: unknown): boolean {
  if (typeof body !== 'string' || !body.includes('"query"')) return method !== 'GET';
  return /"query":"\s*mutation\b/.test(body);
}

function refusal(waitMs: number): Response {
  const message = 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  const headers = { 'content-type': 'application/json', 'retry-after': String(Math.ceil(waitMs / 1000)) };
  return new Response(JSON.stringify({ message }), { status: 403, headers });
}

function immediate(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
