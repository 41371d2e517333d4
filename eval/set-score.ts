import { isNearLines, isWordedAs } from './match.js';
import type { Posted, Usage } from './observe.js';
import type { Annotation } from './set.js';

/** The ways to run the changes of a set. */
export const COLUMNS = ['without memory', 'with memory', 'with memory and notes'] as const;
export type Column = (typeof COLUMNS)[number];

/** What a review of a change came to, next to what people said about it. */
export interface ChangeScore {
  /** Annotations with a finding on their lines, or at most five lines away. */
  readonly found: number;
  /** Annotations whose words a finding has elsewhere. */
  readonly wrongPlace: number;
  readonly missed: number;
  /** Findings for which there is no annotation. Some can be right: nobody judged them. */
  readonly unconfirmed: number;
}

/** Compares by places and words alone. No model judges. */
export function scoreChange(
  annotations: readonly Annotation[],
  posted: readonly Pick<Posted, 'path' | 'line' | 'text'>[],
): ChangeScore {
  const used = new Set<(typeof posted)[number]>();
  const isOn = ({ path, lines }: Annotation, finding: (typeof posted)[number]) =>
    finding.path === path && isNearLines([...lines], finding.line);
  const found = annotations.filter((annotation) => {
    const meant = posted.filter((finding) => isOn(annotation, finding));
    for (const finding of meant) used.add(finding);
    return meant.length > 0;
  });
  const elsewhere = annotations.filter((annotation) => {
    if (found.includes(annotation)) return false;
    const alike = posted.find(
      (finding) => !used.has(finding) && isWordedAs({ wordings: [annotation.text] }, finding),
    );
    if (alike !== undefined) used.add(alike);
    return alike !== undefined;
  });
  return {
    found: found.length,
    wrongPlace: elsewhere.length,
    missed: annotations.length - found.length - elsewhere.length,
    unconfirmed: posted.length - used.size,
  };
}

/** A change that was run in a column. */
export interface ChangeResult extends ChangeScore {
  readonly name: string;
  readonly column: Column;
  /** Why there is no score, in one line. The next start tries it again. */
  readonly failure?: string | undefined;
  readonly usage: Usage;
  readonly seconds: number;
}

/** The JSON of a score: what `docs/score.md` is made from, and where the next start goes on. */
export interface Score {
  readonly model: string;
  readonly version: string;
  /** Of the last start. */
  readonly date: string;
  /** The name of the file, and the beginning of its digest. */
  readonly set: string;
  readonly columns: readonly Column[];
  readonly changes: number;
  readonly results: readonly ChangeResult[];
}

const HEAD = [
  ...['Change', 'Found', 'Wrong place', 'Missed', 'Not confirmed'],
  ...['Turns', 'Tokens', 'Dollars', 'Seconds'],
];

/** The page `docs/score.md`. */
export function formatScore(score: Score): string {
  const { model, version, date, set, columns, changes } = score;
  return [
    `# Score of ${model}`,
    `${date}, version ${version}, set ${set} with ${changes} changes. This page is written by \`npm run eval -- --set\`, see [evaluation](evaluation.md#measure-a-public-set).`,
    'No model judges. A finding on the lines of an annotation, or at most five lines away, found it. One with its words elsewhere is in the wrong place. Findings without an annotation are not confirmed: some are right.',
    ...columns.flatMap((column) => formatColumn(score, column)),
    '',
  ]
    .join('\n\n')
    .replace(/\n+$/, '\n');
}

function formatColumn({ results, changes }: Score, column: Column): readonly string[] {
  const own = results.filter((result) => result.column === column);
  const scored = own.filter(({ failure }) => failure === undefined);
  const failed = own.filter(({ failure }) => failure !== undefined);
  const rows = scored.map((result) => rowOf(result.name, result));
  const notes = failed.map(({ name, failure }) => `- ${cell(name)} failed: ${cell(failure ?? '')}`);
  return [
    `## ${column[0]?.toUpperCase()}${column.slice(1)}`,
    `${scored.length} of ${changes} changes.`,
    [
      HEAD,
      HEAD.map(() => '---'),
      ...rows,
      ...(scored.length === 0 ? [] : [rowOf('**Sum**', sumOf(scored))]),
    ]
      .map((row) => `| ${row.join(' | ')} |`)
      .join('\n'),
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
  ];
}

type Counted = ChangeScore & Pick<ChangeResult, 'usage' | 'seconds'>;

function rowOf(name: string, counted: Counted): readonly string[] {
  const { found, wrongPlace, missed, unconfirmed, usage, seconds } = counted;
  const counts = [found, wrongPlace, missed, unconfirmed, usage.calls];
  const tokens = (usage.inputTokens + usage.outputTokens).toLocaleString('en-US');
  return [cell(name), ...counts.map(String), tokens, usage.costUsd.toFixed(4), seconds.toFixed(0)];
}

/** @internal */
export function sumOf(all: readonly Counted[]): Counted {
  const sum = (pick: (counted: Counted) => number) =>
    all.reduce((total, counted) => total + pick(counted), 0);
  return {
    found: sum(({ found }) => found),
    wrongPlace: sum(({ wrongPlace }) => wrongPlace),
    missed: sum(({ missed }) => missed),
    unconfirmed: sum(({ unconfirmed }) => unconfirmed),
    usage: {
      calls: sum(({ usage }) => usage.calls),
      inputTokens: sum(({ usage }) => usage.inputTokens),
      outputTokens: sum(({ usage }) => usage.outputTokens),
      costUsd: sum(({ usage }) => usage.costUsd),
    },
    seconds: sum(({ seconds }) => seconds),
  };
}

function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[|<>]/g, '\\$&').trim();
}
