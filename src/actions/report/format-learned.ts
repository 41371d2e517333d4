import type { WithdrawalReason, Withdrawn } from '../../core/review/state-facts.js';
import { count } from '../../core/text/count.js';
import type { Learned } from '../../run/request.js';
import type { LoadedMemoryView } from './format-memory.js';
import { code, oneLine, sections } from './markdown.js';

/** What a run has learnt from answers to earlier findings, for the summary; empty where that is nothing. */
export function formatLearned(
  learned: Learned | undefined,
  { isHidden }: Pick<LoadedMemoryView, 'isHidden'>,
): string {
  if (learned === undefined) return '';
  const { withdrawn, trouble } = learned;
  const lines = isHidden ? [] : withdrawn.slice(0, MAX_LISTED).map(lineOf);
  const left = isHidden ? 0 : withdrawn.length - lines.length;
  const more = left > 0 ? [`- and ${left} more`] : [];
  return sections([
    withdrawn.length === 0 ? '' : `**Learned from answers** to ${count(withdrawn.length, 'earlier finding')}`,
    [...lines, ...more].join('\n'),
    trouble === undefined ? '' : `Answers to earlier findings were not read: ${oneLine(trouble)}`,
  ]);
}

const MAX_LISTED = 20;

/** The fingerprint is what `forget` takes. */
function lineOf({ fingerprint, path, rule, why, by, pull }: Withdrawn): string {
  const { what, how } = WORDS[why];
  return `- ${code(path)}, ${code(rule)}: ${what} by ${code(by)}${how} on #${pull} (${code(fingerprint)})`;
}

const WORDS: Readonly<Record<WithdrawalReason, { readonly what: string; readonly how: string }>> = {
  resolved: { what: 'withdrawn', how: ' (resolved without a change)' },
  'thumbs-down': { what: 'withdrawn', how: ' with 👎' },
  reply: { what: 'withdrawn', how: ' in a reply' },
  fixed: { what: 'called fixed', how: '' },
};
