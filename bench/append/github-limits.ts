import type { VirtualClock } from './virtual-clock.js';

/** How many times as long an answer takes. */
const SLOWER = Number(process.env['BENCH_SLOWER'] ?? 1);

/** Whether a commit that GitHub refuses counts as content, which it does not say. */
const FAILURES_COUNT = process.env['BENCH_FAILURES_COUNT'] !== 'no';

/**
 * What GitHub publishes of its limits (docs.github.com: "Rate limits for the REST API", and the
 * changelog of 2026-01-16 on cache entries), and how long an answer takes. Every request that
 * changes something counts as content.
 */
export const LIMITS = {
  /** Of a job's token, for its repository. */
  requestsAnHour: 1000,
  contentAMinute: 80,
  contentAnHour: 500,
  cacheUploadsAMinute: 200,
  /**
   * Half of the figure before the request takes effect, half of it before the answer is there; ±30
   * %.
   */
  readMs: 250 * SLOWER,
  writeMs: 600 * SLOWER,
  cacheMs: 120 * SLOWER,
  uploadMs: 300 * SLOWER,
} as const;

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A refusal: which limit, and for how long. */
export interface Limited {
  readonly limit: 'primary' | 'secondary';
  readonly retryAfterS: number;
}

/** Counts requests against limits. */
export interface LimitedQuota {
  readonly counts: { requests: number; content: number };
  take(isContent: boolean): Limited | undefined;
  /** The request changed nothing: one less of the content of this minute. */
  giveBack(): void;
}

/** The quota of one token, or of one repository. */
export function createQuota(
  clock: VirtualClock,
  { requestsAnHour }: { readonly requestsAnHour: number },
): LimitedQuota {
  const content: number[] = [];
  const counts = { requests: 0, content: 0 };
  const hour = { endsMs: HOUR_MS, requests: 0 };
  return {
    counts,
    take(isContent) {
      counts.requests += 1;
      const nowMs = clock.elapsedMs();
      if (nowMs >= hour.endsMs) Object.assign(hour, { endsMs: nowMs + HOUR_MS, requests: 0 });
      if (hour.requests >= requestsAnHour) return refuse('primary', hour.endsMs - nowMs);
      hour.requests += 1;
      if (!isContent) return undefined;
      while (content[0] !== undefined && content[0] <= nowMs - HOUR_MS) content.shift();
      const inMinute = content.filter((atMs) => atMs > nowMs - MINUTE_MS).length;
      if (content.length >= LIMITS.contentAnHour) return refuse('secondary', HOUR_MS);
      if (inMinute >= LIMITS.contentAMinute) return refuse('secondary', MINUTE_MS);
      content.push(nowMs);
      counts.content += 1;
      return undefined;
    },
    giveBack: () => void content.pop(),
  };

  function refuse(limit: Limited['limit'], ms: number): Limited {
    return { limit, retryAfterS: Math.ceil(ms / 1000) };
  }
}

/**
 * A fetch to a server on loopback as if GitHub were there: with its latency and its limits, in
 * virtual time.
 */
export function limitedFetch(clock: VirtualClock, quota: LimitedQuota): typeof fetch {
  return async (input, init) => {
    const isContent = isChange(String(init?.method ?? 'GET'), init?.body);
    const halfMs =
      ((isContent ? LIMITS.writeMs : LIMITS.readMs) * (0.7 + 0.6 * clock.random())) / 2;
    await clock.sleep(halfMs);
    const limited = quota.take(isContent);
    const answer =
      limited === undefined
        ? await clock.during(() => whole(fetch(input, init)))
        : refusal(limited, clock);
    if (isContent && limited === undefined && !FAILURES_COUNT && (await hasFailed(answer)))
      quota.giveBack();
    await clock.sleep(halfMs);
    return answer;
  };
}

function isChange(method: string, body: unknown): boolean {
  if (typeof body !== 'string' || !body.includes('"query"')) return method !== 'GET';
  return /"query":"\s*mutation\b/.test(body);
}

async function hasFailed(answer: Response): Promise<boolean> {
  return !answer.ok || (await answer.clone().text()).includes('"errors"');
}

/** With its body: virtual time must not wait for what the program does with it. */
async function whole(pending: Promise<Response>): Promise<Response> {
  const response = await pending;
  const body = await response.arrayBuffer();
  return new Response(body.byteLength === 0 ? null : body, {
    status: response.status,
    headers: response.headers,
  });
}

function refusal({ limit, retryAfterS }: Limited, clock: VirtualClock): Response {
  const resetS = Math.ceil(clock.now().getTime() / 1000) + retryAfterS;
  const headers =
    limit === 'primary'
      ? { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(resetS) }
      : { 'retry-after': String(retryAfterS) };
  const message =
    limit === 'primary'
      ? 'API rate limit exceeded for installation.'
      : 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.';
  return new Response(JSON.stringify({ message }), {
    status: 403,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
  });
}
