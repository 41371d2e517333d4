import { describe, expect, it } from '@jest/globals';
import {
  formatFailureSummary,
  formatSummary,
  formatUnsavedSummary,
} from '../../../src/actions/report/format-summary.js';
import { createNoneStore } from '../../../src/adapters/stores/none-store.js';
import { AxeError } from '../../../src/core/errors.js';
import { formatProvenance } from '../../../src/core/memory/provenance.js';
import type { Limit, RunOutcome, RunStats } from '../../../src/core/outcome.js';
import { DEFAULT_MEMORY_POLICY } from '../../../src/core/plan.js';
import type { Warning } from '../../../src/core/warning.js';
import type { RunReport } from '../../../src/run/request.js';
import { called, completed, exhausted, reportOf, STATS } from '../../helpers/reports.js';
import { comment, issue, pullRequest, STRANGER } from '../../helpers/triggers.js';
import { AGENT } from '../../helpers/world-fake.js';

const ENTRY = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';
const ORIGIN = { runId: '1', attempt: '1', job: 'review', sha: 'c'.repeat(40) };

const format = (report: RunReport, warnings: readonly Warning[] = [], clean = (text: string) => text) =>
  formatSummary(report, { warnings, view: { isHidden: false, notes: [] }, clean });

/** What every summary of a run of the agent `bot` ends with. */
const FIGURES = `| Model | Turns | Input tokens | Output tokens | Time | Trust |
| --- | --- | --- | --- | --- | --- |
| claude-sonnet-4-5 | 2 | 1200 | 34 | 6.5 s | trusted |`;
const figuresAt = (
  limit: Limit,
) => `| Model | Turns | Input tokens | Output tokens | Time | Limit reached | Trust |
| --- | --- | --- | --- | --- | --- | --- |
| claude-sonnet-4-5 | 2 | 1200 | 34 | 6.5 s | ${limit} | trusted |`;
const OFF = '**Memory:** off. Set `enabled = true` in `[memory]` of the agent to have it remember.';

describe('the summary of a run', () => {
  it('has answer, comment, memory, warnings and figures, in this order', async () => {
    const url = 'https://github.com/octocat/hello/pull/42#issuecomment-1';
    const published = { line: 'Posted a comment on #42.', url };
    const parts = { memory: { 'bot.md': ENTRY }, published };
    const report = await reportOf('ran', parts, { trigger: pullRequest(), origin: ORIGIN, inWorkflow: true });
    const warnings: readonly Warning[] = [
      { code: 'context-truncated', message: 'the diff is cut;\n  the rest is left out' },
      {
        code: 'agent-unknown-key',
        message: 'unknown key `modle`',
        at: { file: 'bot.toml', line: 3, column: 1 },
      },
    ];
    expect(format({ ...report, outcome: completed('Looks **good**.') }, warnings)).toBe(`### bot: success

Looks **good**.

Posted a comment on #42. ${url}

---

**Memory** (file): 1 entry loaded from \`/memory/bot.md\`.

<details><summary>What the model was given from memory</summary>

\`\`\`text
## 2026-02-21T10:01:00Z
**Task:** Review
**Result:** Fine.
\`\`\`

</details>

Added to \`/memory/bot.md\`:

\`\`\`text
## 2026-02-03T04:05:06Z
**Task:** Review pull request #42: Fix auth
**Result:** Posted a comment on #42.
the answer
\`\`\`

**Warnings**

- the diff is cut; the rest is left out
- unknown key \`modle\` (\`bot.toml:3:1\`)

${FIGURES}`);
  });

  it('says how an agent without memory gets one', async () => {
    const report = await reportOf('ran', { agents: { bot: AGENT } });
    expect(format({ ...report, outcome: completed('Fine.') })).toBe(
      `### bot: success\n\nFine.\n\n---\n\n${OFF}\n\n${FIGURES}`,
    );
  });

  it.each<[string, RunOutcome, string, string?]>([
    [
      'failed: its error as it is',
      {
        kind: 'failed',
        error: new AxeError('server: `boom` ```', { remedy: 'Run it again.' }),
        stats: STATS,
      },
      '### bot: failure\n\n````text\nserver: `boom` ```\n  Run it again.\n````\n\n---\n\n',
    ],
    [
      'was cut short: what there is, and why',
      {
        kind: 'exhausted',
        limit: 'turns',
        answer: 'So far.',
        error: new AxeError('agent exceeded maximum conversation turns (50)'),
        stats: STATS,
      },
      '### bot: max-turns\n\nSo far.\n\n```text\nagent exceeded maximum conversation turns (50)\n```\n\n---\n\n',
      figuresAt('turns'),
    ],
    [
      'was cut short before it said anything: why',
      {
        kind: 'exhausted',
        limit: 'time',
        answer: '',
        error: new AxeError('timeout: context deadline exceeded'),
        stats: STATS,
      },
      '### bot: timeout\n\n```text\ntimeout: context deadline exceeded\n```\n\n---\n\n',
      figuresAt('time'),
    ],
    [
      'came to the end of its tokens: which limit it was',
      exhausted('tokens', 'So far.'),
      '### bot: budget-exceeded\n\nSo far.\n\n```text\nno tokens left\n  Raise the limit of tokens.\n```\n\n---\n\n',
      figuresAt('tokens'),
    ],
    [
      'came to the end of its money: which limit it was',
      exhausted('cost', 'So far.'),
      '### bot: budget-exceeded\n\nSo far.\n\n```text\nno cost left\n  Raise the limit of cost.\n```\n\n---\n\n',
      figuresAt('cost'),
    ],
    [
      'is incomplete: what there is, and why',
      { kind: 'incomplete', answer: 'So f', error: new AxeError('the answer was cut'), stats: STATS },
      '### bot: incomplete\n\nSo f\n\n```text\nthe answer was cut\n```\n\n---\n\n',
    ],
    [
      'was refused: what the model said',
      { kind: 'refused', answer: 'I will not.', stats: STATS },
      '### bot: refused\n\nI will not.\n\n---\n\n',
    ],
    ['said nothing', completed(''), '### bot: success\n\n---\n\n'],
  ])('shows of one that %s', async (_, outcome, expected, figures = FIGURES) => {
    const report = await reportOf('ran', { agents: { bot: AGENT } });
    expect(format({ ...report, outcome })).toBe(`${expected}${OFF}\n\n${figures}`);
  });

  it.each<[string, Partial<RunStats>, string, string]>([
    ['tools were called', { toolCalls: 3 }, '| Turns | Tool calls | Input tokens |', '| 2 | 3 | 1200 |'],
    ['requests were sent again', { retries: 4 }, '| Turns | Retries | Input tokens |', '| 2 | 4 | 1200 |'],
    ['a price is known', { costUsd: 1.23456 }, '| Output tokens | Cost | Time |', '| 34 | $1.2346 | 6.5 s |'],
    ['it cost next to nothing', { costUsd: 0.00001 }, '| Cost |', '| below $0.0001 |'],
    ['it cost nothing', { costUsd: 0 }, '| Cost |', '| $0 |'],
  ])('has figures of their own where %s', async (_, stats, head, values) => {
    const report = await reportOf('ran', { agents: { bot: AGENT } });
    const lines = format({ ...report, outcome: completed('Fine.', stats) })
      .split('\n')
      .slice(-3);
    expect(lines[0]).toContain(head);
    expect(lines[2]).toContain(values);
    expect(lines.map((line) => line.split('|').length)).toEqual([9, 9, 9]);
  });

  it('lists what was called, with errors and with what was not on offer', async () => {
    const report = await reportOf('ran', { agents: { bot: AGENT } });
    const calls = [
      called('read_file'),
      called('read_file', { isError: true }),
      called('call_agent', { input: { agent: 'linter', task: 't' } }),
      called('read_file', { isError: true }),
      called('fly', { isError: true, isDenied: true }),
    ];
    const text = format({ ...report, outcome: completed('Fine.', { toolCalls: 5, calls }) });
    expect(text).toContain(`${OFF}

<details><summary>What the agent called</summary>

- \`read_file\`: 3 calls, 2 errors
- \`call_agent → linter\`: 1 call
- \`fly\`: 1 call, not offered

</details>

| Model | Turns | Tool calls |`);
  });

  it('keeps the list of what was called short, whatever names a model makes up', async () => {
    const report = await reportOf('ran', { agents: { bot: AGENT } });
    const names = [
      '</details>`\n\n# Hi',
      'x'.repeat(500),
      ...Array.from({ length: 60 }, (_, index) => `t${index}`),
    ];
    const calls = names.map((name) => called(name, { isError: true, isDenied: true }));
    const text = format({ ...report, outcome: completed('', { toolCalls: calls.length, calls }) });
    const lines = text.split('\n').filter((line) => line.startsWith('- '));
    expect(lines).toHaveLength(51);
    expect(lines[0]).toBe("- `</details>' # Hi`: 1 call, not offered");
    expect(lines[1]).toBe(`- \`${'x'.repeat(63)}…\`: 1 call, not offered`);
    expect(lines.at(-1)).toBe('- and 12 more');
  });

  it('cleans the answer and nothing that is its own', async () => {
    const report = await reportOf('ran', { memory: { 'bot.md': ENTRY } });
    const cleaned: string[] = [];
    const text = format(report, [], (markdown) => {
      cleaned.push(markdown);
      return 'CLEAN';
    });
    expect(cleaned).toEqual(['the answer']);
    expect(text).toContain('### bot: success\n\nCLEAN\n\n---\n\n**Memory** (file)');
  });

  it('shows an entry that was not saved, so that it is not lost (D14), and that it stays apart (D19)', async () => {
    const save = { kind: 'failed', reason: 'denied', message: 'the token may only read' } as const;
    const memoryPolicy = { ...DEFAULT_MEMORY_POLICY, write: 'quarantine' } as const;
    const report = await reportOf(
      'ran',
      { save },
      { trigger: issue({ author: STRANGER }), origin: ORIGIN, inWorkflow: true, memoryPolicy },
    );
    const text = format({ ...report, outcome: completed('Fine.') });
    expect(text).toBe(`### bot: success

Fine.

---

**Memory** (file): nothing yet in \`/memory/bot.md\`.

**Not saved:** the token may only read. The entry, so that nothing is lost:

\`\`\`text
## 2026-02-03T04:05:06Z
**Task:** Triage issue #7: Login is broken
**Result:** the answer
\`\`\`

The entry is kept apart from what trusted runs load because it reads text by hubot, who is not known to have write access.

${FIGURES.replace('| trusted |', '| untrusted |')}`);
  });

  it('says where nothing is kept, and shows no entry then', async () => {
    const text = format(await keptNowhere('ran'));
    expect(text).toContain('\n\n**Memory** (none): nothing is kept (`memory-store: none`).\n\n| Model |');
    expect(text).not.toContain('the answer\n```');
  });

  it('can have anything in it without losing its shape', async () => {
    const wild = `${ENTRY}Four backticks: \`\`\`\` and </details>\n`;
    const report = await reportOf('ran', { memory: { 'bot.md': wild } });
    const stats = { ...STATS, modelId: 'a|b\nc' };
    const text = format({ ...report, outcome: { kind: 'completed', answer: '', stats } });
    expect(text).toContain('\n`````text\n## 2026-02-21T10:01:00Z');
    expect(text).toContain('</details>\n`````\n\n</details>');
    expect(text).toContain('\n| a\\|b c | 2 |');
  });
});

it('lists what the token may not read apart from warnings', async () => {
  const warnings: readonly Warning[] = [
    { code: 'context-unread', message: 'no checks' },
    { code: 'model-warning', message: 'odd' },
  ];
  const summary = format(await reportOf('ran'), warnings);
  expect(summary).toContain('**Warnings**\n\n- odd\n\n**Not read**\n\n- no checks\n');
});

describe('the summary of a dry run', () => {
  it('shows everything that would be sent and added', async () => {
    const parts = { memory: { 'bot.md': ENTRY } };
    const report = await reportOf('planned', parts, { prompt: 'Is it safe?\nSay why.' });
    const warnings: readonly Warning[] = [{ code: 'context-truncated', message: 'cut' }];
    expect(format(report, warnings)).toBe(`### bot: dry run

No model was asked and nothing was written, memory included. This would have been sent:

<details><summary>System prompt</summary>

\`\`\`text
You help.

---

## Memory

${ENTRY}
\`\`\`

</details>

<details><summary>User message</summary>

\`\`\`text
Is it safe?
Say why.
\`\`\`

</details>

**Memory** (file): 1 entry loaded from \`/memory/bot.md\`.

<details><summary>What the model was given from memory</summary>

\`\`\`text
${ENTRY.trimEnd()}
\`\`\`

</details>

An entry for the task “Is it safe? Say why.” would have been added.

**Warnings**

- cut

| Agent | Model | Trust | Time limit |
| --- | --- | --- | --- |
| bot.toml | openai/m | trusted | 120 s |`);
  });

  it('shows nothing of a memory that is to stay in another repository (D14)', async () => {
    const parts = { memory: { 'bot.md': ENTRY } };
    const report = await reportOf('planned', parts, { prompt: 'Is it safe?' });
    const view = { isHidden: true, notes: [] };
    const text = formatSummary(report, { warnings: [], view, clean: (markdown) => markdown });
    expect(text).not.toMatch(/2026-02-21|Review|Fine/);
    expect(text).toContain('<summary>System prompt</summary>\n\n```text\nYou help.\n```');
    expect(text).toContain('1 entry loaded from `/memory/bot.md`.\n\nWhat it says is not shown here');
    expect(text).toContain('\n\nAn entry would have been added.\n\n| Agent |');
  });

  it.each([
    [false, true],
    [true, false],
  ])('with memory hidden: %s shows notes where they would be sent: %s', async (isHidden, isShown) => {
    const report = await reportOf('planned', { memory: { 'bot.md': ENTRY } });
    const { memory } = report;
    if (memory === undefined) throw new Error('the agent has no memory');
    const notes = { block: '<memory>a fact</memory>', toolsPrompt: '' };
    const view = { isHidden, notes: [] };
    const text = formatSummary(
      { ...report, memory: { ...memory, notes } },
      {
        warnings: [],
        view,
        clean: (markdown) => markdown,
      },
    );
    expect(text.includes(`${ENTRY}\n\n---\n\n<memory>a fact</memory>`)).toBe(isShown);
    expect(text.includes('a fact')).toBe(isShown);
  });

  it('of a run that is to add nothing announces no entry', async () => {
    const memoryPolicy = { ...DEFAULT_MEMORY_POLICY, write: 'never' } as const;
    const text = format(await reportOf('planned', {}, { memoryPolicy }));
    expect(text).toContain('`memory-write: never`: this run adds nothing to memory.\n\n| Agent |');
  });

  it('of an agent without memory and instructions says so', async () => {
    const agents = { bot: 'name = "bot"\nmodel = "openai/m"\n' };
    const text = format(await reportOf('planned', { agents }));
    expect(text).toContain('<summary>System prompt</summary>\n\n```text\n(none)\n```\n');
    expect(text).toContain(`\n\n</details>\n\n${OFF}\n\n| Agent |`);
  });

  it('announces no entry where none would be kept', async () => {
    expect(format(await keptNowhere('planned'))).not.toContain('would have been added');
    const restore = { kind: 'failed', message: 'permission denied', location: '/m.md' } as const;
    const unreadable = format(await reportOf('planned', { restore }));
    expect(unreadable).toContain('**Memory** (file): not loaded: permission denied.\n\n| Agent |');
  });
});

describe('the summary of a run that did not take place', () => {
  it('says why, and what to do', async () => {
    const report = await reportOf('skipped', {}, { trigger: pullRequest({ isFork: true }) });
    expect(format(report)).toBe(
      '### axe-action: skipped\n\n' +
        'Pull request #42 comes from the fork octocat/hello; forks are not run by themselves.\n\n' +
        'Somebody with write access can start it by a comment, where the workflow runs on `issue_comment`, or by a label, on `pull_request_target`.',
    );
  });

  it('says why where nothing can be done', async () => {
    const trigger = comment({ body: '<!-- axe-action sticky agent=bot -->\nFine.' });
    expect(format(await reportOf('skipped', {}, { trigger }))).toBe(
      '### axe-action: skipped\n\nThe comment was written by a run of axe-action, which does not answer itself.',
    );
  });

  it('has the error as it is, and the warnings until then', () => {
    const message = 'agent config not found: bot\n  There are: `other`.';
    const warnings: readonly Warning[] = [{ code: 'agent-unknown-key', message: 'unknown key' }];
    expect(formatFailureSummary({ conclusion: 'failure', message }, warnings)).toBe(
      `### axe-action: failure\n\n\`\`\`text\n${message}\n\`\`\`\n\n**Warnings**\n\n- unknown key`,
    );
    expect(formatFailureSummary({ conclusion: 'timeout', message: 'm' }, [])).toBe(
      '### axe-action: timeout\n\n```text\nm\n```',
    );
  });
});

describe('the summary of a post step that could not save', () => {
  it('has why, and the entries without what only we read', () => {
    const provenance = formatProvenance({
      id: 'id1',
      run: '1/1',
      job: 'review',
      event: 'push',
      sha: 'ccccccc',
      actor: 'octocat',
      trust: 'trusted',
      model: 'openai/m',
    });
    const texts = [`${ENTRY.trimEnd()}\n${provenance}\n\n`, ENTRY];
    const entries = texts.map((text) => ({ kind: 'append', path: 'bot.md', id: 'id1', text }) as const);
    const why = 'failed to save memory: no cache';
    expect(formatUnsavedSummary(why, entries, { isHidden: false })).toBe(
      '### axe-action: memory not saved\n\nfailed to save memory: no cache\n\n' +
        'What the main step left, so that it is not lost:\n\n' +
        `\`\`\`text\n${ENTRY}${ENTRY.trimEnd()}\n\`\`\``,
    );
    // Two entries of a tainted run have one id.
    expect(formatUnsavedSummary(why, entries, { isHidden: true })).toBe(
      `### axe-action: memory not saved\n\n${why}\n\n` +
        'What the main step left belongs in another repository, so it is not shown here: `id1`.',
    );
  });
});

/** A run whose memory is kept nowhere, with what the real store of that kind gives. */
async function keptNowhere(kind: 'ran' | 'planned'): Promise<RunReport> {
  const store = createNoneStore();
  const signal = new AbortController().signal;
  const restored = await store.read({ paths: ['bot.md'], lastN: 0, count: false }, signal);
  const memory = { store, restored, text: '', facts: [] };
  if (kind === 'planned') return { ...(await reportOf('planned')), memory };
  const report = await reportOf('ran');
  if (report.remembered.kind === 'nothing') throw new Error('nothing was remembered');
  const remembered = { ...report.remembered, result: await store.write([], signal) };
  return { ...report, memory, remembered };
}
