import { describe, expect, it } from '@jest/globals';
import { AxeError, type Warning } from '../../src/lib/errors.js';
import type {
  Conclusion,
  Limit,
  RunOutcome,
  RunStats,
  ToolCallRecord,
} from '../../src/lib/outcome.js';
import type { AnswerForm } from '../../src/loop/structured.js';
import { withFacts } from '../../src/memory/state.js';
import { toolsByTurn } from '../../src/report/tools-by-turn.js';
import type { RunReport } from '../../src/run/records.js';
import { AGENT, AGENT_WITH_MEMORY } from '../helpers/dependencies-fake.js';
import { kept } from '../helpers/marks.js';
import {
  called,
  completed,
  exhausted,
  formatSummary,
  outputsOf,
  reportOf,
  STATS,
} from '../helpers/reports.js';
import { pullRequest, SCHEDULE } from '../helpers/triggers.js';

const ENTRY = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';

const format = (
  report: RunReport,
  warnings: readonly Warning[] = [],
  clean = (text: string) => text,
) => formatSummary(report, { warnings, clean });

/** What every summary of a run of the agent `bot` ends with. */
const FIGURES = `| Model | Turns | Input tokens | Output tokens | Time | Trust |
| --- | --- | --- | --- | --- | --- |
| claude-sonnet-4-5 | 2 | 1,200 | 34 | 6.5 s | full |`;
const figuresAt = (
  limit: Limit,
) => `| Model | Turns | Input tokens | Output tokens | Time | Limit reached | Trust |
| --- | --- | --- | --- | --- | --- | --- |
| claude-sonnet-4-5 | 2 | 1,200 | 34 | 6.5 s | ${limit} | full |`;
const OFF = '**Memory:** off. To turn it on, set `enabled = true` in `[memory]` of the agent.';

describe('the summary of a run', () => {
  it.each([
    ['a scheduled run', SCHEDULE, {}, true],
    ['one whose memory is in another repository', SCHEDULE, { isHidden: true }, false],
    ['a review', pullRequest(), {}, false],
  ])(
    'shows what people made of findings on a schedule, if memory is here: %s',
    async (_, trigger, options, isThere) => {
      const facts = [kept({ raised: Date.parse('2026-01-02'), model: 'm' })];
      const memory = { 'bot.md': ENTRY, 'bot.state.md': withFacts('', facts) };
      const parts = { agents: { bot: AGENT_WITH_MEMORY }, memory };
      const report = await reportOf('ran', parts, { trigger, inWorkflow: true });
      expect(formatSummary(report, options).includes('| 2026-01 | m |')).toBe(isThere);
    },
  );

  it('lists warnings with their places, what the token cannot read among them', async () => {
    const at = { file: 'bot.toml', line: 3, column: 1 };
    const warnings: readonly Warning[] = [
      { code: 'context-unread', message: 'the checks', remedy: 'Add `checks: read`.' },
      { code: 'context-truncated', message: 'the diff is cut;\n  the rest is left out' },
      { code: 'agent-unknown-key', message: 'unknown key `modle`', at },
    ];
    expect(format(await reportOf('ran'), warnings)).toContain(`**Warnings**

- the checks. Add \`checks: read\`.
- the diff is cut; the rest is left out
- unknown key \`modle\` (\`bot.toml:3:1\`)`);
  });

  const boom = new AxeError('server: `boom` ```', { remedy: 'Run it again.' });
  const over = new AxeError('timeout: context deadline exceeded');
  const TIMEOUT = {
    kind: 'exhausted',
    limit: 'time',
    answer: '',
    error: over,
    stats: STATS,
  } as const;
  const error = new AxeError('the answer was cut');
  const CUT = { kind: 'incomplete', answer: 'So f', error, stats: STATS } as const;
  const block = (text: string, fence = '```') => `${fence}text\n${text}\n${fence}\n\n`;
  it.each<[string, RunOutcome, string, string, string?]>([
    [
      'failed: its error unchanged, and below it the remedy',
      { kind: 'failed', error: boom, stats: STATS },
      'failure',
      `${block(boom.message, '````')}Run it again.\n\n`,
    ],
    [
      'was cut short before it spoke: why',
      TIMEOUT,
      'timeout',
      block(over.message),
      figuresAt('time'),
    ],
    [
      'came to the end of its tokens: which limit it was',
      exhausted('tokens', 'So far.'),
      'budget-exceeded',
      `So far.\n\n${block('no tokens left')}Raise the limit of tokens.\n\n`,
      figuresAt('tokens'),
    ],
    [
      'is incomplete: what there is, and why',
      CUT,
      'incomplete',
      `So f\n\n${block('the answer was cut')}`,
    ],
    ['said nothing', completed(''), 'success', ''],
  ])('shows of one that %s', async (_, ...[outcome, conclusion, said, figures = FIGURES]) => {
    const report = await reportOf('ran', { agents: { bot: AGENT } });
    const head = `### bot: ${conclusion} · 6.5 s\n\n`;
    expect(format({ ...report, outcome })).toBe(`${head}${said}---\n\n${OFF}\n\n${figures}`);
  });

  it.each<[string, Partial<RunStats>, string, string]>([
    [
      'requests were sent again',
      { retries: 4 },
      '| Turns | Retries | Input tokens |',
      '| 2 | 4 | 1,200 |',
    ],
    [
      'a price is known',
      { costUsd: 1.23456 },
      '| Output tokens | Cost | Time |',
      '| 34 | $1.2346 | 6.5 s |',
    ],
    ['it cost next to nothing', { costUsd: 0.00001 }, '| Cost |', '| below $0.0001 |'],
    ['it cost nothing', { costUsd: 0 }, '| Cost |', '| $0 |'],
  ])('has extra figures if %s', async (_, stats, head, values) => {
    const report = await reportOf('ran', { agents: { bot: AGENT } });
    const text = format({ ...report, outcome: completed('Fine.', stats) });
    const lines = text.split('\n').slice(-3);
    expect(lines[0]).toContain(head);
    expect(lines[2]).toContain(values);
    expect(lines.map((line) => line.split('|').length)).toEqual([9, 9, 9]);
  });

  it('sanitizes the answer and nothing of its own text', async () => {
    const report = await reportOf('ran', { memory: { 'bot.md': ENTRY } });
    const cleaned: string[] = [];
    const text = format(report, [], (markdown) => {
      cleaned.push(markdown);
      return 'CLEAN';
    });
    expect(cleaned).toEqual(['the answer']);
    expect(text).toContain('### bot: success · 0.0 s\n\nCLEAN\n\n---\n\n**Memory** (file)');
  });
});

const limits = { perPullUsd: 0, perDayUsd: 2 };
const spend = { limits, pull: undefined, pullUsd: 0, day: '2026-02-03', dayUsd: 0.5 };

it('the cost of several runs is a line with its limit', async () => {
  const report = await reportOf('ran', { agents: { bot: AGENT } });
  const text = format({ ...report, spend, outcome: completed('Fine.', { costUsd: 0.1 }) });
  expect(text).toContain('**Spent by this agent:** $0.60 of $2.00 today (UTC).');
});

const NOTHING = { 'memory-saved': '', 'memory-loaded': '0' };
const USED = { 'input-tokens': '1200', 'output-tokens': '34' };

/** A run of an agent without memory that came to this end. */
async function ranTo(outcome: RunOutcome): Promise<RunReport> {
  return { ...(await reportOf('ran', { agents: { bot: AGENT } })), outcome };
}

describe('the outputs of a run', () => {
  it.each<[Conclusion, RunOutcome, string, string?]>([
    ['success', completed('The answer.'), 'The answer.'],
    ['failure', { kind: 'failed', error: new AxeError('no'), stats: STATS }, '', 'no'],
    [
      'incomplete',
      { kind: 'incomplete', answer: 'So f', error: new AxeError('it was cut'), stats: STATS },
      'So f\n\n[Incomplete: it was cut.]',
      'it was cut',
    ],
    ['max-turns', exhausted('turns', 'So far.'), 'So far.', 'no turns left'],
    ['budget-exceeded', exhausted('cost', ''), '', 'no cost left'],
  ])(
    'that ended in %s hold its answer and figures',
    async (...[conclusion, outcome, response, reason]) => {
      const report = await ranTo(outcome);
      const why = reason === undefined ? {} : { reason };
      expect(outputsOf(report)).toEqual({ conclusion, ...why, response, ...NOTHING, ...USED });
    },
  );

  it.each([
    [undefined, undefined],
    [0, '0.000000'],
    [1.2345678, '1.234568'],
  ])('for a cost of %j hold %j, in dollars', async (costUsd, shown) => {
    expect(outputsOf(await ranTo(completed('', { costUsd })))['cost-usd']).toBe(shown);
  });

  const FORM: AnswerForm = { format: { type: 'json' }, check: () => [] };
  it.each<[string, RunOutcome, AnswerForm | undefined, string | undefined]>([
    ['in the required format', completed('{"risk":"low"}'), FORM, '{"risk":"low"}'],
    ['without a required format', completed('{"risk":"low"}'), undefined, undefined],
    ['that was cut short', exhausted('tokens', '{"risk":"low"}'), FORM, undefined],
    ['that is none', { kind: 'failed', error: new AxeError('no'), stats: STATS }, FORM, undefined],
    ['that is a refusal', { kind: 'refused', answer: '{}', stats: STATS }, FORM, undefined],
  ])('repeat as JSON an answer %s, or not', async (_, outcome, form, json) => {
    const report = await reportOf('ran');
    const outputs = outputsOf({ ...report, plan: { ...report.plan, form }, outcome });
    expect(outputs['structured-output']).toBe(json);
  });
});

const read = (path: string, patch: Partial<ToolCallRecord> = {}) =>
  called('read_file', { input: { path }, ...patch });
const ask = (input: unknown) => called('call_agent', { input });
const many = Array.from({ length: 7 }, (_, index) => read(`${index}${'x'.repeat(500)}`));

it.each<[string, readonly ToolCallRecord[], string]>([
  [
    'what they were about, and errors',
    [read('a.ts'), read('a.ts'), read('b.ts', { isError: true })],
    '`read_file` × 3 (`a.ts`, `b.ts`, 1 error)',
  ],
  [
    'what was not offered',
    [called('fly', { isError: true, isDenied: true })],
    '`fly` (not offered)',
  ],
  [
    'sub-agents, each by itself',
    [ask({ agent: 'linter' }), ask({ agent: 'tester' }), ask({ agent: 'linter' })],
    '`call_agent → linter` × 2, `call_agent → tester`',
  ],
  ['a sub-agent without a name', [ask(undefined), ask({ agent: 7 })], '`call_agent` × 2'],
  [
    'names in one short line',
    [ask({ agent: 'a\nb' }), called('x'.repeat(65))],
    `\`call_agent → a b\`, \`${'x'.repeat(63)}…\``,
  ],
  ['names that cannot be seen', [called(''), called('\u200B\u0007')], '`(no name)` × 2'],
  ['names that are markdown', [called('</details>`\n\n# t')], "`</details>' # t`"],
  ['names of objects', [called('__proto__')], '`__proto__`'],
])('the tools by turn show %s', (_, calls, line) => {
  expect(toolsByTurn(calls, false)).toEqual([`Turn 1: ${line}`]);
});

it('the tools by turn have a line for each turn', () => {
  expect(toolsByTurn([read('a.ts'), called('fly', { turn: 3 })], false)).toEqual([
    'Turn 1: `read_file` (`a.ts`)',
    'Turn 3: `fly`',
  ]);
  expect(toolsByTurn(many, false)[0]).toMatch(/`read_file` × 7 \((?:`\dx+…`, ){5}…\)/);
});

it('the tools by turn do not say what calls were about if memory is in another repository (D14)', () => {
  const calls = [called('edit_note', { input: { path: 'projects/secret.md' } })];
  expect(toolsByTurn(calls, true)).toEqual(['Turn 1: `edit_note`']);
});
