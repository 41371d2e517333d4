import { formatError } from '../../axe/errors.js';
import { runsChart } from '../../axe/gc/chart.js';
import { statsLines } from '../../axe/gc/format-stats.js';
import type { Collection } from '../../pipeline/collect/collection.js';
import type { RunReport } from '../../pipeline/request.js';
import { codeBlock, count, sections } from './markdown.js';

type Collected = Extract<RunReport, { readonly kind: 'collected' }>;

/** The job summary of garbage collection; the analysis is cleaned by `clean`, since a model wrote it. */
export function collectedSummary(
  { agent, collection }: Collected,
  { isHidden, clean }: { readonly isHidden: boolean; readonly clean: (markdown: string) => string },
): string {
  const { read, analysed, days = 0, end } = collection;
  const figures = read === undefined || isHidden ? '' : figuresOf(read.stats);
  return sections([
    `### ${agent}: garbage collection`,
    analysed === undefined ? '' : isHidden ? HIDDEN : clean(analysed.text),
    partsNote(analysed?.parts ?? 1),
    suggestionLine(collection),
    end.kind === 'failed' ? codeBlock(formatError(end.error)) : shownEnd(end, { agent, days }),
    days === 0 ? '' : daysLine(days),
    figures,
  ]);
}

/** What happened, for the job log. */
export function collectedLines({
  agent,
  collection: { read, suggestion, days = 0, end },
}: Collected): readonly string[] {
  return [
    ...(read === undefined ? [] : [`Agent: ${agent}`, `Entries: ${read.entries}`]),
    ...(suggestion?.kind === 'published' ? [`Suggestions: ${suggestion.url}`] : []),
    ...(end.kind === 'failed' ? [] : [endLine(end, { agent, days })]),
    ...(days === 0 ? [] : [daysLine(days)]),
  ];
}

function daysLine(days: number): string {
  return `Removed: ${count(days, 'daily log')} older than \`retention_days\`.`;
}

const HIDDEN = 'What was found is not shown here, since the memory is kept in another repository.';

function figuresOf(stats: NonNullable<Collection['read']>['stats']): string {
  return sections([
    statsLines(stats)
      .map((line) => `- ${line}`)
      .join('\n'),
    codeBlock(runsChart(stats)),
  ]);
}

function partsNote(parts: number): string {
  if (parts === 1) return '';
  return `The log is longer than the model can read at once, so it was analysed in ${parts} parts.`;
}

function suggestionLine({ suggestion }: Collection): string {
  if (suggestion === undefined) return '';
  switch (suggestion.kind) {
    case 'published': {
      const what = suggestion.as === 'issue' ? 'issue' : 'pull request';
      return `${suggestion.created ? 'Opened' : 'Brought up to date'}: ${what} ${suggestion.url}`;
    }
    case 'none':
      return "Nothing in the agent's own files is to be changed.";
    case 'failed':
      return '';
  }
}

interface Shown {
  readonly agent: string;
  readonly days: number;
}

function shownEnd(end: Ended, shown: Shown): string {
  const kept =
    end.kind === 'trimmed' ? ' What was removed stays beside the log as `.bak` until the next time.' : '';
  return `**${endLine(end, shown)}**${kept}`;
}

type Ended = Exclude<Collection['end'], { readonly kind: 'failed' }>;

function endLine(end: Ended, { agent, days }: Shown): string {
  switch (end.kind) {
    case 'empty':
      return `No memory entries for agent "${agent}".${days > 0 ? '' : ' Nothing to do.'}`;
    case 'dry-run':
      return 'Dry run: no entries trimmed.';
    case 'no-target':
      return 'No trim target configured (`last_n` and `max_entries` are both 0). Skipping trim.';
    case 'within':
      if (end.target === 0) return 'No trimming needed: no entry is older than `max_age_days`.';
      return `No trimming needed: ${end.entries} entries within limit (${end.target}).`;
    case 'trimmed':
      return `Trimmed: ${end.removed} entries removed, ${end.kept} entries kept.`;
  }
}
