import { fitDiff } from './diff.js';
import { fence } from './fence.js';
import type { Parts } from './parts.js';

/** Names listed before a list says how many more there are. */
const MAX_LISTED = 300;

/** The diff in a fence, as much of it as fits, with a word on the rest: what is not shown is never "clean". */
export function describeDiff(
  diff: string,
  { source, maxBytes }: { readonly source: string; readonly maxBytes: number },
): Parts {
  if (diff.trim() === '') return { blocks: [`The ${source} is empty.`], isFenced: false, warnings: [] };
  const { text, shown, notShown } = fitDiff(diff, maxBytes);
  const blocks = [fence(text, { source })];
  if (notShown.length === 0) return { blocks, isFenced: true, warnings: [] };
  const kilobytes = Math.round(maxBytes / 1024);
  blocks.push(
    `${count(notShown.length, 'file')} of the diff cannot be shown whole, since only ${kilobytes} KiB fit; its end lists them. Say so in your answer, and do not judge what you have not seen.`,
  );
  const message = `the ${source} is larger than ${kilobytes} KiB: ${shown.length} files are shown, ${notShown.length} are not (${listOf(notShown.slice(0, 5)).replaceAll('\n', ', ')}${notShown.length > 5 ? ', …' : ''})`;
  return { blocks, isFenced: true, warnings: [{ code: 'context-truncated', message }] };
}

/** One line each, at most as many as anybody reads. */
export function listOf(lines: readonly string[]): string {
  const listed = lines.slice(0, MAX_LISTED);
  if (lines.length > listed.length) listed.push(`… and ${lines.length - listed.length} more`);
  return listed.join('\n');
}

/** `1 file`, `2 files`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
