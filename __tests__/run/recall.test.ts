import { expect, it } from '@jest/globals';
import type { TriggerContext } from '../../src/event/context.js';
import type { Trigger } from '../../src/event/trigger.js';
import { formatEntry, formatProvenance, parseEntries } from '../../src/memory/run-log.js';
import { formatMemory } from '../../src/report/views/memory.js';
import { withFittingLog } from '../../src/run/memory.js';
import { runPipeline } from '../../src/run/run.js';
import { runSubject } from '../../src/run/subject.js';
import { formatEvent } from '../../src/runner/action-reporter.js';
import {
  AGENT_WITH_MEMORY,
  createFakeDependencies,
  type FakeDependenciesParts,
  makeRequest,
} from '../helpers/dependencies-fake.js';
import { createFakeModel, says } from '../helpers/model-fake.js';
import { outputsOf, ranRecordOf, WRITER } from '../helpers/reports.js';
import {
  comment,
  issue,
  pullRequest,
  SCHEDULE,
  STRANGER,
  workflowRun,
} from '../helpers/triggers.js';

const ORIGIN = { runId: '99', attempt: '1', sha: 'c'.repeat(40) };
const FILLER = 'Looked at every file. '.repeat(20);

function changeOf(
  ...files: readonly (readonly [path: string, additions: number])[]
): TriggerContext {
  return {
    kind: 'pull_request',
    diff: '',
    files: files.map(([path, additions]) => ({
      path,
      status: 'modified',
      additions,
      deletions: 0,
    })),
    filesTotal: files.length,
    warnings: [],
  };
}

/** A log of so many entries, of which the second is about a file. */
function logOf(count: number, files = ['src/auth.ts']): string {
  return Array.from({ length: count }, (_, at) =>
    formatEntry({
      timestamp: new Date(Date.UTC(2026, 0, 1, 0, at)),
      task: `task-${at + 1}.`,
      result: FILLER,
      provenance: formatProvenance({
        id: `e${at + 1}`,
        on: `#${at + 101}`,
        ...(at === 1 && { files }),
      }),
    }),
  ).join('');
}

const CHANGE = changeOf(['src/few.ts', 1], ['src/auth.ts', 20], ['src/some.ts', 5]);

async function run(parts: FakeDependenciesParts, trigger: Trigger) {
  const model = createFakeModel([says('Done.')]);
  const deps = createFakeDependencies({
    agents: { bot: AGENT_WITH_MEMORY },
    memory: { 'bot.md': logOf(60) },
    permissions: WRITER,
    context: CHANGE,
    model,
    ...parts,
  });
  const report = await runPipeline(
    makeRequest({ trigger, origin: ORIGIN, inWorkflow: true }),
    deps,
  );
  if (report.kind !== 'ran') throw new Error(`the run was ${report.kind}`);
  const prompt = JSON.stringify(model.asked[0]?.prompt);
  const tasks = [...prompt.matchAll(/task-(\d+)\./g)].map(([, number]) => Number(number));
  return { deps, report, prompt, tasks };
}

it('a run about a change is given the newest entries and those about its files, and says so', async () => {
  const { report, prompt, tasks } = await run({}, pullRequest());
  expect(tasks).toEqual([2, 52, 53, 54, 55, 56, 57, 58, 59, 60]);
  const sentence = 'The 9 newest entries of 60, and 1 older one about files of this change.';
  expect(prompt).toContain(`## Memory\\n\\n${sentence}\\n\\n## 2026-01-01T00:01:00Z\\n`);
  expect(prompt).not.toContain('axe-action v=1');

  expect(outputsOf(report)['memory-loaded']).toBe('10');
  const why = '10 of 60 entries loaded from';
  const { plan, memory } = report;
  const lines = formatEvent({ kind: 'run-started', plan, memory });
  expect(lines.join('\n')).toMatch(new RegExp(`${why} .*: 9 newest, 1 about src/auth\\.ts$`, 'm'));
  const hidden = formatEvent({ kind: 'run-started', plan, memory }, true);
  expect(hidden.join('\n')).toMatch(new RegExp(`${why} .*: 9 newest, 1 about its subject$`, 'm'));
  const summary = formatMemory(ranRecordOf({ ...report, remembered: undefined }));
  expect(summary).toContain(': 9 newest, 1 about `src/auth.ts`.');
  expect(summary).toContain('Newest: `2026-01-01T00:51:00Z #152`, ');
  expect(summary).toContain('. Related: `2026-01-01T00:01:00Z #102`.');
});

it('entries that do not fit into the prompt are left out of the choice, whatever their headings', async () => {
  const log = logOf(60).replaceAll(`**Result:** `, '**Result:** Done.\n## Findings\n');
  const { memory } = (await run({ memory: { 'bot.md': log } }, pullRequest())).report;
  if (memory === undefined) throw new Error('nothing was loaded');
  const end = memory.text.slice(memory.text.indexOf('## 2026-01-01T00:58'));
  const { recalled, restored } = withFittingLog(memory, end);
  expect(recalled?.entries.map(({ text }) => text.slice(0, 19))).toEqual([
    '## 2026-01-01T00:58',
    '## 2026-01-01T00:59',
  ]);
  expect(recalled?.leftOut).toBe(58);
  expect(restored).toMatchObject({ loaded: 4 });
});

it('links lead to the lines of entries where the store has an address', async () => {
  const url = 'https://github.com/o/r/blob/axe-memory/bot.md';
  const { deps, report } = await run({}, pullRequest());
  const { memory } = report;
  if (memory?.restored.kind !== 'restored') throw new Error('nothing was loaded');
  const restored = { ...memory.restored, url };
  const given = { ...report, memory: { ...memory, restored }, remembered: undefined };
  const link = /\[`2026-01-01T00:01:00Z #102`\]\(([^?]*)\?plain=1#L(\d+)\)/.exec(
    formatMemory(ranRecordOf(given)),
  );
  expect(link?.[1]).toBe(url);
  const lines = (deps.memory.get('bot.md') ?? '').split('\n');
  expect(lines[Number(link?.[2]) - 1]).toBe('## 2026-01-01T00:01:00Z');
  expect(formatMemory(ranRecordOf(given, { isHidden: true }))).not.toContain('Entries:');
});

it.each<[string, Trigger, Partial<FakeDependenciesParts>, number]>([
  ['a schedule', SCHEDULE, { context: { kind: 'none', warnings: [] } }, 60],
  [
    'an agent with `last_n`',
    pullRequest(),
    { agents: { bot: `${AGENT_WITH_MEMORY}last_n = 5\n` } },
    5,
  ],
  [
    'an agent with `max_log_bytes`',
    pullRequest(),
    { agents: { bot: `${AGENT_WITH_MEMORY}max_log_bytes = 100000\n` } },
    60,
  ],
  ['a log that fits', pullRequest(), { memory: { 'bot.md': logOf(20) } }, 20],
])('%s gets the newest entries', async (_, trigger, parts, count) => {
  const { prompt, tasks } = await run(parts, trigger);
  expect(tasks).toHaveLength(count);
  expect(prompt).not.toContain('newest entries');
});

it.each<[string, number, number]>([
  ['', 256 * 1024 - 1000, 256 * 1024],
  ['max_log_bytes = 0', 256 * 1024 - 1000, 256 * 1024],
  ['max_log_bytes = 300000', 299_000, 300_000],
])(
  'a run without a subject gets the newest 256 KiB, or what %j allows',
  async (key, least, most) => {
    const log = logOf(800);
    const { report } = await run(
      {
        agents: { bot: `${AGENT_WITH_MEMORY}${key}\n` },
        context: { kind: 'none', warnings: [] },
        memory: { 'bot.md': log },
      },
      SCHEDULE,
    );
    const { restored } = report.memory ?? {};
    const text = restored?.kind === 'restored' ? restored.text : '';
    expect(log.endsWith(text)).toBe(true);
    expect(text.length).toBeGreaterThan(least);
    expect(text.length).toBeLessThanOrEqual(most);
  },
);

it('an entry names its pull request and files, the most changed first', async () => {
  const { deps } = await run({ memory: {} }, pullRequest());
  expect(deps.memory.get('bot.md')).toMatch(
    / on=%2342 files=src\/auth\.ts,src\/some\.ts,src\/few\.ts -->\n\*\*Result/,
  );
});

it('the computed entry of a run with strangers’ words has no files; the one kept apart has', async () => {
  const trigger = pullRequest({ action: 'labeled', author: STRANGER, body: 'Please.' });
  const { deps } = await run({ memory: {} }, trigger);
  expect(deps.memory.get('bot.md')).toMatch(/ on=%2342 files=- computed=yes -->/);
  expect(deps.memory.get('apart/bot.md')).toMatch(/ files=src\/auth\.ts,/);
  expect(parseEntries(deps.memory.get('bot.md') ?? '')).toHaveLength(1);
});

const DIFF = 'diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-x\n+y\n';
const NOTHING = { reportsOn: undefined, context: undefined, diff: undefined };

it.each([
  ['a schedule', SCHEDULE, NOTHING, undefined],
  ['a command line', { kind: 'local' } as const, NOTHING, undefined],
  [
    '`--git`',
    { kind: 'local' } as const,
    { ...NOTHING, diff: DIFF },
    { paths: ['a.ts'], words: [] },
  ],
  [
    'a push',
    SCHEDULE,
    { ...NOTHING, context: { ...changeOf(['a.ts', 1]), kind: 'change' } as TriggerContext },
    { paths: ['a.ts'], words: [] },
  ],
  [
    'an issue',
    issue({ title: 'Login: the time-out is too long, is it?' }),
    NOTHING,
    { on: '#7', paths: [], words: ['login', 'time', 'long'] },
  ],
  [
    'a comment on a pull request',
    comment({ on: 'pull_request' }),
    { ...NOTHING, context: changeOf(['a.ts', 1]) },
    { on: '#7', paths: ['a.ts'], words: [] },
  ],
  [
    'a workflow run',
    workflowRun(),
    { ...NOTHING, reportsOn: 9 },
    { on: '#9', paths: [], words: [] },
  ],
])('the subject of %s', (_, trigger, parts, expected) => {
  expect(runSubject(trigger, parts)).toEqual(expected);
});

it('a renamed file is found by both of its paths', () => {
  const context = changeOf(['new.ts', 3]);
  if (context.kind !== 'pull_request') throw new Error('no pull request');
  const renamed = {
    ...context,
    files: context.files.map((file) => ({ ...file, previousPath: 'old.ts' })),
  };
  expect(runSubject(pullRequest(), { ...NOTHING, context: renamed })?.paths).toEqual([
    'new.ts',
    'old.ts',
  ]);
});
