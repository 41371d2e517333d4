import type { SharedV4Warning } from '@ai-sdk/provider';
import { describe, expect, it } from '@jest/globals';
import type { RetryConfig } from '../../src/agent/config.js';
import { AxeError, ProviderError, type ProviderErrorCategory } from '../../src/lib/errors.js';
import { createAsker, isTransient, type OpenModel } from '../../src/loop/asker.js';
import { Budget } from '../../src/loop/budget.js';
import type { LoopDependencies } from '../../src/loop/events.js';
import { estimateTokens } from '../../src/loop/messages.js';
import { Usage } from '../../src/loop/reply.js';
import {
  call,
  createFakeModel,
  type FakeReply,
  never,
  opened,
  reply,
  says,
} from '../helpers/model-fake.js';
import { createFakeClock } from '../memory/stores/fake-clock.js';
import { loopDeps } from './scene.js';

const BUSY = new ProviderError('rate_limit', 'slow down', { status: 429 });
const DOWN = new ProviderError('server', 'boom', { status: 500 });
const WRONG = new ProviderError('auth', 'wrong key', { status: 401 });
const LATER = new ProviderError('rate_limit', 'later', { retryAfterMs: 60_000 });
const TIME_IS_UP = new ProviderError('timeout', 'context deadline exceeded');
const EXPONENTIAL = { backoff: 'exponential', initialDelayMs: 500, maxDelayMs: 30_000 } as const;
const HELLO = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Hello' }] }];

const NO_USAGE = {
  inputTokens: {
    total: undefined,
    noCache: undefined,
    cacheRead: undefined,
    cacheWrite: undefined,
  },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

/** A model that can be fallen back on, with what was done with it. */
function candidate(
  ref: string,
  replies: readonly FakeReply[] | Error,
  facts: Partial<OpenModel> = {},
) {
  const model = createFakeModel(replies instanceof Error ? [] : replies, ref);
  let times = 0;
  return {
    model,
    open: async () => {
      times += 1;
      if (replies instanceof Error) throw replies;
      return opened(model, { ref, ...facts });
    },
    get timesOpened() {
      return times;
    },
  };
}

function scene(
  first: readonly FakeReply[],
  patch: Partial<Parameters<typeof createAsker>[0]> & Partial<LoopDependencies> = {},
) {
  const clock = createFakeClock();
  const { deps, events, warnings } = loopDeps({ clock, ...patch });
  const model = createFakeModel(first, 'first');
  const usage = new Usage('first');
  const budget = new Budget({ maxTokens: 0, maxCostUsd: 0 });
  const retry = { maxRetries: 1, backoff: 'fixed', initialDelayMs: 100, maxDelayMs: 100 } as const;
  const options = {
    model: opened(model, { ref: 'p/first' }),
    fallbacks: [],
    retry,
    budget,
    usage,
    ...patch,
  };
  const asker = createAsker(options, deps);
  const kinds = () => events.map(({ kind }) => kind);
  return {
    asker,
    model,
    usage,
    budget: options.budget,
    events,
    kinds,
    warnings,
    slept: clock.slept,
  };
}

describe('a request to a model', () => {
  it('has estimated usage if a provider reports none, with one warning', async () => {
    const silent = { ...says('Hi there, all of you.'), usage: NO_USAGE };
    const tool = { type: 'function', name: 'look', inputSchema: { type: 'object' } } as const;
    const { asker, usage, budget, warnings } = scene([silent, silent]);
    await asker.ask(HELLO, {});
    const first = budget.spending.tokens;
    expect(usage.lastInputTokens).toBe(estimateTokens(HELLO));
    expect(first).toBeGreaterThan(usage.lastInputTokens);
    await asker.ask(HELLO, { tools: [tool] });
    expect(budget.spending.tokens).toBeGreaterThan(2 * first);
    const message =
      '`p/first` does not say how many tokens a reply used, so they are estimated; the limits on tokens and cost use the estimate';
    expect(warnings).toEqual([{ code: 'model-warning', message }]);
  });

  it('ends when the run ends during a wait, without another request', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const clock = { ...createFakeClock(), sleep: async () => controller.abort(TIME_IS_UP) };
    const { asker, model } = scene([BUSY, says('late')], { signal, clock });
    await expect(asker.ask(HELLO, {})).rejects.toBe(TIME_IS_UP);
    expect(model.asked).toHaveLength(1);
  });
});

describe('an error that is tried again', () => {
  it.each<[ProviderErrorCategory, readonly (number | undefined)[], boolean]>([
    ['rate_limit', [429], true],
    ['overloaded', [503, 529], true],
    ['timeout', [undefined, 408, 504], true],
    ['server', [undefined, 200, 408, 409, 424, 429, 500, 502, 503, 504, 529], true],
    ['server', [302, 400, 401, 403, 404, 413, 422], false],
    ['auth', [401, 403], false],
    ['bad_request', [undefined, 400, 404], false],
  ])('is %s with a status of %j: %s', (category, statuses, again) => {
    for (const status of statuses)
      expect([status, isTransient(new ProviderError(category, 'no', { status }))]).toEqual([
        status,
        again,
      ]);
  });

  it.each([
    ['a missing key', new AxeError('API key is not configured', { exitCode: 3 })],
    ['a bug', new TypeError('undefined is not a function')],
    ['an abort', new DOMException('aborted', 'AbortError')],
    ['nothing', undefined],
  ])('is not %s', (_, thrown) => {
    expect(isTransient(thrown)).toBe(false);
  });
});

describe('trying again', () => {
  /** Asks a model that fails with these errors, and answers after them. */
  async function tryHard(
    errors: readonly ProviderError[],
    policy: Partial<RetryConfig> = {},
    { random = 0, leftMs = () => Number.POSITIVE_INFINITY } = {},
  ) {
    const clock = { ...createFakeClock(), random: () => random };
    const retry = { maxRetries: undefined, ...EXPONENTIAL, ...policy };
    const { asker, model, usage, events } = scene([...errors, says('done')], {
      clock,
      retry,
      leftMs,
    });
    const thrown: unknown = await asker
      .ask(HELLO, {})
      .then(() => undefined)
      .catch((reason) => reason);
    const retries = events.filter(({ kind }) => kind === 'retry');
    return { thrown, tries: model.asked.length, slept: clock.slept, retries, usage };
  }

  it('happens within one turn, and each attempt is reported with its delay', async () => {
    const { retries, usage } = await tryHard([BUSY, DOWN]);
    expect(retries).toEqual([
      { kind: 'retry', attempt: 1, maxRetries: 2, error: BUSY, delayMs: 500 },
      { kind: 'retry', attempt: 2, maxRetries: 2, error: DOWN, delayMs: 1000 },
    ]);
    expect(usage).toMatchObject({ turns: 1, retries: 2 });
  });

  it.each([undefined, 0, 1, 5])(
    'ends with the last error after %s more tries',
    async (maxRetries) => {
      const most = maxRetries ?? 2;
      const { tries, thrown } = await tryHard([...Array(most).fill(BUSY), DOWN], { maxRetries });
      expect([tries, thrown]).toEqual([most + 1, DOWN]);
    },
  );

  it('ends with the first permanent error', async () => {
    expect(await tryHard([BUSY, WRONG, BUSY])).toMatchObject({ tries: 2, thrown: WRONG });
  });

  it.each<[RetryConfig['backoff'], number, readonly number[]]>([
    ['exponential', 0, [100, 200, 400, 800, 1000, 1000]],
    ['exponential', 0.5, [150, 250, 450, 850, 1000, 1000]],
    ['exponential', 0.999, [199, 299, 499, 899, 1000, 1000]],
    ['linear', 0.999, [100, 200, 300, 400, 500, 600]],
    ['fixed', 0.999, [100, 100, 100, 100, 100, 100]],
  ])('waits %s with the random value %d: %j', async (backoff, random, delays) => {
    const policy = { maxRetries: 6, backoff, initialDelayMs: 100, maxDelayMs: 1000 };
    expect((await tryHard(Array(6).fill(BUSY), policy, { random })).slept).toEqual(delays);
  });

  it.each([
    ['longer than max_delay_ms', 90_000, 90_000],
    ['shorter than ours', 20, 500],
  ])(
    'C4 59: waits as the provider asks if that is longer: %s',
    async (_, retryAfterMs, delayMs) => {
      const error = new ProviderError('rate_limit', 'slow down', { status: 429, retryAfterMs });
      expect((await tryHard([error])).slept).toEqual([delayMs]);
    },
  );

  it.each([
    ['what the provider asks for', LATER, [60_000], []],
    ['our own wait', BUSY, [500], []],
    ['the second wait', BUSY, [10_000, 900], [500]],
  ])('ends at once if the deadline comes before %s', async (_, error, left, slept) => {
    const open = [...left];
    const waited = await tryHard([error, BUSY, BUSY], {}, { leftMs: () => open.shift() ?? 0 });
    expect(waited.slept).toEqual(slept);
    expect(waited.tries).toBe(slept.length + 1);
  });

  it('has time for a wait that ends before the deadline', async () => {
    const waited = await tryHard([LATER], {}, { leftMs: () => 60_001 });
    expect(waited).toMatchObject({ thrown: undefined, slept: [60_000] });
  });
});

const finish = { unified: 'error', raw: 'MALFORMED' } as const;
const half = says('half', { finish });
const tight = { budget: new Budget({ maxTokens: 5, maxCostUsd: 0 }) };

it.each<[string, readonly FakeReply[], object, string]>([
  ['is asked for again', [half, says('whole')], {}, 'whole'],
  ['is left to the next model after all tries', [half, half], { fallbacks: true }, 'from p/other'],
  ['is kept where all tries fail', [half, BUSY], {}, 'half'],
  ['is kept where the budget is spent', [half], tight, 'half'],
  ['is kept with its calls', [reply([call('1', 'x', {})], { finish })], {}, 'x'],
])('a reply that ends with an error %s, and is counted', async (_, replies, patch, said) => {
  const other = candidate('p/other', [says('from p/other')]);
  const fallbacks = 'fallbacks' in patch ? [other.open] : [];
  const { asker, model, usage, budget } = scene(replies, { ...patch, fallbacks });
  const { content } = await asker.ask(HELLO, {});
  expect(JSON.stringify(content)).toContain(`"${said}"`);
  expect(model.asked).toHaveLength(replies.length);
  const counted = [...replies, ...other.model.asked].filter((one) => one !== BUSY).length;
  expect(budget.spending.tokens).toBe(5 * counted);
  expect(usage).toMatchObject({ turns: 1, retries: replies.length - 1 });
});

describe('falling back on another model', () => {
  it('happens after all tries of the first one, and is reported', async () => {
    const other = candidate('p/other', [says('Hello from here')]);
    const { asker, model, events, kinds } = scene([BUSY, DOWN], { fallbacks: [other.open] });
    expect(await asker.ask(HELLO, {})).toMatchObject({ content: [{ text: 'Hello from here' }] });
    expect(model.asked).toHaveLength(2);
    expect(other.model.asked[0]?.prompt).toEqual(HELLO);
    expect(kinds()).toEqual(['model-request', 'retry', 'fallback', 'tokens-used', 'model-reply']);
    expect(events[2]).toEqual({ kind: 'fallback', from: 'p/first', to: 'p/other', error: DOWN });
    expect(asker.current.ref).toBe('p/other');
  });

  it('lasts for the rest of the conversation, with tries of its own', async () => {
    const other = candidate('p/other', [says('one'), BUSY, says('two')]);
    const { asker, model, usage } = scene([BUSY, BUSY], { fallbacks: [other.open] });
    await asker.ask(HELLO, {});
    await asker.ask(HELLO, {});
    expect(model.asked).toHaveLength(2);
    expect(other.model.asked).toHaveLength(3);
    expect(other.timesOpened).toBe(1);
    expect(usage.retries).toBe(2);
  });

  it('continues with the next, in order, and ends with the error of the last', async () => {
    const second = candidate('p/second', [DOWN, DOWN]);
    const last = new ProviderError('overloaded', 'Overloaded', { status: 529 });
    const third = candidate('p/third', [BUSY, last]);
    const { asker, events } = scene([BUSY, BUSY], { fallbacks: [second.open, third.open] });
    await expect(asker.ask(HELLO, {})).rejects.toBe(last);
    const models = events.flatMap((event) => (event.kind === 'fallback' ? [event.to] : []));
    expect(models).toEqual(['p/second', 'p/third']);
  });

  it.each([
    ['a wrong key', WRONG],
    ['a wrong request', new ProviderError('bad_request', 'no', { status: 400 })],
    ['what is forbidden', new ProviderError('server', 'no', { status: 403 })],
    ['a bug', new TypeError('x is not a function')],
  ])('does not happen after %s', async (_, error) => {
    const other = candidate('p/other', [says('x')]);
    const { asker } = scene([error], { fallbacks: [other.open] });
    await expect(asker.ask(HELLO, {})).rejects.toBe(error);
    expect(other.timesOpened).toBe(0);
  });

  it('does not happen after the end of the run', async () => {
    const controller = new AbortController();
    const other = candidate('p/other', [says('x')]);
    const { signal } = controller;
    const { asker } = scene([never(() => controller.abort(TIME_IS_UP))], {
      fallbacks: [other.open],
      signal,
    });
    await expect(asker.ask(HELLO, {})).rejects.toBe(TIME_IS_UP);
    expect(other.timesOpened).toBe(0);
  });

  it('happens at once if the first model requires a longer wait than the run has time', async () => {
    const other = candidate('p/other', [says('ok')]);
    const { asker, slept } = scene([LATER], { fallbacks: [other.open], leftMs: () => 1000 });
    await asker.ask(HELLO, {});
    expect(slept).toEqual([]);
    expect(asker.current.ref).toBe('p/other');
  });

  it('to a model that cannot be opened is a warning, and the next one is called', async () => {
    const keyless = candidate('p/keyless', new AxeError('no key', { exitCode: 3 }));
    const other = candidate('p/other', [says('ok')]);
    const { asker, warnings } = scene([BUSY, BUSY], { fallbacks: [keyless.open, other.open] });
    await asker.ask(HELLO, {});
    expect(asker.current.ref).toBe('p/other');
    expect(warnings).toEqual([
      { code: 'model-warning', message: 'a fallback model cannot be used: no key' },
    ]);
  });

  it('to a last model that cannot be opened keeps the error of the model that was called', async () => {
    const keyless = candidate('p/keyless', new AxeError('no key', { exitCode: 3 }));
    const { asker, warnings } = scene([BUSY, DOWN], { fallbacks: [keyless.open] });
    await expect(asker.ask(HELLO, {})).rejects.toBe(DOWN);
    expect(warnings).toHaveLength(1);
  });

  it('shows the other model nothing of what the first one thought, and that one its own thoughts', async () => {
    const thought = { type: 'reasoning', text: 'They must never know.' } as const;
    const turn = {
      role: 'assistant' as const,
      content: [thought, { type: 'text' as const, text: 'Hm.' }],
    };
    const bare = { role: 'assistant' as const, content: [{ type: 'text', text: 'Hm.' }] };
    const second = candidate('second', [says('ok'), says('ok')]);
    const { asker, model } = scene([BUSY, BUSY], { fallbacks: [second.open] });
    const before = [...HELLO, { ...turn, content: [thought] }, turn];
    await asker.ask(before, {});
    await asker.ask([...before, { ...turn }], {});
    expect(model.asked[0]?.prompt).toHaveLength(3);
    const [first, later] = second.model.asked.map(({ prompt }) => prompt);
    expect(first).toEqual([...HELLO, bare]);
    expect(later).toEqual([...HELLO, bare, turn]);
  });

  it('is counted at its own price and named in the figures', async () => {
    const price = { input: 2, output: 0, cacheRead: 0, cacheWrite: 0 };
    const other = candidate('p/other', [says('ok', { inputTokens: 500_000 })], { price });
    const { asker, budget, usage } = scene([BUSY, BUSY], { fallbacks: [other.open] });
    await asker.ask(HELLO, {});
    expect(budget.spending).toMatchObject({ costUsd: 1, isCostPartial: false });
    expect(usage.stats(0, budget).modelId).toBe('p/other');
  });

  it('is not asked with the larger limit that the model before needed', async () => {
    const cut = reply([{ type: 'reasoning', text: 'Hm' }], {
      finish: { unified: 'length', raw: 'max_tokens' },
      outputTokens: 100,
    });
    const other = candidate('p/other', [says('ok')]);
    const { asker, model } = scene([cut, says('a'), BUSY, BUSY], { fallbacks: [other.open] });
    await asker.ask(HELLO, { maxOutputTokens: 100 });
    await asker.ask(HELLO, { maxOutputTokens: 100 });
    const limits = [...model.asked, ...other.model.asked].map((asked) => asked.maxOutputTokens);
    expect(limits).toEqual([100, 64_000, 64_000, 64_000, 100]);
  });
});

describe('a reply that names another model', () => {
  const flat = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 });
  const priceOf = (name: string) => (name === 'large' ? flat(4) : undefined);

  it.each([
    ['is priced as that model', 'large', 4, false],
    ['is not priced if that price is not known', 'unheard-of', undefined, true],
    ['is priced as asked if it names none', undefined, 1, false],
  ])('%s', async (_what, modelId, costUsd, isCostPartial) => {
    const model = createFakeModel([says('ok', { inputTokens: 1_000_000, modelId })]);
    const first = opened(model, { price: flat(1), priceOf });
    const { asker, budget } = scene([], { model: first });
    await asker.ask(HELLO, {});
    expect(budget.spending).toMatchObject({ costUsd, isCostPartial });
  });
});

describe('a provider that', () => {
  const EMPTY = new ProviderError('rate_limit', 'no quota', { status: 429, isLasting: true });
  const UNPAID = new ProviderError('server', 'no credits', { status: 402, isLasting: true });
  const LOADING = new ProviderError('server', 'Loading model', { status: 503, isLoading: true });
  const BROKEN = new ProviderError('server', 'the answer broke off', { connection: 'broken' });
  const REFUSED = new ProviderError('server', 'nothing answers', { connection: 'refused' });

  it.each([EMPTY, UNPAID])(
    'has no quota left is not asked again, but the next one is: %j',
    async (error) => {
      const next = candidate('p/next', [says('Hi')]);
      const { asker, kinds, slept } = scene([error], { fallbacks: [next.open] });
      expect((await asker.ask(HELLO, {})).content).toMatchObject([{ text: 'Hi' }]);
      expect(kinds()).not.toContain('retry');
      expect(slept).toEqual([]);
    },
  );

  it('has no quota left fails at once if there is no other', async () => {
    const { asker, model } = scene([EMPTY, says('Hi')]);
    await expect(asker.ask(HELLO, {})).rejects.toBe(EMPTY);
    expect(model.asked).toHaveLength(1);
  });

  it('is loading its model is waited for, however few retries there are', async () => {
    const { asker, kinds, usage } = scene([...Array(20).fill(LOADING), says('Hi')]);
    expect((await asker.ask(HELLO, {})).content).toMatchObject([{ text: 'Hi' }]);
    expect(kinds().filter((kind) => kind === 'loading')).toHaveLength(1);
    expect(usage.retries).toBe(0);
  });

  it('is loading its model is waited for only until the run would end', async () => {
    let leftMs = 5000;
    const { asker, model } = scene(Array(20).fill(LOADING), { leftMs: () => (leftMs -= 1000) });
    await expect(asker.ask(HELLO, {})).rejects.toBe(LOADING);
    expect(model.asked.length).toBeLessThan(8);
  });

  it('died while it answered is reported so, though the next try only finds nobody', async () => {
    const { asker } = scene([BROKEN, REFUSED]);
    await expect(asker.ask(HELLO, {})).rejects.toMatchObject({
      message: expect.stringContaining('the server died while it answered'),
      remedy: expect.stringContaining('log of the server'),
    });
  });

  it('was never reached is not said to have died', async () => {
    const { asker } = scene([DOWN, REFUSED]);
    await expect(asker.ask(HELLO, {})).rejects.toBe(REFUSED);
  });
});

describe('a warning about a model', () => {
  const odd: SharedV4Warning[] = [{ type: 'unsupported', feature: 'temperature' }];

  it('names the settings it leaves out, once for each model', async () => {
    const call1 = reply([call('1', 'x', {})], { warnings: odd });
    const other = candidate('p/other', [
      says('a', { warnings: odd }),
      says('b', { warnings: odd }),
    ]);
    const { asker, warnings } = scene([call1, BUSY, BUSY], { fallbacks: [other.open] });
    await asker.ask(HELLO, {});
    expect(warnings).toHaveLength(1);
    await asker.ask(HELLO, {});
    await asker.ask(HELLO, {});
    expect(warnings).toHaveLength(2);
    expect(warnings[0]?.message).toBe('the provider of `p/first`: temperature: unsupported');
  });
});

describe('a limit in dollars', () => {
  const PRICE = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 };
  const limited = (costInput?: 'max-cost-usd-per-pr') =>
    new Budget({ maxTokens: 0, maxCostUsd: 1, costInput });
  const unknown = (model: string, input = 'max-cost-usd') => ({
    exitCode: 2,
    message: `the price of \`${model}\` is not known, so \`${input}\` cannot limit what it costs`,
    remedy: expect.stringContaining('with the input `price`'),
  });

  it.each([
    [undefined, 'max-cost-usd'],
    ['max-cost-usd-per-pr', 'max-cost-usd-per-pr'],
  ] as const)(
    'is an error before the first request to a model without a price: %s',
    async (costInput, name) => {
      const { asker, model } = scene([], { budget: limited(costInput) });
      await expect(asker.ask(HELLO, {})).rejects.toMatchObject(unknown('p/first', name));
      expect(model.asked).toEqual([]);
    },
  );

  it('lets a model be asked whose provider says what a reply costs', async () => {
    const model = createFakeModel([says('a')]);
    const { asker } = scene([], { model: opened(model, { saysCost: true }), budget: limited() });
    await asker.ask(HELLO, {});
    expect(model.asked).toHaveLength(1);
  });

  it('ends the run after a reply of another model whose price is not known', async () => {
    const model = createFakeModel([says('a', { modelId: 'swapped' })]);
    const first = opened(model, { price: PRICE, priceOf: () => undefined });
    const { asker } = scene([], { model: first, budget: limited() });
    await asker.ask(HELLO, {});
    await expect(asker.ask(HELLO, {})).rejects.toMatchObject(unknown('swapped'));
    expect(model.asked).toHaveLength(1);
  });

  it('passes over a fallback without a price', async () => {
    const second = candidate('p/second', []);
    const third = candidate('p/third', [says('ok')], { price: PRICE });
    const model = opened(createFakeModel([BUSY, BUSY]), { price: PRICE });
    const { asker, warnings } = scene([], {
      model,
      budget: limited(),
      fallbacks: [second.open, third.open],
    });
    await asker.ask(HELLO, {});
    expect(asker.current.ref).toBe('p/third');
    expect(warnings.map(({ message }) => message)).toEqual([
      expect.stringMatching(
        /^a fallback model cannot be used: the price of `p\/second` is not known/,
      ),
    ]);
  });
});
