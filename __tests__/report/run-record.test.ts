import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { RECORD_SCHEMA } from '../../scripts/schema/record-schema.js';
import { NO_PUBLICATIONS } from '../../src/findings/buffered-publications.js';
import { AxeError, CancelledError, ProviderError, type Warning } from '../../src/lib/errors.js';
import type { RunOutcome } from '../../src/lib/outcome.js';
import type { FinishedRun } from '../../src/report/conclusion.js';
import { RUN_ENDS, withoutTexts } from '../../src/report/run-record.js';
import { PLAIN_RECORD } from '../findings/records.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import {
  completed,
  exhausted,
  memoryReport,
  recordOf,
  refused,
  reportOf,
  STATS,
} from '../helpers/reports.js';
import { pullRequest } from '../helpers/triggers.js';

const FILE = join(resolve(import.meta.dirname, '../..'), 'schema/run.schema.json');
const validate = new Ajv2020({ allErrors: true }).compile(JSON.parse(readFileSync(FILE, 'utf8')));

const WARNINGS: readonly Warning[] = [
  { code: 'context-unread', message: 'the checks were not read' },
  { code: 'context-unread', message: 'the statuses were not read' },
];

/** The record as the transcript has it. `findings`: words of `fail-on`. */
function lineOf(report: FinishedRun, findings: readonly string[] = []) {
  const trigger = pullRequest();
  const failOn = { conclusions: [], memory: false, findings };
  const line = withoutTexts(recordOf(report, { trigger, failOn, warnings: WARNINGS }));
  return JSON.parse(JSON.stringify(line));
}

const FAILED: FinishedRun = { kind: 'failed', thrown: new AxeError('no such agent') };

async function reports(): Promise<readonly FinishedRun[]> {
  const parts = {
    memory: { 'bot.md': '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n' },
  };
  return [
    await reportOf('ran', parts),
    await reviewOf(completed('Fine.')),
    await reportOf('planned', parts),
    { kind: 'skipped', decision: { kind: 'skip', reason: 'fork', message: 'it is a fork' } },
    memoryReport(refused('not-found')),
    {
      kind: 'gc',
      agent: 'bot',
      collection: { end: { kind: 'failed', error: new AxeError('no') } },
    } as FinishedRun,
    { kind: 'validated', validation: { where: 'axe/agents', agents: [] } },
    FAILED,
  ];
}

/** A review with an open finding, of which not all could be posted. */
async function reviewOf(outcome: RunOutcome): Promise<FinishedRun> {
  const ran = await reportOf('ran', { agents: { bot: AGENT } });
  const findings = [
    { ...PLAIN_RECORD, isNew: true as const },
    { ...PLAIN_RECORD, state: 'settled' as const },
  ];
  const coverage = {
    kind: 'part',
    files: 2,
    read: 1,
    unread: [{ path: 'b.ts', why: 'budget' }],
  } as const;
  return {
    ...ran,
    outcome,
    read: { coverage, unseen: [] },
    buffered: {
      ...NO_PUBLICATIONS,
      unverified: 1,
      refusedFindings: [{ path: 'a.ts', line: 1, title: 'A', code: 'too-mild', least: 'minor' }],
      refusals: [{ tool: 'set_labels', code: 'label', detail: '"x"' }],
    },
    published: {
      ...ran.published,
      posts: [{ kind: 'review', number: 2, url: 'https://github.com/o/r/pull/2#r1', comments: [] }],
      reviewResult: {
        agent: 'bot',
        report: { head: 'a'.repeat(40), base: 'b'.repeat(40), pull: 2, coverage, findings },
        isUnpublished: false,
      },
    },
  };
}

describe('schema/run.schema.json', () => {
  it('is what `node scripts/schema.js` writes', () => {
    expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(RECORD_SCHEMA);
  });

  it('has a record of every end', async () => {
    const records = (await reports()).map((report) => lineOf(report));
    expect(records.filter((record) => !validate(record)).map(() => validate.errors)).toEqual([]);
    expect(new Set(records.map(({ end }) => end))).toEqual(new Set(RUN_ENDS));
  });
});

it('the record of a run counts findings once, and names posts and refusals by codes', async () => {
  expect(lineOf(await reviewOf(completed('Fine.')))).toMatchObject({
    end: 'ran',
    conclusion: 'success',
    event: { name: 'pull_request', number: 42 },
    read: { coverage: { kind: 'part' } },
    work: { turns: 2, inputTokens: 1200 },
    findings: { open: 1, fresh: 1, unverified: 1, records: [{}, {}] },
    posted: [{ kind: 'review', number: 2 }],
    refused: { refusedFindings: [{ code: 'too-mild' }], refusals: [{ code: 'label' }] },
    warnings: ['context-unread'],
  });
});

it('the record of a run has no sentence that a step has written', async () => {
  const { findings: _, plan: _plan, work: _work, ...rest } = lineOf(await reviewOf(completed('')));
  const texts = JSON.stringify(rest).match(/"[^"]*"/g) ?? [];
  expect(texts.filter((text) => /\w+ \w+ \w+/.test(text))).toEqual([]);
});

it('the record of a run has no word of a memory in another repository, texts included (D14)', async () => {
  const parts = {
    memory: { 'bot.md': '## 2026-02-21T10:01:00Z\n**Task:** Audit\n**Result:** Doors.\n\n' },
  };
  const analysis = { text: 'Audit the doors.', unread: 0 };
  const days = new Map([['2026-02-21', 1]]);
  const counted = { entries: 1, parts: [], days, words: 1 };
  const gone = [{ note: 'notes/doors.md', line: 1, text: 'Doors.' }];
  const collection = {
    counted,
    analysis,
    gone,
    worth: '| doors |',
    end: { kind: 'empty' },
  } as const;
  const ended: readonly FinishedRun[] = [
    await reportOf('ran', parts),
    await reportOf('planned', parts),
    { kind: 'gc', agent: 'bot', collection },
  ];
  for (const report of ended) {
    const told = (isHidden: boolean) => JSON.stringify(recordOf(report, { isHidden }));
    expect(told(false)).toMatch(/Audit/);
    expect(told(true)).not.toMatch(/Audit|doors|2026-02-21/i);
  }
});

it.each<[string, RunOutcome, readonly string[], string]>([
  ['a limit', exhausted('cost', ''), [], 'limit-cost'],
  ['a refusal', { kind: 'refused', answer: '', stats: STATS }, [], 'refused'],
  [
    'the model',
    { kind: 'failed', error: new ProviderError('rate_limit', 'slow down'), stats: STATS },
    [],
    'model-rate_limit',
  ],
  ['a person', { kind: 'failed', error: new CancelledError(), stats: STATS }, [], 'cancelled'],
  ['a gate', completed(''), ['findings:nit'], 'findings:nit'],
])('the record of a run that %s ended has its code', async (_, outcome, gates, reason) => {
  expect(lineOf(await reviewOf(outcome), gates).reason).toBe(reason);
});

it.each<[unknown, string]>([
  [new AxeError('no such agent'), 'error'],
  [new TypeError('x is undefined'), 'bug'],
])('the record of a run that ended with %s has its code', (thrown, reason) => {
  expect(lineOf({ kind: 'failed', thrown }).reason).toBe(reason);
});
