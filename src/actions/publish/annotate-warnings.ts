import type { SourcePosition } from '../../core/position.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import { mergeWarnings, type Warning, warningTitle } from '../../core/warning.js';
import { loadToolkit } from '../runner/toolkit.js';

/** How warnings are shown. */
export interface Annotating {
  readonly secrets: readonly string[];
  /** A save that failed fails the step. */
  readonly isRequired: boolean;
}

/** Shows the warnings of a run as annotations, merged by code (D35). */
export async function annotateWarnings(
  warnings: readonly Warning[],
  { secrets, isRequired }: Annotating,
): Promise<void> {
  if (warnings.length === 0) return;
  const core = await loadToolkit();
  for (const { code, message, at } of mergeWarnings(toldOnce(warnings))) {
    const properties = { title: warningTitle(code), ...annotationPlace(at) };
    if (isRequired && code === 'memory-save-failed')
      core.error(sanitize(`${message.replace(/\.$/, '')}. ${REQUIRED}`, 'log', secrets), properties);
    else core.warning(sanitize(message, 'log', secrets), properties);
  }
}

const REQUIRED = 'The step fails because of `memory-required: true`.';

/** A log that could not be read is not added to; the failed save names the cause, so it need not be told twice (D14). */
function toldOnce(warnings: readonly Warning[]): readonly Warning[] {
  const isSaveFailed = warnings.some(({ code }) => code === 'memory-save-failed');
  return isSaveFailed ? warnings.filter(({ code }) => code !== 'memory-load-failed') : warnings;
}

/** The properties that put an annotation at its place. */
export function annotationPlace(at: SourcePosition | undefined): {
  file?: string;
  startLine?: number;
  startColumn?: number;
} {
  if (at === undefined) return {};
  return {
    file: at.file,
    ...(at.line === undefined ? {} : { startLine: at.line }),
    ...(at.column === undefined ? {} : { startColumn: at.column }),
  };
}
