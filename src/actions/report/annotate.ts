import type { SourcePosition } from '../../core/position.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import { mergeWarnings, type Warning, warningTitle } from '../../core/warning.js';
import { loadToolkit } from '../runner/toolkit.js';
import type { Annotation } from './reporter.js';

/** Shows annotations, cleaned for the log. */
export async function annotate(
  annotations: readonly Annotation[],
  secrets: readonly string[],
): Promise<void> {
  if (annotations.length === 0) return;
  const core = await loadToolkit();
  for (const { level, title, message, at } of annotations)
    core[level](sanitize(message, 'log', secrets), { title, ...annotationPlace(at) });
}

/** The properties that put an annotation at its place. */
function annotationPlace(at: SourcePosition | undefined) {
  if (at === undefined) return {};
  return {
    file: at.file,
    ...(at.line === undefined ? {} : { startLine: at.line }),
    ...(at.column === undefined ? {} : { startColumn: at.column }),
  };
}

/** The warnings of a run as annotations, merged by code (D35); `isRequired`: a save that failed fails the step. */
export function warningAnnotations(warnings: readonly Warning[], isRequired: boolean): readonly Annotation[] {
  return mergeWarnings(toldOnce(warnings)).map(({ code, message, at }) => {
    const isError = isRequired && code === 'memory-save-failed';
    return {
      level: isError ? 'error' : 'warning',
      title: warningTitle(code),
      message: isError ? `${message.replace(/\.$/, '')}. ${REQUIRED}` : message,
      at,
    };
  });
}

const REQUIRED = 'The step fails because of `memory-required: true`.';

/** A log that could not be read is not added to; the failed save names the cause, so it need not be told twice (D14). */
function toldOnce(warnings: readonly Warning[]): readonly Warning[] {
  const isSaveFailed = warnings.some(({ code }) => code === 'memory-save-failed');
  return isSaveFailed ? warnings.filter(({ code }) => code !== 'memory-load-failed') : warnings;
}
