import { count } from '../../lib/text/format.js';
import type { CountedLog } from '../../run/gc-result.js';
import type { GcResultRecord, PlannedTrim } from '../run-record.js';

/** Statistics of a log, one per line: runs and their dates, average result, busiest weekday. */
export function figuresOf({ days, words }: Pick<CountedLog, 'days' | 'words'>): readonly string[] {
  const dates = [...days.keys()].toSorted();
  const first = dates[0];
  const last = dates.at(-1);
  if (first === undefined) return [];

  const runs = [...days.values()].reduce((sum, runsOfDay) => sum + runsOfDay, 0);
  const weekdays = WEEKDAYS.map((day, index) => {
    const sameWeekday = dates.filter(
      (date) => new Date(`${date}T00:00:00Z`).getUTCDay() === (index + 1) % 7,
    );
    return { day, runs: sameWeekday.reduce((sum, date) => sum + (days.get(date) ?? 0), 0) };
  });
  const [busiest] = weekdays.toSorted((a, b) => b.runs - a.runs);
  const period = first === last ? `on ${first}` : `from ${first} to ${last}`;

  return [
    `${count(runs, 'run')} ${period}`,
    `Average result: ${count(Math.round(words / runs), 'word')}`,
    `Busiest day: ${busiest?.day} (${count(busiest?.runs ?? 0, 'run')})`,
  ];
}

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The texts are axe's where axe has the same ending. */
export function formatGcEnd(
  end: Exclude<GcResultRecord, { readonly kind: 'failed' }>,
  agent: string,
  entries = (number: number) => `${number} entries`,
): string {
  switch (end.kind) {
    case 'empty':
      return `No memory entries for agent "${agent}". Nothing to do.`;
    case 'not-analysed':
      return 'No entries trimmed: `offline/rules` cannot analyse. Choose a model with `--model`, or with the input `model` in a workflow.';
    case 'dry-run':
      return end.plan === undefined
        ? 'Dry run: no entries trimmed.'
        : `Dry run: no entries trimmed. No model was asked, and ${formatDryRunPlan(end.plan, entries)}.`;
    case 'no-target':
      return 'No trim target configured (last_n and max_entries are both 0). Skipping trim.';
    case 'within':
      return `No trimming needed: ${entries(end.entries)} within limit (${end.target}).`;
    case 'indivisible':
      return `No trimming possible: the newest entry counts as ${end.entries}, by its lines that start with \`## \`, and the limit is ${end.target}. An entry is never split.`;
    case 'trimmed':
      return `Trimmed: ${entries(end.removed)} removed, ${entries(end.kept)} kept.`;
  }
}

function formatDryRunPlan(plan: PlannedTrim, entries: (number: number) => string): string {
  if (plan.kind !== 'trim') return 'no entry would be removed';
  return `${entries(plan.removed)} would be removed, ${entries(plan.kept)} kept`;
}

/** Says how many entries were not analysed; empty if all were. */
export function formatUnread(unread: number): string {
  if (unread === 0) return '';
  const subject = unread === 1 ? 'The oldest entry was' : `The oldest ${unread} entries were`;
  return `${subject} not analysed: the log is too long for one question.`;
}
