import { afterEach, expect, it, jest } from '@jest/globals';
import { withDebugLines } from '../../src/runner/debug-requests.js';

const SECRET = 'canary/1a2b3c4d5e6f7g8h';

afterEach(() => {
  jest.restoreAllMocks();
});

/** What is printed of a request with this answer, or without one. */
async function printed(
  url: string,
  options: { readonly answer?: Response; readonly init?: RequestInit } = {},
): Promise<string> {
  const { answer, init } = options;
  const lines: string[] = [];
  jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    lines.push(String(chunk));
    return true;
  });
  const lost = new Error('lost');
  const fetch = withDebugLines(async () => {
    if (answer === undefined) throw lost;
    return answer;
  }, [SECRET]);
  const result = await fetch(url, init).catch((thrown: unknown) => thrown);
  expect(result).toBe(answer ?? lost);
  return lines.join('').replace(/\d+ ms/, '<time>');
}

const SPENT = { headers: { 'x-ratelimit-remaining': '976' } };

it.each<[string, string, { readonly answer?: Response; readonly init?: RequestInit }, string]>([
  [
    'a query',
    'https://api.github.com/graphql',
    { answer: new Response('', SPENT), init: { method: 'POST' } },
    'POST /graphql: 200 in <time>, 976 points remaining',
  ],
  [
    'a request, without what was asked for',
    'https://api.github.com/repos/o/r/pulls?token=abc',
    { answer: new Response('', { ...SPENT, status: 403 }) },
    'GET /repos/o/r/pulls: 403 in <time>, 976 requests remaining',
  ],
  [
    'a request without an answer',
    'https://m.example/v1/chat',
    {},
    'GET /v1/chat: no answer in <time>',
  ],
  [
    'a path with a secret',
    `https://m.example/v1/${encodeURIComponent(SECRET)}/chat`,
    { answer: new Response('') },
    'GET /v1/***/chat: 200 in <time>',
  ],
  [
    'a path that would begin a command',
    'https://m.example/%0A::error::no',
    { answer: new Response('') },
    'GET /%250A::error::no: 200 in <time>',
  ],
])('the line about %s', async (_, url, options, line) => {
  expect(await printed(url, options)).toBe(`::debug::${line}\n`);
});
