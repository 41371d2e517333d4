import type { Coverage } from '../../core/findings/record.js';
import { stripProvenance } from '../../core/memory/run-log.js';
import type { Plan } from '../../core/plan.js';
import { sourcePosition } from '../../core/position.js';
import { formatCoverage } from '../../core/review/coverage.js';
import { cleanLine } from '../../core/text/cut.js';
import { type Warning, warningText } from '../../core/warning.js';
import type { LoadedMemoryView } from './format-memory.js';
import { code, codeBlock, details, oneLine, sections } from './markdown.js';

/** The warnings of a run in its job summary; what the token may not read is listed apart. */
export function warningList(warnings: readonly Warning[]): string {
  const unread = warnings.filter(({ code }) => code === 'context-unread');
  const others = warnings.filter(({ code }) => code !== 'context-unread');
  return sections([listUnder('Warnings', others), formatNotRead(unread)]);
}

/** What the token may not read, a line for each permission that is missing. */
function formatNotRead(unread: readonly Warning[]): string {
  if (unread.length === 0) return '';
  const byRemedy = new Map<string, string[]>();
  for (const { message, remedy = '' } of unread) {
    const what = byRemedy.get(remedy) ?? [];
    if (!what.includes(message)) byRemedy.set(remedy, [...what, message]);
  }
  const lines = [...byRemedy].map(([remedy, what]) => {
    const next = oneLine(remedy).replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
    return `- ${oneLine(what.join(', '))}${next === '' ? '' : ` — ${next}`}`;
  });
  return sections(['**Not read**, so the model does not know of it', lines.join('\n')]);
}

function listUnder(heading: string, warnings: readonly Warning[]): string {
  return warnings.length === 0 ? '' : sections([`**${heading}**`, warnings.map(warningLine).join('\n')]);
}

function warningLine(warning: Warning): string {
  const { at } = warning;
  return `- ${oneLine(warningText(warning))}${at === undefined ? '' : ` (${code(sourcePosition(at))})`}`;
}

/** How much of a change was read, or would have been, with the names of all files that were not. */
export function formatReading(coverage: Coverage | undefined, scope: Plan['scope']): string {
  if (coverage === undefined) return '';
  const named = coverage.unread.filter(({ path }) => path !== '');
  const names = named
    .slice(0, MAX_UNREAD)
    .map(({ path, why }) => `- ${code(cleanLine(path, MAX_PATH))}: ${why}`);
  const more = named.length > MAX_UNREAD ? [`- and ${named.length - MAX_UNREAD} more`] : [];
  const list = named.length === 0 ? '' : details('Files that were not read', [...names, ...more].join('\n'));
  return sections([formatCoverage(coverage, scope), list]);
}

const MAX_UNREAD = 300;
/** Code points of a path. */
const MAX_PATH = 200;

/** The summary of a post step that could not save what a killed main step left either. */
export function formatUnsavedSummary(
  why: string,
  entries: readonly { readonly id: string; readonly text: string }[],
  { isHidden }: Pick<LoadedMemoryView, 'isHidden'>,
): string {
  const ids = [...new Set(entries.map(({ id }) => code(id)))].join(', ');
  if (entries.length === 0) {
    return sections(['### axe-action: memory not saved', why, 'What is missing is the cost of the run.']);
  }
  const shown = isHidden
    ? [`What the main step left belongs in another repository, so it is not shown here: ${ids}.`]
    : [
        'What the main step left, so that it is not lost:',
        codeBlock(stripProvenance(entries.map(({ text }) => text).join('')).trimEnd()),
      ];
  return sections(['### axe-action: memory not saved', why, ...shown]);
}
