import type { Reviewed, ReviewFact } from './state-facts.js';

/** US dollars that runs have spent on a pull request, or on a day (UTC, `2026-11-22`). */
export function spentUsd(
  facts: readonly ReviewFact[],
  on: { readonly pull: number } | { readonly day: string },
): number {
  let micros = 0;
  for (const fact of facts) {
    if (fact.kind !== 'spent') continue;
    const isMeant = 'pull' in on ? fact.pull === on.pull : fact.day === on.day;
    if (isMeant) micros += Math.round(fact.usd * 1e6);
  }
  return micros / 1e6;
}

/** The commit of a pull request that was reviewed last. */
export function lastReviewed(facts: readonly ReviewFact[], pull: number): Reviewed | undefined {
  return facts.find((fact): fact is Reviewed => fact.kind === 'reviewed' && fact.pull === pull);
}

/** Whether reviews of a pull request are stopped: the later word counts, and of the same moment the one that stops. */
export function isPaused(facts: readonly ReviewFact[], pull: number): boolean {
  const timeOf = (kind: 'paused' | 'resumed') =>
    facts.find((fact) => fact.kind === kind && fact.pull === pull)?.at.getTime() ?? Number.NEGATIVE_INFINITY;
  return timeOf('paused') > Number.NEGATIVE_INFINITY && timeOf('paused') >= timeOf('resumed');
}
