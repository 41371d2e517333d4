import type { FindingFact } from './finding-facts.js';

/** A dismissal that people are told was understood. */
export interface Dismissal {
  readonly id: string;
  readonly pull: number;
}

/** A run answers no more: each takes a request. */
const MAX_ACKNOWLEDGED = 10;

/**
 * The dismissals of a run that are answered in their conversations: by words or thumbs, since nobody can see otherwise that
 * these were understood. Whoever resolves a conversation sees it, and what was fixed is not a dismissal.
 */
export function dismissalsToAnswer(learned: readonly FindingFact[]): readonly Dismissal[] {
  return learned
    .flatMap((fact) => (fact.kind === 'ended' && fact.how === 'dismissed' ? [fact] : []))
    .filter(({ why }) => why === 'reply' || why === 'thumbs-down')
    .slice(0, MAX_ACKNOWLEDGED)
    .map(({ id, pull }) => ({ id, pull }));
}

/** What is answered to a dismissal, whichever way it was made. */
export function dismissedText(id: string): string {
  return `Noted: not raised again on similar code. Undo: \`/axe forget ${id}\`.`;
}
