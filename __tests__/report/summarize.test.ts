import { describe, expect, it } from '@jest/globals';
import { AxeError, CancelledError, ProviderError } from '../../src/lib/errors.js';
import { formatProvenance } from '../../src/memory/run-log.js';
import { annotationsOf } from '../../src/report/views/annotations.js';
import { formatUnsavedChanges } from '../../src/report/views/killed.js';
import { formatLog } from '../../src/report/views/log.js';
import { missingAnswerLine } from '../../src/report/views/missing-answer.js';
import type { GcResult } from '../../src/run/gc-result.js';
import type { CheckedAgent } from '../../src/run/records.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import {
  formatSummary,
  memoryReport,
  outputsOf,
  recordOf,
  refused,
  reportOf,
  STATS,
} from '../helpers/reports.js';

const ENTRY = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';

it('the summary of a dry run shows nothing of a memory in another repository (D14)', async () => {
  const parts = { memory: { 'bot.md': ENTRY } };
  const report = await reportOf('planned', parts, { prompt: 'Is it safe?' });
  const text = formatSummary(report, { isHidden: true });
  expect(text).not.toMatch(/2026-02-21|Review|Fine/);
  expect(text).toContain('<summary>System prompt</summary>\n\n```text\nYou help.\n```');
  expect(text).toContain('1 entry loaded from `/memory/bot.md`.\n\nWhat it says is not shown here');
});

it.each([
  ['the run failed', new AxeError('broken')],
  ['the run reached its time limit', new ProviderError('timeout', 'm')],
])('whoever asked in a comment is told that %s', (reason, error) => {
  expect(missingAnswerLine(recordOf({ kind: 'failed', thrown: error }))).toBe(
    `There is no answer: ${reason}.`,
  );
});

it('nobody is told of a run that was cancelled, also while it was at work', async () => {
  expect(
    missingAnswerLine(recordOf({ kind: 'failed', thrown: new CancelledError() })),
  ).toBeUndefined();
  const report = await reportOf('ran', { agents: { bot: AGENT } });
  const outcome = { kind: 'failed', error: new CancelledError(), stats: STATS } as const;
  expect(missingAnswerLine(recordOf({ ...report, outcome }))).toBeUndefined();
  const failed = { ...outcome, error: new AxeError('broken') };
  expect(missingAnswerLine(recordOf({ ...report, outcome: failed }))).toBe(
    'There is no answer: the run failed.',
  );
});

/** The report of garbage collection that came to this. */
const collected = (collection: GcResult) => ({ kind: 'gc', agent: 'bot', collection }) as const;

it.each<[GcResult['end'], string]>([
  [{ kind: 'empty' }, 'No memory entries for agent "bot". Nothing to do.'],
  [
    { kind: 'not-analysed' },
    'No entries trimmed: `offline/rules` cannot analyse. Choose a model with `--model`, or with the input `model` in a workflow.',
  ],
  [
    { kind: 'indivisible', entries: 3, target: 1 },
    'No trimming possible: the newest entry counts as 3, by its lines that start with `## `, and the limit is 1. An entry is never split.',
  ],
  [
    { kind: 'dry-run', plan: { kind: 'no-target' } },
    'Dry run: no entries trimmed. No model was asked, and no entry would be removed.',
  ],
  [
    { kind: 'dry-run', plan: { kind: 'trim', keeps: new Map(), removed: 1, kept: 2000 } },
    'Dry run: no entries trimmed. No model was asked, and 1 entry would be removed, 2,000 entries kept.',
  ],
])('garbage collection that trims nothing says why: %j', (end, line) => {
  const report = collected({ end });
  expect(formatLog(recordOf(report))).toEqual([line]);
  expect(formatSummary(report)).toContain(line);
  expect(outputsOf(report)).toMatchObject({ conclusion: 'success', 'memory-saved': '' });
});

it('garbage collection tells what findings were worth, where it may be told', () => {
  const saved = { kind: 'saved', location: 'axe-memory', attempts: 1 } as const;
  const report = collected({
    worth: '| 2026-11 |',
    end: { kind: 'trimmed', removed: 8, kept: 12, saved },
  });
  expect(formatSummary(report)).toContain('| 2026-11 |');
  expect(formatSummary(report, { isHidden: true })).not.toContain('| 2026-11 |');
});

it('garbage collection shows an analysis that was cut off, which is not a failed save', () => {
  const error = new AxeError('the analysis was cut off, so nothing was trimmed');
  const collection = {
    analysis: { text: '## Patt', unread: 0 },
    end: { kind: 'failed', error },
  } as const;
  const summary = formatSummary(collected(collection));
  expect(summary).toContain('## Patt\n');
  expect(summary).toContain(error.message);
  const outputs = outputsOf(collected(collection));
  expect(outputs).toMatchObject({ conclusion: 'failure', response: '## Patt' });
  expect(outputs['memory-save-error']).toBeUndefined();
  // Of a memory in another repository nothing is told here.
  expect(outputsOf(collected(collection), true)).toMatchObject({ response: '' });
  const trimming = collected({ ...collection, isTrimming: true });
  expect(outputsOf(trimming)['memory-save-error']).toBe(error.message);
});

describe('the outputs of a memory command', () => {
  it.each([
    ['not-found', 'skipped'],
    ['ambiguous', 'skipped'],
    ['refused', 'skipped'],
    ['unreadable', 'failure'],
    ['not-saved', 'failure'],
  ] as const)('from one that was not done, %s, are a %s', (reason, conclusion) => {
    const report = memoryReport(refused(reason));
    const levels = annotationsOf(recordOf(report)).map(({ level }) => level);
    expect(levels).toEqual([conclusion === 'skipped' ? 'notice' : 'error']);
    expect(outputsOf(report, false)).toEqual({
      conclusion,
      response: '',
      'memory-saved': reason === 'not-saved' ? 'false' : '',
      reason: conclusion === 'skipped' ? reason : 'Nothing was done: it is so.',
      ...(reason === 'not-saved' ? { 'memory-save-error': 'it is so' } : {}),
    });
  });

  it('report a change after half of the command was done', () => {
    expect(outputsOf(memoryReport(refused('not-saved', { changed: true })), false)).toMatchObject({
      conclusion: 'failure',
      'memory-saved': 'true',
    });
  });
});

function agent(name: string, faults: CheckedAgent['faults'] = []): CheckedAgent {
  return { name, file: `axe/agents/${name}.toml`, config: undefined, faults };
}

function validated(...agents: readonly CheckedAgent[]) {
  return { kind: 'validated', validation: { where: 'octocat/hello@1234567', agents } } as const;
}

const markdownOf = (...agents: readonly CheckedAgent[]) => formatSummary(validated(...agents));

const AT = { file: 'axe/agents/broken.toml' };
const BROKEN = agent('broken', [
  { severity: 'error', message: 'It is\nwrong.', remedy: 'Fix it.', at: { ...AT, line: 1 } },
  { severity: 'warning', message: 'It is odd.', remedy: '', at: AT },
]);

it('the summary of agent validation has a row for each agent and lists the problems', () => {
  expect(markdownOf(agent('a'), BROKEN)).toBe(`### axe-action: the agents are not valid

2 agents in octocat/hello@1234567. No model was asked and memory was not touched.

| Agent | Result |
| --- | --- |
| \`axe/agents/a.toml\` | valid |
| \`axe/agents/broken.toml\` | 1 error, 1 warning |

- **error** \`axe/agents/broken.toml:1\`: It is wrong. Fix it.
- **warning** \`axe/agents/broken.toml\`: It is odd.`);
});

it('the summary of agent validation has cells that cannot leave their row, however long a name is', () => {
  const row = markdownOf(agent(`long|${'c'.repeat(5000)}`))
    .split('\n')
    .find((line) => line.startsWith('| `axe/agents/long'));
  expect(row?.length).toBeLessThan(200);
  expect(row).toContain('long\\|ccc');
});

it.each([
  ['cannot use [x](https://example.com)', 'cannot use \\[x](https://example.com)'],
  ['"<img src=x>" is none', '"\\<img src=x>" is none'],
  ['did you mean `[memory]`?', 'did you mean `[memory]`?'],
  ['`a``[x](y)```', '\\`a\\`\\`\\[x](y)\\`\\`\\`'],
  ['`a\\` [x](y) `', '`a\\` \\[x](y) \\`'],
  ['\\[x](y)', '\\\\\\[x](y)'],
])('text by strangers in an agent is not markup in %j', (message, shown) => {
  const fault = { severity: 'warning', message, remedy: '', at: { file: 'a\n# b.toml' } } as const;
  expect(markdownOf(agent('a', [fault]))).toContain(`- **warning** \`a # b.toml\`: ${shown}`);
});

it('the log names a file with control characters in quotes', () => {
  expect(formatLog(recordOf(validated(agent('x\n::error::hi'))))[1]).toBe(
    '  "axe/agents/x\\n::error::hi.toml": valid',
  );
});

it('the log states whose agents were checked, with the result for each', () => {
  expect(formatLog(recordOf(validated(agent('a'), BROKEN)))).toEqual([
    'Checked 2 agents in octocat/hello@1234567:',
    '  axe/agents/a.toml: valid',
    '  axe/agents/broken.toml: 1 error, 1 warning',
  ]);
});

it('a post step that could not save shows the entries without their internal lines', () => {
  const texts = [`${ENTRY.trimEnd()}\n${formatProvenance({ id: 'id1' })}\n\n`, ENTRY];
  const entries = texts.map(
    (text) => ({ kind: 'append', path: 'bot.md', id: 'id1', text }) as const,
  );
  expect(formatUnsavedChanges(entries, false)).toBe(
    'The main step left this unsaved, so it is shown here:\n\n' +
      `\`\`\`text\n${ENTRY}${ENTRY.trimEnd()}\n\`\`\``,
  );
  // Two entries of a tainted run have one id.
  expect(formatUnsavedChanges(entries, true)).toBe(
    'What the main step left belongs to another repository: `id1`.',
  );
});
