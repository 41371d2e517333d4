import type { Ended, EndReason } from '../../core/review/finding-facts.js';
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
  const { facts, trouble } = learned;
  const ended = facts.flatMap((fact) => (fact.kind === 'ended' ? [fact] : []));
  const lines = isHidden ? [] : ended.slice(0, MAX_LISTED).map(lineOf);
  const left = isHidden ? 0 : ended.length - lines.length;
  const more = left > 0 ? [`- and ${left} more`] : [];
  return sections([
    ended.length === 0 ? '' : `**Learned from answers** to ${count(ended.length, 'earlier finding')}`,
    [...lines, ...more].join('\n'),
    trouble === undefined ? '' : `Answers to earlier findings were not read: ${oneLine(trouble)}`,
  ]);
}

const MAX_LISTED = 20;

/** The id is what `forget` takes. */
function lineOf({ id, path, category, how, why, by, pull }: Ended): string {
  const who = by === '' ? '' : ` by ${code(by)}`;
  return `- ${code(path)}, ${code(category)}: ${how}${who}${GESTURES[why]} on #${pull} (${code(id)})`;
}

const GESTURES: Readonly<Record<EndReason, string>> = {
  fixed: ' (the code has changed)',
  suggestion: ' (its suggestion was committed)',
  closed: ' (resolved without a change)',
  'thumbs-down': ' with 👎',
  reply: ' in a reply',
  command: ' with a command',
  words: ' in their own words',
  wrong: '',
  gone: ' (its line is gone)',
};
