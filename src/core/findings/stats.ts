import { CATEGORIES, type Category } from './terms.js';

/** What people made of findings that were posted. A finding that was only resolved says neither. */
const FATES = ['acted-on', 'dismissed', 'unanswered'] as const;

/** One of {@link FATES}. */
type Fate = (typeof FATES)[number];

/** A finding whose story is over. */
export interface FatedFinding {
  readonly category: Category;
  readonly fate: Fate;
  /** When it was raised. */
  readonly at: Date;
}

/** How many findings of a category, or of a month, came to which end. */
interface FateCounts {
  /** The category, or the month as `2026-11`. */
  readonly name: string;
  readonly fates: Readonly<Record<Fate, number>>;
  readonly total: number;
}

/** What people made of the findings of an agent. */
interface FindingStats {
  /** The most frequent first. */
  readonly categories: readonly FateCounts[];
  /** In their order, those between without findings too, the last twelve. */
  readonly months: readonly FateCounts[];
  readonly all: FateCounts;
}

const MAX_MONTHS = 12;

/** Counts findings by what people made of them. */
export function findingStats(findings: readonly FatedFinding[]): FindingStats {
  const categories = CATEGORIES.map((category) =>
    countFates(
      category,
      findings.filter((one) => one.category === category),
    ),
  ).filter(({ total }) => total > 0);
  const months = monthsOf(findings).map((month) =>
    countFates(
      month,
      findings.filter(({ at }) => monthOf(at) === month),
    ),
  );
  return {
    categories: categories.sort((a, b) => b.total - a.total),
    months,
    all: countFates('all', findings),
  };
}

function countFates(name: string, findings: readonly FatedFinding[]): FateCounts {
  const of = (fate: Fate): number => findings.filter((one) => one.fate === fate).length;
  const fates = { 'acted-on': of('acted-on'), dismissed: of('dismissed'), unanswered: of('unanswered') };
  return { name, fates, total: findings.length };
}

function monthsOf(findings: readonly FatedFinding[]): readonly string[] {
  const sorted = findings.map(({ at }) => monthOf(at)).sort();
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return [];
  const newestFirst: string[] = [];
  for (let month = last; month >= first && newestFirst.length < MAX_MONTHS; month = monthBefore(month))
    newestFirst.push(month);
  return newestFirst.reverse();
}

function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7);
}

function monthBefore(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return number === 1 ? `${year - 1}-12` : `${year}-${String(number - 1).padStart(2, '0')}`;
}

/** The figures as two markdown tables, by category and by month; empty where no finding's story is over. */
export function formatStatsTables({ categories, months, all }: FindingStats): string {
  if (all.total === 0) return '';
  return [tableOf('Category', [...categories, all]), tableOf('Month', months)].join('\n\n');
}

function tableOf(first: string, rows: readonly FateCounts[]): string {
  const head = [
    `| ${first} | Acted on | Dismissed | Unanswered | Share acted on |`,
    '| --- | --: | --: | --: | --: |',
  ];
  const body = rows.map(({ name, fates, total }) => {
    const share = total === 0 ? '' : `${Math.round((100 * fates['acted-on']) / total)} %`;
    return `| ${[name, ...FATES.map((fate) => fates[fate]), share].join(' | ')} |`;
  });
  return [...head, ...body].join('\n');
}

/** Findings a month as a mermaid chart, those that were acted on in front; empty for nothing to draw. */
export function formatStatsChart({ months }: FindingStats): string {
  if (months.length === 0) return '';
  const most = Math.max(...months.map(({ total }) => total));
  return [
    '```mermaid',
    'xychart-beta',
    '  title "Findings a month; in front, those acted on"',
    `  x-axis [${months.map(({ name }) => `"${name}"`).join(', ')}]`,
    `  y-axis "Findings" 0 --> ${most}`,
    `  bar [${months.map(({ total }) => total).join(', ')}]`,
    `  bar [${months.map(({ fates }) => fates['acted-on']).join(', ')}]`,
    '```',
  ].join('\n');
}
