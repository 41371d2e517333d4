import { describe, expect, it } from '@jest/globals';
import { gcReporter } from '../../../src/actions/report/gc.js';
import type { Suggestion } from '../../../src/commands/gc/gc-result.js';
import { AxeError } from '../../../src/core/errors.js';
import { type Report, STATS } from '../../helpers/reports.js';

const summaryOf = (report: Report<'gc'>) =>
  gcReporter(report).formatSummary({
    warnings: [],
    view: { isHidden: false, notes: [] },
    clean: (text) => text,
  });

describe('garbage collection of an agent without entries', () => {
  it.each([
    [0, ['No memory entries for agent "bot". Nothing to do.']],
    [2, ['No memory entries for agent "bot".', 'Removed: 2 daily logs older than `retention_days`.']],
  ])('that removed %d daily logs reports it in the log and in the summary', (days, lines) => {
    const report = {
      kind: 'gc',
      agent: 'bot',
      store: 'file',
      collection: { removed: { days, untrusted: 0 }, end: { kind: 'empty' } },
    } as const;
    expect(gcReporter(report).logLines()).toEqual(lines);
    const summary = summaryOf(report);
    for (const line of lines) expect(summary).toContain(line);
  });
});

describe('garbage collection that trims nothing', () => {
  it.each([
    [
      { kind: 'not-analysed' },
      'No entries trimmed: `offline/rules` makes no analysis. Name a model with the input `model`.',
    ],
    [
      { kind: 'indivisible', entries: 3, target: 1 },
      'No trimming possible: the newest entry counts as 3, by its lines that start with `## `, and the limit is 1. An entry is never split.',
    ],
    [
      { kind: 'not-asked', model: 'openai/m', tokens: 24_812, plan: { kind: 'no-target' } },
      'Dry run: no entries trimmed. No model was asked: about 24,812 tokens of the log would be sent to `openai/m`, and no entry would be removed.',
    ],
  ] as const)('states why: %j', (end, line) => {
    const report = { kind: 'gc', agent: 'bot', store: 'file', collection: { end } } as const;
    expect(gcReporter(report).logLines()).toEqual([line]);
    expect(summaryOf(report)).toContain(line);
    expect(gcReporter(report).outputs(false)).toMatchObject({
      conclusion: 'success',
      'memory-saved': 'false',
    });
  });
});

describe('garbage collection of a log for which the limits leave no room', () => {
  it('states what was not analyzed, and what was removed because of its age', () => {
    const saved = { kind: 'saved', location: 'axe-memory', attempts: 1 } as const;
    const report = {
      kind: 'gc',
      agent: 'bot',
      store: 'repo',
      collection: {
        analysed: { kind: 'analysed', text: 'Found it.', parts: 3, left: 12 },
        removed: { days: 0, untrusted: 1 },
        end: { kind: 'trimmed', removed: 8, kept: 12, saved },
      },
    } as const;
    const summary = summaryOf(report);
    expect(summary).toContain(
      'The limits leave no room for the whole log: the newest 12 entries were not analysed and will not be trimmed this time.',
    );
    expect(summary).toContain('Removed: 1 entry of the untrusted lane older than `max_age_days`.');
    expect(gcReporter(report).outputs(false)).toMatchObject({ 'memory-saved': 'true' });
  });
});

describe('garbage collection that failed', () => {
  it('shows an analysis that was cut off, which is not a failed save', () => {
    const error = new AxeError('the analysis was cut off, so nothing was trimmed');
    const analysed = {
      kind: 'analysed',
      text: '## Patt',
      broken: { isCut: true, error },
      parts: 1,
      left: 0,
    } as const;
    const report = {
      kind: 'gc',
      agent: 'bot',
      store: 'file',
      collection: { analysed, end: { kind: 'failed', error } },
    } as const;
    const summary = summaryOf(report);
    expect(summary).toContain('## Patt\n');
    expect(summary).toContain('the analysis was cut off, so nothing was trimmed');
    const outputs = gcReporter(report).outputs(false);
    expect(outputs).toMatchObject({ conclusion: 'failure', response: '## Patt' });
    expect(outputs['memory-save-error']).toBeUndefined();
  });

  it('shows what it used next to what went wrong', () => {
    const error = new AxeError('the analysis is empty, so nothing was trimmed', { remedy: 'Run it again.' });
    const collection = { usage: { ...STATS, costUsd: 0.0123 }, end: { kind: 'failed', error } } as const;
    const summary = summaryOf({ kind: 'gc', agent: 'bot', store: 'file', collection });
    expect(summary).toContain('the analysis is empty, so nothing was trimmed\n```\n\nRun it again.');
    expect(summary).toContain('| Model | Turns |');
    expect(summary).toContain('| claude-sonnet-4-5 | 2 |');
    expect(summary).toContain('$0.0123');
  });
});

describe('suggestions that were not published', () => {
  const withSuggestion = (suggestion: Suggestion) =>
    summaryOf({
      kind: 'gc',
      agent: 'bot',
      store: 'repo',
      collection: { suggestion, end: { kind: 'dry-run' } },
    });

  it('are shown with the reason', () => {
    const answer = '{"title": "More", "reason": "```", "edits": []}';
    expect(withSuggestion({ kind: 'failed', message: 'it would change `tools`', answer })).toContain(
      `Suggestions not published: it would change \`tools\`. What the model proposed:\n\n\`\`\`\`text\n${answer}\n\`\`\`\``,
    );
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
