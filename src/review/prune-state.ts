import { parseReviewFact, type ReviewFact } from './state-facts.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a fact is kept, in days; and of each kind how many at most, the latest ones. */
interface Keeping {
  readonly days: number;
  readonly most: number;
}

/**
 * A line takes 90 to 500 bytes, and the cache holds one MiB, logs included: a busy repository must not fill it. There are no
 * fewer ends than findings, since one whose end is lost would be open.
 */
const KEEPING: Readonly<Record<string, Keeping>> = {
  raised: { days: 180, most: 550 },
  ended: { days: 180, most: 600 },
  back: { days: 180, most: 250 },
  spent: { days: 35, most: 1300 },
  posted: { days: 180, most: 900 },
  reviewed: { days: 180, most: 600 },
  paused: { days: 365, most: 200 },
  resumed: { days: 365, most: 200 },
};

/**
 * The state without what nobody asks for any more. Every other line keeps its bytes. It is a rewrite
 * of the newest state: as facts, the old lines would stay.
 */
export function pruneState(text: string, now: Date): string {
  const lines = text.split('\n');
  const facts = lines.map(parseReviewFact);
  const kept = new Set(latestOf(facts.flatMap((fact) => fact ?? [])));
  const isKept = (fact: ReviewFact | undefined) =>
    fact === undefined || (kept.has(fact) && now.getTime() - fact.at <= keepingOf(fact).days * DAY_MS);
  return lines.filter((_, index) => isKept(facts[index])).join('\n');
}

/** Of the same time the first ones in the file. */
function latestOf(facts: readonly ReviewFact[]): readonly ReviewFact[] {
  const seen = new Map<string, number>();
  return facts
    .toSorted((a, b) => b.at - a.at)
    .filter((fact) => {
      const { kind } = fact;
      const number = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, number);
      return number <= keepingOf(fact).most;
    });
}

function keepingOf(fact: ReviewFact): Keeping {
  return KEEPING[fact.kind] ?? { days: 0, most: 0 };
}
