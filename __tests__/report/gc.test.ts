import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import { formatSummary, outputsOf, summaryOf } from '../helpers/reports.js';

describe('garbage collection that trims nothing', () => {
  it.each([
    [{ kind: 'empty' }, 'No memory entries for agent "bot". Nothing to do.'],
    [
      { kind: 'not-analysed' },
      'No entries trimmed: `offline/rules` makes no analysis. Name a model: `--model`, in a workflow the input `model`.',
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
  ] as const)('states why: %j', (end, line) => {
    const report = { kind: 'gc', agent: 'bot', collection: { end } } as const;
    expect(summaryOf(report).log).toEqual([line]);
    expect(formatSummary(report)).toContain(line);
    expect(outputsOf(report)).toMatchObject({
      conclusion: 'success',
      'memory-saved': 'false',
    });
  });
});

describe('garbage collection with what findings were worth', () => {
  it('tells what findings were worth, where it may be told', () => {
    const saved = { kind: 'saved', location: 'axe-memory', attempts: 1 } as const;
    const end = { kind: 'trimmed', removed: 8, kept: 12, saved } as const;
    const collection = { analysis: { text: 'Found it.', unread: 12 }, end } as const;
    const report = { kind: 'gc', agent: 'bot', collection } as const;
    const worth = { ...report, collection: { ...collection, worth: '| 2026-11 |' } } as const;
    expect(formatSummary(worth)).toContain('| 2026-11 |');
    expect(formatSummary(worth, { isHidden: true })).not.toContain('| 2026-11 |');
  });
});

describe('garbage collection that failed', () => {
  it('shows an analysis that was cut off, which is not a failed save', () => {
    const error = new AxeError('the analysis was cut off, so nothing was trimmed');
    const collection = { analysis: { text: '## Patt', unread: 0 }, end: { kind: 'failed', error } } as const;
    const report = { kind: 'gc', agent: 'bot', collection } as const;
    const summary = formatSummary(report);
    expect(summary).toContain('## Patt\n');
    expect(summary).toContain('the analysis was cut off, so nothing was trimmed');
    const outputs = outputsOf(report);
    expect(outputs).toMatchObject({ conclusion: 'failure', response: '## Patt' });
    expect(outputs['memory-save-error']).toBeUndefined();
    const trimming = { ...report, collection: { ...collection, isTrimming: true } } as const;
    expect(outputsOf(trimming)['memory-save-error']).toBe(error.message);
  });
});
