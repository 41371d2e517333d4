import type { WithdrawalReason, Withdrawn } from '../../axe/review/state-facts.js';
import type { Learned } from '../../pipeline/request.js';
import type { MemoryView } from './format-memory.js';
import { code, count, oneLine, sections } from './markdown.js';

/** What a run has learnt from answers to earlier findings, for the summary; empty where that is nothing. */
export function formatLearned(
  learned: Learned | undefined,
  { isHidden }: Pick<MemoryView, 'isHidden'>,
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
  return `- ${code(path)}, ${code(rule)}: ${REASONS[why]} by ${code(by)} on #${pull} (${code(fingerprint)})`;
}

const REASONS: Readonly<Record<WithdrawalReason, string>> = {
  'resolved-by-author': 'resolved without a change',
  'thumbs-down': 'marked as wrong',
  answered: 'refuted',
  fixed: 'fixed, as said',
};
