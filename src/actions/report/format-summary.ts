import { stripProvenance } from '../../core/memory/run-log.js';
import type { Plan } from '../../core/plan.js';
import { sourcePosition } from '../../core/position.js';
import { formatScope } from '../../core/review/scope.js';
import type { Warning } from '../../core/warning.js';
import type { LoadedMemoryView } from './format-memory.js';
import { code, codeBlock, oneLine, sections } from './markdown.js';

/** The warnings of a run in its job summary; what the token may not read is listed apart. */
export function warningList(warnings: readonly Warning[]): string {
  const unread = warnings.filter(({ code }) => code === 'context-unread');
  const others = warnings.filter(({ code }) => code !== 'context-unread');
  return sections([listUnder('Warnings', others), listUnder('Not read', unread)]);
}

function listUnder(heading: string, warnings: readonly Warning[]): string {
  return warnings.length === 0 ? '' : sections([`**${heading}**`, warnings.map(warningLine).join('\n')]);
}

function warningLine({ message, at }: Warning): string {
  return `- ${oneLine(message)}${at === undefined ? '' : ` (${code(sourcePosition(at))})`}`;
}

/** How much of a pull request was looked at, or would have been. */
export function scopeLine({ scope, task }: Plan): string {
  return scope === undefined ? '' : `**Reviewed:** ${formatScope(scope, task.unseen?.length)}.`;
}

/** The summary of a post step that could not save what a killed main step left either. */
export function formatUnsavedSummary(
  why: string,
  entries: readonly { readonly id: string; readonly text: string }[],
  { isHidden }: Pick<LoadedMemoryView, 'isHidden'>,
): string {
  const ids = [...new Set(entries.map(({ id }) => code(id)))].join(', ');
  const shown = isHidden
    ? [`What the main step left belongs in another repository, so it is not shown here: ${ids}.`]
    : [
        'What the main step left, so that it is not lost:',
        codeBlock(stripProvenance(entries.map(({ text }) => text).join('')).trimEnd()),
      ];
  return sections(['### axe-action: memory not saved', why, ...shown]);
}
