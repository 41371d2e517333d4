import { describe, expect, it } from '@jest/globals';
import { AxeError } from '../../src/lib/errors.js';
import type { Suggestion } from '../../src/memory/gc/gc-result.js';
import { formatSummary, outputsOf, STATS, summaryOf } from '../helpers/reports.js';

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

describe('garbage collection of a log that is longer than one question', () => {
  it('states how many entries were not analyzed', () => {
    const saved = { kind: 'saved', location: 'axe-memory', attempts: 1 } as const;
    const end = { kind: 'trimmed', removed: 8, kept: 12, saved } as const;
    const collection = { analysis: { text: 'Found it.', unread: 12 }, end } as const;
    const report = { kind: 'gc', agent: 'bot', collection } as const;
    expect(formatSummary(report)).toContain('The oldest 12 entries were not analysed');
    expect(outputsOf(report)).toMatchObject({ 'memory-saved': 'true' });
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

  it('shows what it used next to what went wrong', () => {
    const error = new AxeError('the analysis is empty, so nothing was trimmed', { remedy: 'Run it again.' });
    const collection = { usage: { ...STATS, costUsd: 0.0123 }, end: { kind: 'failed', error } } as const;
    const summary = formatSummary({ kind: 'gc', agent: 'bot', collection });
    expect(summary).toContain('the analysis is empty, so nothing was trimmed\n```\n\nRun it again.');
    expect(summary).toContain('| Model | Turns |');
    expect(summary).toContain('| claude-sonnet-4-5 | 2 |');
    expect(summary).toContain('$0.0123');
  });
});

describe('suggestions that were not published', () => {
  const withSuggestion = (suggestion: Suggestion) =>
    formatSummary({
      kind: 'gc',
      agent: 'bot',
      collection: { suggestion, end: { kind: 'dry-run' } },
    });

  it('are named with the reason', () => {
    expect(withSuggestion({ kind: 'failed', message: 'GitHub is away' })).toContain(
      'Suggestions not published: GitHub is away.\n',
    );
  });

  it('name the pull request in which people rejected the same', () => {
    expect(withSuggestion({ kind: 'closed-before', url: 'https://x/1' })).toContain(
      'Not suggested again: [the same suggestion](https://x/1) was closed.',
    );
  });
});
