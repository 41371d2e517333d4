import { describe, expect, it } from '@jest/globals';
import { askedWaitMs, isLastingRefusal, isLoadingModel } from '../../src/model/waiting.js';

describe('the wait that a provider asks for', () => {
  it.each([
    ['milliseconds before seconds', { 'retry-after-ms': '1500', 'retry-after': '2' }, '', 1500],
    ['milliseconds with decimals', { 'retry-after-ms': ' 20.5 ' }, '', 21],
    ['seconds with decimals', { 'retry-after': '1.5' }, '', 1500],
    ['a reset that is later than needed', { 'x-ratelimit-reset-tokens': '6m0s' }, '', undefined],
    ['seconds in words', {}, 'Please try again in 8s.', 8000],
    ['a fraction in words', {}, 'Please retry in 39.8s.', 39_800],
    ['milliseconds in words', {}, 'Please try again in 20ms.', 20],
    ['minutes and seconds', {}, 'Please try again in 1m2.5s.', 62_500],
    ['hours and minutes', {}, 'try again in 1h2m3s', 3_723_000],
    ['whole words', {}, 'Please retry after 20 seconds.', 20_000],
    ['minutes as a word', {}, 'Wait for 2 minutes, then go on', 120_000],
    ['no figure', {}, 'Please try again later.', undefined],
    ['a figure of something else', {}, 'Limit 30000, try again with 10 tokens', undefined],
  ])('is read from %s', (_, headers, text, expected) => {
    expect(askedWaitMs(headers, { text, body: '' })).toBe(expected);
  });
});

describe('a refusal that lasts', () => {
  it.each<[boolean, number, string, readonly string[], number | undefined]>([
    [true, 402, 'Insufficient credits.', [], undefined],
    [true, 429, 'You exceeded your current quota.', ['insufficient_quota'], 1000],
    [true, 429, 'You exceeded your current quota, check your billing details.', [], undefined],
    [false, 429, 'You exceeded your current quota. Please retry in 39.8s.', [], 39_800],
    [true, 400, 'Your credit balance is too low to access the API.', [], undefined],
    [true, 429, 'Too many tokens per day, please wait before trying again.', [], undefined],
    [true, 429, 'Quota exceeded for metric: free_tier, limit: 0', [], undefined],
    [false, 429, 'Quota exceeded for requests per minute', [], undefined],
    [false, 429, 'Rate limit reached: tokens per min', [], undefined],
    [false, 500, 'billing service failed', [], undefined],
  ])('is told from a rate limit: %s for %i, %s', (expected, ...[status, text, names, waitMs]) => {
    expect(isLastingRefusal({ status, text, body: '' }, names, waitMs)).toBe(expected);
  });

  it('has a quota of a day in the body', () => {
    const body = '{"quotaId":"GenerateRequestsPerDayPerProject"}';
    expect(isLastingRefusal({ status: 429, text: 'Quota', body }, [], 1000)).toBe(true);
  });
});

it.each([
  [true, 503, 'Loading model', ['unavailable_error']],
  [true, 503, 'Model m is currently loading', []],
  [false, 503, 'The engine is currently overloaded', ['server_error']],
  [false, 500, 'Loading model', []],
] as const)(
  'a server is loading its model or not: %s for %i, %s',
  (expected, status, text, names) => {
    expect(isLoadingModel({ status, text }, names)).toBe(expected);
  },
);
