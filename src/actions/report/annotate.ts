import { error, notice, warning } from '@actions/core';
import type { SourcePosition } from '../../core/position.js';
import { sanitize } from '../../core/sanitize/sanitize.js';
import { mergeWarnings, type Warning, warningTitle } from '../../core/warning.js';
import type { Annotation } from './reporter.js';

const SHOW = { error, warning, notice };

/** Shows annotations, cleaned for the log. */
export async function annotate(
  annotations: readonly Annotation[],
  secrets: readonly string[],
): Promise<void> {
  for (const { level, title, message, at } of annotations)
    SHOW[level](sanitize(message, 'log', secrets), { title, ...annotationPlace(at) });
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

/** The warnings of a run as annotations, merged by code (D35); one that fails the step is an error. */
export function warningAnnotations(
  warnings: readonly Warning[],
  { isRequired, isUnpublished }: WarningWeights,
): readonly Annotation[] {
  return mergeWarnings(withoutRepeats(warnings)).map(({ code, message, at }) => {
    const why =
      (isRequired && code === 'memory-save-failed' ? REQUIRED : undefined) ??
      (isUnpublished && code === 'publish-failed' ? UNPUBLISHED : undefined);
    return {
      level: why === undefined ? 'warning' : 'error',
      title: warningTitle(code),
      message: why === undefined ? message : `${message.replace(/\.$/, '')}. ${why}`,
      at,
    };
  });
}

/** Which warnings fail the step. */
interface WarningWeights {
  /** Memory had to be saved. */
  readonly isRequired: boolean;
  /** Nothing of what the run was there for could be published (D40). */
  readonly isUnpublished: boolean;
}

const REQUIRED = 'The step fails because of `memory-required: true`.';
const UNPUBLISHED = 'The run failed because nothing else could be published either.';

/** A log that could not be read is not added to; the failed save names the cause, so it need not be told twice (D14). */
function withoutRepeats(warnings: readonly Warning[]): readonly Warning[] {
  const isSaveFailed = warnings.some(({ code }) => code === 'memory-save-failed');
  return isSaveFailed ? warnings.filter(({ code }) => code !== 'memory-load-failed') : warnings;
}
