import { rightsOf, type Word } from '../event/trust.js';
import type { ReviewExtent } from '../findings/post/finding-texts.js';
import { isCutShort } from '../lib/outcome.js';
import { sanitize } from '../safety/sanitize.js';
import type { Conversed } from './records.js';

/** Outbound cleaning for a run's comments, and for the words that its record keeps. */
export function cleanFor(
  word: Word,
  { secrets }: { readonly secrets: readonly string[] },
): (markdown: string) => string {
  return (markdown) =>
    sanitize(markdown, rightsOf(word).refers ? 'comment' : 'untrusted-comment', secrets);
}

/** The extent of a review; undefined for an agent that only writes summaries. */
export function reviewExtent({
  plan,
  outcome,
  read,
}: Pick<Conversed, 'plan' | 'outcome' | 'read'>): ReviewExtent | undefined {
  if (!plan.agent.config.tools.includes('add_review_comment')) return undefined;
  if (isCutShort(outcome)) return 'cut';
  return read.coverage?.kind === 'part' ? 'part' : 'whole';
}
