import { formatOpenCount, isOpen } from '../../findings/finding.js';
import {
  type ErrorText,
  formatError,
  mergeWarnings,
  type SourcePosition,
  WARNING_TITLES,
  type Warning,
  warningText,
} from '../../lib/errors.js';
import { formatInteger } from '../../lib/text/format.js';
import type { Validation } from '../../run/records.js';
import { allFaults } from '../../run/validate.js';
import type { RecordOf, RunRecord } from '../run-record.js';
import { bugReport } from './phrases.js';

/** An annotation of the workflow run; its message is not yet cleaned for the log. */
export interface Annotation {
  readonly level: 'notice' | 'warning' | 'error';
  readonly title: string;
  readonly message: string;
  readonly at?: SourcePosition;
}

/** As many as GitHub shows. */
export function annotationsOf(record: RunRecord): readonly Annotation[] {
  return withinBudget([...ofWarnings(record), ...ofEnd(record), ...ofGates(record)]);
}

function ofEnd(record: RunRecord): readonly Annotation[] {
  switch (record.end) {
    case 'ran': {
      const message = (record.saved?.text.notices ?? []).join('\n');
      const location = { level: 'notice', title: 'Where memory lives', message } as const;
      return [...(message === '' ? [] : [location]), ...ofError(record.work.text.error)];
    }
    case 'skipped':
      return [ofSkip(record)];
    case 'memory-command': {
      const { refusal, conclusion, text } = record;
      if (refusal === undefined) return [];
      // A mistake in the comment is none of the workflow's.
      const level = conclusion === 'skipped' ? 'notice' : 'error';
      return [{ level, title: 'Command in a comment', message: text.reply }];
    }
    case 'gc':
      return ofError(record.text.error);
    case 'validated':
      return ofValidation(record.text.validation);
    case 'failed': {
      const { error, stack } = record.text;
      const message = stack === undefined ? formatError(error) : bugReport(stack);
      return [{ level: 'error', title: 'axe-action', message, at: error.at }];
    }
    case 'planned':
      return [];
  }
}

function ofError(error: ErrorText | undefined): readonly Annotation[] {
  if (error === undefined) return [];
  return [{ level: 'error', title: 'axe-action', message: formatError(error) }];
}

function ofSkip({ reason, findings, text }: RecordOf<'skipped'>): Annotation {
  const { message, remedy = '' } = text;
  const open = findings?.records.filter(isOpen) ?? [];
  const sentences = [`${message}.`, remedy, open.length === 0 ? '' : `${formatOpenCount(open)}.`];
  const words = sentences.filter((part) => part !== '').join(' ');
  return reason === 'findings-unread'
    ? { level: 'error', title: 'Not reviewed', message: words }
    : { level: 'notice', title: 'Skipped', message: words };
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
function withinBudget(annotations: readonly Annotation[]): readonly Annotation[] {
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

/** Why the workflow fails the step: findings, and a conclusion that it lists. */
function ofGates({ conclusion, reason, failedBy, text }: RunRecord): readonly Annotation[] {
  const whys = text.gates.map(({ gate, why }) => `${why}, and \`fail-on\` lists \`${gate}\``);
  const isGood = conclusion === 'success' || conclusion === 'skipped';
  const cause = reason === undefined ? '' : ` (${reason})`;
  // Nothing went wrong: the workflow wants it to.
  if (isGood && failedBy.includes(conclusion)) {
    whys.unshift(
      `the conclusion is \`${conclusion}\`${cause}, and \`fail-on\` lists it. Remove it there if the step should pass.`,
    );
  }
  return whys.map((message) => ({ level: 'error', title: 'axe-action', message }));
}

/** The warnings of a run, merged by code; one that fails the step is an error. */
function ofWarnings(record: RunRecord): readonly Annotation[] {
  const { warnings } = record.text;
  const isUnpublished = record.end === 'ran' && record.published.isFailed === true;
  const isMemoryMissing = record.failedBy.includes('memory');
  // If the store is still in trouble at the end, the failed save alone is reported.
  const isSaveFailed = record.warnings.includes('memory-save-failed');
  const shown = warnings.filter(({ code }) => !isSaveFailed || code !== 'memory-load-failed');
  return mergeWarnings(shown).map(({ code, message, at }): Annotation => {
    const title = WARNING_TITLES[code];
    const failing = (remedy: string): Annotation => {
      return { level: 'error', title, message: warningText({ message, remedy }), at };
    };
    if (isMemoryMissing && code === 'memory-save-failed')
      return failing('The step fails because `fail-on` lists `memory`.');
    if (isUnpublished && code === 'publish-failed') return failing('The run failed because of it.');
    return { level: NOTICES.has(code) ? 'notice' : 'warning', title, message, at };
  });
}

/** Nothing is wrong, but people should know. */
const NOTICES: ReadonlySet<Warning['code']> = new Set(['memory-withheld', 'input-unused']);
