import { parseState } from '../memory/state.js';
import { parseReviewFact, type ReviewFact } from './state-facts.js';

const DAY_MS = 24 * 60 * 60 * 1000;

/** How long a fact is kept, in days. What somebody withdrew does not grow old, but see {@link MAX_WITHDRAWN}. */
const KEPT_DAYS = { spent: 35, finding: 90, reviewed: 180, paused: 365, resumed: 365 } as const;

/** Withdrawn findings that are kept, the latest ones: about 200 bytes each in a tree that holds one MiB. */
const MAX_WITHDRAWN = 1000;

/**
 * The state without what nobody asks for any more. Every other line keeps its bytes, `forgotten` ones too. It is a rewrite
 * of the newest state: merging a pruned state with an old one brings the old lines back.
 */
export function pruneState(text: string, now: Date): string {
  const facts = text.split('\n').map((line) => parseState(line).map(parseReviewFact)[0]);
  const latest = facts
    .flatMap((fact) => (fact?.kind === 'withdrawn' ? [fact] : []))
    .sort((a, b) => b.at.getTime() - a.at.getTime());
  const kept = new Set(latest.slice(0, MAX_WITHDRAWN));
  const isKept = (fact: ReviewFact | undefined) => {
    if (fact === undefined) return true;
    if (fact.kind === 'withdrawn') return kept.has(fact);
    return now.getTime() - fact.at.getTime() <= KEPT_DAYS[fact.kind] * DAY_MS;
  };
  return text
    .split('\n')
    .filter((_, index) => isKept(facts[index]))
    .join('\n');
}
