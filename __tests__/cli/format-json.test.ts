import { describe, expect, it } from '@jest/globals';
import { detectRefusal, formatJson } from '../../src/cli/format-json.js';
import { AxeError } from '../../src/lib/errors.js';
import type { Limit, RunOutcome } from '../../src/lib/outcome.js';
import { called, completed, exhausted, STATS } from '../helpers/reports.js';

/** What a program reads from the line. */
function parsed(outcome: RunOutcome): Record<string, unknown> {
  const value: Record<string, unknown> = JSON.parse(formatJson(outcome));
  return value;
}

const failed = (error: AxeError): RunOutcome => ({ kind: 'failed', error, stats: STATS });

/** The line of a run that called one tool. */
const withCall = (...[tool, patch]: Parameters<typeof called>) =>
  formatJson(completed('Fine.', { toolCalls: 1, calls: [called(tool, patch)] }));

it.each([
  ['a < b && c > d', 'a \\u003c b \\u0026\\u0026 c \\u003e d'],
  ['"q" \\ /', '\\"q\\" \\\\ /'],
  ['one\ntwo\r\n\tthree', 'one\\ntwo\\r\\n\\tthree'],
  ['\u2028\u2029', '\\u2028\\u2029'],
  ['\u0000\u001f', '\\u0000\\u001f'],
  ['\b\f', '\\b\\f'],
  ['\u007f\u0085\uFEFF', '\u007f\u0085\uFEFF'],
  ['é 😀 日本', 'é 😀 日本'],
  ['\\u003c', '\\\\u003c'],
  ['half \uD83D of a pair, \uDE00', 'half \uFFFD of a pair, \uFFFD'],
  ['', ''],
])('the JSON line of --json escapes %j as Go does (axe-behaviour §16)', (content, escaped) => {
  const line = formatJson(completed(content));
  expect(line).toContain(`"content":"${escaped}","duration_ms"`);
  expect(line).not.toContain('\n');
  expect(JSON.parse(line)).toMatchObject({ content: content.replace(/\p{Surrogate}/gu, '\uFFFD') });
});

describe('the tool calls in the JSON line', () => {
  it('have no arguments if those were not JSON', () => {
    expect(withCall('a', { input: undefined })).toContain('"input":null,"is_error"');
  });

  it('are valid JSON whatever the model wrote, in names too', () => {
    const half = '\uD83D';
    const line = withCall(`t${half}`, {
      input: { k: [half], ['__proto__']: 1, toJSON: 'x' },
      output: half,
    });
    expect(line).not.toMatch(/\\ud[89a-f]/i);
    expect(line).toContain('"input":{"k":["\uFFFD"],');
    expect(line).toContain('"name":"t\uFFFD","output":"\uFFFD"');
  });
});

it.each([
  [560, 0, '"cache_read_tokens":560,"content"'],
  [0, 7, '{"cache_write_tokens":7,"content"'],
  [0, 0, '{"content"'],
])(
  'the JSON line has what was read from the cache (%i) and written to it (%i)',
  (cacheReadTokens, cacheWriteTokens, text) => {
    expect(formatJson(completed('Fine.', { cacheReadTokens, cacheWriteTokens }))).toContain(text);
  },
);

describe('the budget in the JSON line', () => {
  it.each([
    [0, false],
    [99, false],
    [100, true],
    [130, true],
  ])('of 100 tokens of which %i are used is exceeded: %p', (usedTokens, isExceeded) => {
    const line = formatJson(completed('Fine.', { budget: { usedTokens, maxTokens: 100 } }));
    expect(line).toMatch(
      new RegExp(
        `^\\{"budget_exceeded":${isExceeded},"budget_max_tokens":100,"budget_used_tokens":${usedTokens},"c`,
      ),
    );
  });

  it.each([
    [undefined, undefined],
    [0, 0],
    [0.1 + 0.2, 0.3],
    [0.0000004, 0],
    [1.2345678, 1.234568],
  ])('has the cost %j as %j', (costUsd, shown) => {
    expect(parsed(completed('Fine.', { costUsd }))['cost_usd']).toBe(shown);
  });
});

it.each<[string, RunOutcome, boolean]>([
  ['of the provider', { kind: 'refused', answer: '', stats: STATS }, true],
  ['in words', completed("I'm unable to help with that."), true],
  ['that is none', completed('The wiki cannot be reached.'), false],
  ['in what was said before a limit', exhausted('tokens', 'I must decline.'), true],
  ['that is only in an error', failed(new AxeError('I cannot')), false],
])('a refusal %s is reported in the JSON line: %#', (_, outcome, refused) => {
  expect(parsed(outcome)).toMatchObject({ refused });
});

it.each<[Limit, number]>([
  ['turns', 1],
  ['time', 3],
  ['tokens', 4],
  ['cost', 4],
])(
  'the JSON line at the limit of %s holds the answer so far, and the exit status %i',
  (limit, exitCode) => {
    expect(parsed(exhausted(limit, 'So far.'))).toMatchObject({
      content: 'So far.',
      error: { exit_code: exitCode, message: `no ${limit} left` },
    });
  },
);

it.each([
  'I cannot review this.',
  "Sorry, but I can't do that.",
  'i CANNOT',
  "I'm unable to read the file",
  'I am not able to help',
  'For that reason I must decline.',
  "I don't have the ability to open links",
  'I do not have the ability to open links',
  'First part.\n\nI can’t go on.',
  "As an AI model, I'm unable",
  'as an ai: here I am not able.',
])('a refusal is recognized in %p', (answer) => {
  expect(detectRefusal(answer)).toBe(true);
});

it.each([
  'Looks good to me.',
  'The CI cannot reach the registry.',
  'wiki can’t be edited',
  "I'm unable",
  'As an AI, I can help with that.',
  'as an air filter it works',
])('no refusal is recognized in %p', (answer) => {
  expect(detectRefusal(answer)).toBe(false);
});
