import { formatOpenCount, isOpen } from '../../findings/finding.js';
import type { MetGate } from '../../findings/post/record.js';
import {
  AxeError,
  formatError,
  mergeWarnings,
  WARNING_TITLES,
  type Warning,
  warningText,
} from '../../lib/errors.js';
import { errorOf } from '../../lib/outcome.js';
import { formatInteger } from '../../lib/text/format.js';
import { formatRefusal } from '../../run/memory-commands/command-texts.js';
import type { Validation } from '../../run/records.js';
import { allFaults } from '../../run/validate.js';
import { isMistake } from '../conclusion.js';
import type { Annotation, FinishedRun, Outputs, ReportOf } from '../run-summary.js';
import { memoryNotes } from './memory.js';
import { bugReport } from './phrases.js';

/** Annotations in addition to those of warnings. `isHidden`: memory is in another repository. */
export function annotationsOf(report: FinishedRun, isHidden: boolean): readonly Annotation[] {
  switch (report.kind) {
    case 'ran': {
      const { notices } = memoryNotes(report, isHidden);
      const message = notices.join('\n');
      const location = { level: 'notice', title: 'Where memory lives', message } as const;
      return [...(notices.length === 0 ? [] : [location]), ...ofError(errorOf(report.outcome))];
    }
    case 'skipped':
      return [ofSkip(report)];
    case 'memory-command': {
      const { result } = report;
      if (result.kind === 'done') return [];
      const level = isMistake(result) ? 'notice' : 'error';
      return [{ level, title: 'Command in a comment', message: formatRefusal(result) }];
    }
    case 'gc': {
      const { end } = report.collection;
      return ofError(end.kind === 'failed' ? end.error : undefined);
    }
    case 'validated':
      return ofValidation(report.validation);
    case 'failed': {
      const { thrown } = report;
      const isOurs = thrown instanceof AxeError;
      const message = isOurs ? formatError(thrown) : bugReport(thrown);
      return [{ level: 'error', title: 'axe-action', message, at: isOurs ? thrown.at : undefined }];
    }
    case 'planned':
      return [];
  }
}

function ofError(error: AxeError | undefined): readonly Annotation[] {
  if (error === undefined) return [];
  return [{ level: 'error', title: 'axe-action', message: formatError(error) }];
}

function ofSkip({ decision, reviewResult }: ReportOf<'skipped'>): Annotation {
  const { reason, message, remedy = '' } = decision;
  const open = reviewResult?.report.findings.filter(isOpen) ?? [];
  const sentences = [`${message}.`, remedy, open.length === 0 ? '' : `${formatOpenCount(open)}.`];
  const text = sentences.filter((part) => part !== '').join(' ');
  return reason === 'findings-unread'
    ? { level: 'error', title: 'Not reviewed', message: text }
    : { level: 'notice', title: 'Skipped', message: text };
}

/** GitHub's levels of annotations, worst first. */
const ANNOTATION_LEVELS = [
  ['error', 'error'],
  ['warning', 'warning'],
  ['note', 'notice'],
] as const;

function ofValidation(validation: Validation): readonly Annotation[] {
  const { setup = [] } = validation;
  const faults = allFaults(validation);
  return ANNOTATION_LEVELS.flatMap(([severity, level]) => [
    ...setup
      .filter((problem) => problem.severity === severity)
      .map(({ message, remedy }) => ({
        level,
        title: 'Input',
        message: `${message}\n${remedy}`,
      })),
    ...faults
      .filter((problem) => problem.severity === severity)
      .map(({ message, remedy, at }) => {
        return {
          level,
          title: at.file.endsWith('.toml') ? 'Agent' : 'Workflow',
          message: [message, remedy].join('\n').trim(),
          at,
        };
      }),
  ]);
}

/** GitHub shows this many annotations of a step. */
const MAX_ANNOTATIONS = 10;

const LEVELS = ['error', 'warning', 'notice'] as const;

/** The worst first if there are too many; then the last says how many more there are. */
export function withinBudget(annotations: readonly Annotation[]): readonly Annotation[] {
  if (annotations.length <= MAX_ANNOTATIONS) return annotations;
  const worstFirst = annotations.toSorted(
    (a, b) => LEVELS.indexOf(a.level) - LEVELS.indexOf(b.level),
  );
  const shown = worstFirst.slice(0, MAX_ANNOTATIONS - 1);
  const [{ level } = { level: 'notice' as const }] = worstFirst.slice(shown.length);
  const number = formatInteger(annotations.length - shown.length);
  const message = `${number} more are in the job summary.`;
  return [...shown, { level, title: 'axe-action', message }];
}

/**
 * Why the workflow fails the step: findings, and a conclusion that it lists, of which the outputs
 * are given.
 */
export function gateAnnotations(
  met: readonly MetGate[],
  listed: Pick<Outputs, 'conclusion' | 'reason'> | undefined,
): readonly Annotation[] {
  const whys = met.map(({ gate, why }) => `${why}, and \`fail-on\` lists \`${gate}\``);
  const { conclusion, reason } = listed ?? {};
  // Nothing went wrong: the workflow wants it to.
  if (conclusion === 'success' || conclusion === 'skipped') {
    const cause = reason === undefined ? '' : ` (${reason})`;
    whys.unshift(
      `the conclusion is \`${conclusion}\`${cause}, and \`fail-on\` lists it. Remove it there if the step should pass.`,
    );
  }
  return whys.map((message) => ({ level: 'error', title: 'axe-action', message }));
}

/** The warnings of a run as annotations, merged by code; one that fails the step is an error. */
export function warningAnnotations(
  warnings: readonly Warning[],
  lacksMemory: boolean,
  isUnpublished: boolean,
): readonly Annotation[] {
  // If the store is still in trouble at the end, the failed save alone is reported.
  const isSaveFailed = warnings.some(({ code }) => code === 'memory-save-failed');
  const shown = warnings.filter(({ code }) => !isSaveFailed || code !== 'memory-load-failed');
  return mergeWarnings(shown).map(({ code, message, at }): Annotation => {
    const title = WARNING_TITLES[code];
    const failing = (remedy: string): Annotation => {
      return { level: 'error', title, message: warningText({ message, remedy }), at };
    };
    if (lacksMemory && code === 'memory-save-failed')
      return failing('The step fails because `fail-on` lists `memory`.');
    if (isUnpublished && code === 'publish-failed') return failing('The run failed because of it.');
    return { level: NOTICES.has(code) ? 'notice' : 'warning', title, message, at };
  });
}

/** Nothing is wrong, but people should know. */
const NOTICES: ReadonlySet<Warning['code']> = new Set(['memory-withheld', 'input-unused']);
