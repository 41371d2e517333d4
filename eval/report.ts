import { costOf, type Figures, fHalf, figuresOf } from './figures.js';
import { mcNemar, wilson } from './interval.js';
import type { MemoryKind } from './play.js';
import type { CaseScore, Share } from './score.js';

/** The result of one setting, as it is written to a file and compared. */
export interface SettingResult {
  /** `anthropic/claude-sonnet-5-5, standard`. */
  readonly setting: string;
  /** One entry for each case and round. */
  readonly scores: readonly CaseScore[];
  /** Names of cases that did not come to their end. */
  readonly incomplete: readonly string[];
  /** Whether a model answered, now or when it was recorded. */
  readonly isOfModel: boolean;
}

/** The report on one setting, in markdown. */
export function formatReport(result: SettingResult): string {
  const figures = figuresOf(result.scores);
  const rows = [...mainRows(figures), ...(result.isOfModel ? costRows(result, figures) : [])];
  return [
    `## ${result.setting}`,
    `${figures.cases} cases, ${figures.reviews} reviews.${incomplete(result)}${failures(result)}`,
    table(SHARE_HEAD, rows),
    ...memoryPart(figures),
    ...troublePart(result.scores),
  ].join('\n\n');
}

/** The columns of {@link shareRow}. */
export const SHARE_HEAD = ['Figure', 'Value', '95 % interval'];

type Row = readonly [name: string, value: string, interval: string];

function mainRows(figures: Figures): readonly Row[] {
  const f = fHalf(figures);
  const { falseOnClean, posted, onLines, cases } = figures;
  return [
    shareRow('precision', figures.precision),
    shareRow('precision, major and worse', figures.precisionMajor),
    shareRow('recall', figures.recall),
    ...Object.entries(figures.recallBySeverity).flatMap(([severity, share]) =>
      share.of === 0 ? [] : [shareRow(`recall, ${severity}`, share)],
    ),
    ['F0.5', f === undefined ? '–' : f.toFixed(2), ''],
    ['false findings per clean change', perOne(falseOnClean), ''],
    shareRow('bait taken', figures.baits),
    ['findings per case', perOne({ count: posted, of: cases }), ''],
    shareRow('on lines', { count: onLines, of: posted }),
    shareRow('duplicate conversations', figures.duplicates),
    shareRow('fixed and settled', figures.settledRight),
    shareRow('not fixed and settled', figures.settledWrong),
    shareRow('block held or freed rightly', figures.blockedRight),
    shareRow('severity off by more than one step', figures.severityOff),
    shareRow('on a line of the fault', figures.placed),
    ['right findings refuted by the second look', String(figures.refutedRight), ''],
    shareRow('injections obeyed', figures.injectionsObeyed),
    shareRow('coverage told as it was', figures.honest),
  ];
}

function costRows({ scores }: SettingResult, { cases }: Figures): readonly Row[] {
  const cost = costOf(scores);
  const each = (total: number) => Math.round(total / Math.max(1, cases)).toLocaleString('en-US');
  return [
    [
      'cost per case',
      `$${(cost.costUsd / Math.max(1, cases)).toFixed(3)}`,
      `$${cost.costUsd.toFixed(2)} in all`,
    ],
    ['input tokens per case', each(cost.inputTokens), ''],
    ['output tokens per case', each(cost.outputTokens), ''],
    ['calls per case', (cost.calls / Math.max(1, cases)).toFixed(1), ''],
  ];
}

export function shareRow(name: string, { count, of }: Share): Row {
  const interval = wilson(count, of);
  if (interval === undefined) return [name, '–', ''];
  const value = `${percent(count / of)} (${count} of ${of})`;
  return [name, value, `${percent(interval.low)} to ${percent(interval.high)}`];
}

function memoryPart({ memory }: Figures): readonly string[] {
  const rows = Object.entries(memory).map(([kind, one]) => [
    MEMORY_WORDS[kind as MemoryKind],
    part(one.repeated),
    part(one.found),
    String(one.collateral),
    one.carried.of === 0 ? '–' : part(one.carried),
  ]);
  if (rows.length === 0) return [];
  const head = [
    'Memory',
    'unwanted and raised again',
    'faults found',
    'missed because of it',
    'conventions kept',
  ];
  return ['The second pull request of each lesson:', table(head, rows)];
}

const MEMORY_WORDS: Record<MemoryKind, string> = {
  own: 'its own',
  none: 'none',
  foreign: 'another project’s',
};

function troublePart(scores: readonly CaseScore[]): readonly string[] {
  const lines = scores.flatMap(({ name, failed, obeyed, honest, wrongOnes }) => [
    ...wrongOnes.map((one) => `- ${name}: not right: ${one}`),
    ...failed.map((conclusion) => `- ${name}: a run ended with \`${conclusion}\``),
    ...obeyed.map((what) => `- ${name}: the injection was obeyed: ${what}`),
    ...(honest.count < honest.of ? [`- ${name}: a run did not read what it says it has read`] : []),
  ]);
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function incomplete({ incomplete: names }: SettingResult): string {
  return names.length === 0
    ? ''
    : ` Without ${names.length} that did not come to their end: ${names.join(', ')}.`;
}

function failures({ scores }: SettingResult): string {
  const count = scores.reduce((total, { failed }) => total + failed.length, 0);
  return count === 0 ? '' : ` ${count} runs failed.`;
}

/**
 * Compares two settings case by case; it ranks them only where the difference cannot well be luck.
 */
export function formatComparison(a: SettingResult, b: SettingResult): string {
  const found = compareFaults(a.scores, b.scores);
  const clean = compareClean(a.scores, b.scores);
  return [
    `## ${a.setting} against ${b.setting}`,
    table(
      ['Compared', 'only the first is right', 'only the second is right', 'p', 'Result'],
      [compareRow('faults found', found), compareRow('nothing false on a clean change', clean)],
    ),
    'Runs of one case are not independent: where there are several, the majority counts. p is McNemar’s exact test.',
  ].join('\n\n');
}

/** How often one of two settings alone was right. */
interface Differing {
  readonly onlyFirst: number;
  readonly onlySecond: number;
}

function compareRow(name: string, { onlyFirst, onlySecond }: Differing): readonly string[] {
  const p = mcNemar(onlyFirst, onlySecond);
  const better = onlyFirst > onlySecond ? 'the first is better' : 'the second is better';
  const result = p < 0.05 ? better : 'no difference shown';
  return [name, String(onlyFirst), String(onlySecond), p.toFixed(3), result];
}

function compareFaults(a: readonly CaseScore[], b: readonly CaseScore[]): Differing {
  const votesOf = (scores: readonly CaseScore[]) =>
    majority(
      scores.flatMap(({ name, faults }) =>
        faults.map(({ id, isFound }) => [`${name}/${id}`, isFound] as const),
      ),
    );
  return differing(votesOf(a), votesOf(b));
}

function compareClean(a: readonly CaseScore[], b: readonly CaseScore[]): Differing {
  const votesOf = (scores: readonly CaseScore[]) =>
    majority(
      scores.flatMap(({ name, kind, wrong }) =>
        kind === 'clean' ? [[name, wrong === 0] as const] : [],
      ),
    );
  return differing(votesOf(a), votesOf(b));
}

/** More than half of the rounds have to be right. */
function majority(
  votes: readonly (readonly [name: string, isRight: boolean])[],
): ReadonlyMap<string, boolean> {
  const names = new Set(votes.map(([name]) => name));
  return new Map(
    [...names].map((name) => {
      const own = votes.filter(([other]) => other === name);
      return [name, own.filter(([, isRight]) => isRight).length * 2 > own.length];
    }),
  );
}

function differing(a: ReadonlyMap<string, boolean>, b: ReadonlyMap<string, boolean>): Differing {
  const both = [...a.keys()].filter((name) => b.has(name));
  return {
    onlyFirst: both.filter((name) => a.get(name) === true && b.get(name) === false).length,
    onlySecond: both.filter((name) => a.get(name) === false && b.get(name) === true).length,
  };
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

function part({ count, of }: Share): string {
  return `${count} of ${of}`;
}

function perOne({ count, of }: Share): string {
  return of === 0 ? '–' : (count / of).toFixed(2);
}

function percent(share: number): string {
  return `${Math.round(share * 100)} %`;
}
