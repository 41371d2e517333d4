import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import type { Conclusion, RunOutcome } from '../../src/lib/outcome.js';
import type { AnswerForm } from '../../src/loop/structured.js';
import { createNoneStore } from '../../src/memory/stores/store.js';
import { OUTPUT_NAMES } from '../../src/report/run-summary.js';
import type { RunReport } from '../../src/run/records.js';
import { AGENT } from '../helpers/dependencies-fake.js';
import { completed, exhausted, outputsOf, reportOf, STATS } from '../helpers/reports.js';
import { issue, pullRequest, STRANGER } from '../helpers/triggers.js';

const LOG = '## 2026-02-21T10:01:00Z\n**Task:** Review\n**Result:** Fine.\n\n';
const ORIGIN = { runId: '1', attempt: '1', job: 'triage', sha: 'c'.repeat(40) };
const NOTHING = { 'memory-saved': 'false', 'memory-loaded': '0' };
const FIGURES = {
  'input-tokens': '1200',
  'output-tokens': '34',
};

/** A run of an agent without memory that came to this end. */
async function ranTo(outcome: RunOutcome): Promise<RunReport> {
  return { ...(await reportOf('ran', { agents: { bot: AGENT } })), outcome };
}

describe('the outputs of a run', () => {
  it('state what memory there is after a dry run', async () => {
    const report = await reportOf('planned', { memory: { 'bot.md': LOG + LOG } });
    expect(outputsOf(report)).toEqual({
      conclusion: 'success',
      'memory-saved': 'false',
      'memory-loaded': '2',
    });
    const without = await reportOf('planned', { agents: { bot: AGENT } });
    expect(outputsOf(without)).toEqual({ conclusion: 'success', ...NOTHING });
  });

  it.each<[Conclusion, RunOutcome, string]>([
    ['success', completed('The answer.'), 'The answer.'],
    ['failure', { kind: 'failed', error: new AxeError('no'), stats: STATS }, ''],
    ['refused', { kind: 'refused', answer: 'I will not.', stats: STATS }, 'I will not.'],
    [
      'incomplete',
      { kind: 'incomplete', answer: 'So f', error: new AxeError('it was cut'), stats: STATS },
      'So f\n\n[Incomplete: it was cut.]',
    ],
    [
      'max-turns',
      { kind: 'exhausted', limit: 'turns', answer: 'So far.', error: new AxeError('no'), stats: STATS },
      'So far.',
    ],
    [
      'budget-exceeded',
      { kind: 'exhausted', limit: 'tokens', answer: '', error: new AxeError('no'), stats: STATS },
      '',
    ],
    [
      'timeout',
      { kind: 'exhausted', limit: 'time', answer: 'So far.', error: new AxeError('no'), stats: STATS },
      'So far.',
    ],
  ])('that ended in %s hold its answer and figures', async (conclusion, outcome, response) => {
    const report = await ranTo(outcome);
    expect(outputsOf(report)).toEqual({
      conclusion,
      response,
      ...NOTHING,
      ...FIGURES,
    });
  });

  it.each([
    [undefined, undefined],
    [0, '0.000000'],
    [0.0000004, '0.000000'],
    [1.2345678, '1.234568'],
    [1e-7 * 15, '0.000002'],
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

  it('hold the entry, its id, and what was added', async () => {
    const report = await reportOf('ran', { memory: { 'bot.md': LOG } });
    const entry = [
      '## 2026-02-03T04:05:06Z',
      '**Task:** Execute the task described in your instructions.',
      '**Result:** the answer',
    ];
    expect(outputsOf(report)).toMatchObject({
      'memory-loaded': '1',
      'memory-saved': 'true',
      'memory-entry': `${entry.join('\n')}\n\n`,
      'memory-entry-id': 'id1',
    });
    expect(outputsOf(report)).not.toHaveProperty('memory-save-error');
  });

  it('hold both entries, under one id, after reading text by a stranger', async () => {
    const report = await reportOf(
      'ran',
      { memory: { 'bot.md': LOG } },
      { trigger: issue({ author: STRANGER }), origin: ORIGIN },
    );
    const outputs = outputsOf(report);
    expect(outputs['memory-entry']?.match(/^## /gm)).toHaveLength(2);
    expect(outputs['memory-entry']?.match(/ id=id1 /g)).toHaveLength(2);
    expect(outputs['memory-entry-id']).toBe('id1');
  });

  it('hold no id of an entry if nothing was added', async () => {
    const outputs = outputsOf(await reportOf('ran', {}, { isMemoryReadOnly: true }));
    expect(outputs).toMatchObject({ 'memory-saved': 'false' });
    expect(outputs).not.toHaveProperty('memory-entry-id');
  });

  it('hold only the id of an entry in another repository (D14)', async () => {
    const parts = { memory: { 'bot.md': LOG } };
    for (const save of [undefined, { kind: 'failed', reason: 'error', message: 'no' } as const]) {
      const report = await reportOf('ran', save === undefined ? parts : { ...parts, save });
      const { response, ...outputs } = outputsOf(report, true);
      expect(response).toBe('the answer');
      expect(outputs).toMatchObject({ 'memory-loaded': '1', 'memory-entry-id': 'id1' });
      expect(Object.values(outputs).join('\n')).not.toMatch(/Review|Fine|Task|answer|instructions/);
      expect(outputs).not.toHaveProperty('memory-entry');
    }
  });

  it('hold the entry and the reason if it was not saved, and nothing as added (D14)', async () => {
    const save = { kind: 'failed', reason: 'denied', message: 'the token may only read' } as const;
    const outputs = outputsOf(await reportOf('ran', { save }));
    expect(outputs).toMatchObject({
      conclusion: 'success',
      'memory-saved': 'false',
      'memory-save-error': 'the token may only read',
      'memory-entry': expect.stringContaining('the answer'),
      'memory-entry-id': 'id1',
    });
  });

  it('hold no memory if it was not loaded, and state why nothing was saved', async () => {
    const restore = { kind: 'failed', message: 'open /m.md: permission denied', location: '/m.md' } as const;
    expect(outputsOf(await reportOf('ran', { restore }))).toMatchObject({
      'memory-loaded': '0',
      'memory-saved': 'false',
      'memory-save-error': expect.stringContaining('open /m.md: permission denied'),
    });
  });

  it('report nothing saved if memory is kept nowhere, although the store accepted it', async () => {
    const report = await reportOf('ran');
    const none = createNoneStore();
    const result = await none.write([], new AbortController().signal);
    if (report.memory === undefined || report.remembered === undefined) throw new Error('no memory');
    const outputs = outputsOf({
      ...report,
      memory: { ...report.memory, store: none },
      remembered: { ...report.remembered, result },
    });
    expect(outputs).toMatchObject({ 'memory-saved': 'false' });
    expect(outputs).not.toHaveProperty('memory-save-error');
  });

  it('use only the names in `action.yml`', async () => {
    const reports = await Promise.all([
      reportOf('ran', { published: { line: 'l', url: 'u' } }),
      ranTo(completed('', { costUsd: 1 })),
      reportOf('ran', { save: { kind: 'failed', reason: 'error', message: 'm' } }),
      reportOf('planned'),
      reportOf('skipped', {}, { trigger: pullRequest({ isFork: true }) }),
    ]);
    const names = reports.flatMap((report) => Object.keys(outputsOf(report)));
    expect(names.filter((name) => !(OUTPUT_NAMES as readonly string[]).includes(name))).toEqual([]);
  });
});
