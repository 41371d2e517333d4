import { utf8Bytes } from '../../lib/text/bytes.js';
import { formatInteger } from '../../lib/text/format.js';
import type { NoteLine } from '../citations.js';

/**
 * Chooses the lines for a review whose change has these paths: all that fit, or else people's lines
 * without a citation, which get half of the room first, facts about files of the change, and facts
 * about files of the same folders, each time the newest first. The lines keep their order.
 */
export function chooseFacts(
  lines: readonly NoteLine[],
  changedPaths: readonly string[],
  maxBytes: number,
): string {
  const isChosen = lines.map(() => true);
  if (bytesOf(lines) <= maxBytes) return textOf(lines, isChosen);
  isChosen.fill(false);

  const files = new Set(changedPaths);
  const folders = new Set(changedPaths.map(folderOf));
  const isAboutFile = ({ paths }: NoteLine) => paths.some((path) => files.has(path));
  const isAboutFolder = ({ paths }: NoteLine) => paths.some((path) => folders.has(folderOf(path)));
  const isUncited = ({ paths, text }: NoteLine) => paths.length === 0 && text.trim() !== '';

  let freeBytes = maxBytes - MAX_REMARK_BYTES;
  const take = (isWanted: (line: NoteLine) => boolean, leastFree: number) => {
    for (const [index, line] of [...lines.entries()].toReversed()) {
      const bytes = utf8Bytes(line.text) + 1;
      if (isChosen[index] || !isWanted(line) || freeBytes - bytes < leastFree) continue;
      isChosen[index] = true;
      freeBytes -= bytes;
    }
  };
  take(isUncited, maxBytes / 2);
  take(isAboutFile, 0);
  take(isUncited, 0);
  take(isAboutFolder, 0);

  const chosen = isChosen.filter(Boolean).length;
  const total = lines.filter(({ text }) => text.trim() !== '').length;
  const remark = `${formatInteger(chosen)} of ${formatInteger(total)} lines, those about files of this change first.`;
  return `${remark}\n\n${textOf(lines, isChosen)}`;
}

/** More than the sentence above the lines takes. */
const MAX_REMARK_BYTES = 128;

function bytesOf(lines: readonly NoteLine[]): number {
  return lines.reduce((sum, { text }) => sum + utf8Bytes(text) + 1, 0);
}

function textOf(lines: readonly NoteLine[], isChosen: readonly boolean[]): string {
  const chosen = lines.filter((_, index) => isChosen[index]);
  return chosen.map(({ text }) => text).join('\n');
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}
