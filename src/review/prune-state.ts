import { parseState } from '../memory/state.js';
import { parseReviewFact, type ReviewFact } from './state-facts.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** A lesson that nothing like it was raised against for so long is no longer needed. */
const LESSON_DAYS = 180;

/** How long a fact is kept, in days; and of each kind how many at most, the latest ones. */
interface Keeping {
  readonly days: number;
  readonly most: number;
}

/**
 * A line takes 100 to 350 bytes, and the cache holds one MiB, logs included: a busy repository must not fill it.
 */
const KEEPING: Readonly<Record<ReviewFact['kind'], Keeping>> = {
  finding: { days: 180, most: 800 },
  ended: { days: 180, most: 700 },
  accepted: { days: LESSON_DAYS, most: 300 },
  lesson: { days: LESSON_DAYS, most: 300 },
  spent: { days: 35, most: 2000 },
  posted: { days: 180, most: 1500 },
  reviewed: { days: 180, most: 1000 },
  paused: { days: 365, most: 200 },
  resumed: { days: 365, most: 200 },
};

/**
 * The state without what nobody asks for any more. Every other line keeps its bytes, `forgotten` ones too. It is a rewrite
 * of the newest state: as facts, the old lines would stay.
 */
export function pruneState(text: string, now: Date): string {
  const lines = text.split('\n');
  const facts = lines.map((line) => parseState(line).map(parseReviewFact)[0]);
  const kept = new Set(latestOf(facts.flatMap((fact) => fact ?? [])));
  const isKept = (fact: ReviewFact | undefined) =>
    fact === undefined ||
    (kept.has(fact) && now.getTime() - fact.at.getTime() <= KEEPING[fact.kind].days * DAY_MS);
  return lines.filter((_, index) => isKept(facts[index])).join('\n');
}

/** Of the same time the first ones in the file. */
function latestOf(facts: readonly ReviewFact[]): readonly ReviewFact[] {
  const seen = new Map<string, number>();
  return facts
    .toSorted((a, b) => b.at.getTime() - a.at.getTime())
    .filter(({ kind }) => {
      const number = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, number);
      return number <= KEEPING[kind].most;
    });
}
