import type { Fault } from '../../agent/fault.js';
import { shownFile, sourcePosition } from '../../lib/position.js';
import { count } from '../../lib/text/number.js';
import { allFaults, type CheckedAgent, countFaults, isValid, type Validation } from './validation.js';

/** Faults that are listed; the rest is counted. Files are anybody's, and an output holds a megabyte. */
const MAX_LISTED = 200;

/** All that was found, a line each with its remedy below, and how many agents that were. */
export function formatValidation(validation: Validation): readonly string[] {
  const { agents } = validation;
  const faults = allFaults(validation);
  const left = faults.length - MAX_LISTED;
  return [
    ...agents.filter(({ faults: own }) => own.length === 0).map(({ file }) => `${shownFile(file)}: valid`),
    ...faults.slice(0, MAX_LISTED).flatMap((fault) => formatFault(fault)),
    ...(left > 0 ? [`and ${left} more`] : []),
    '',
    `${count(agents.length, 'agent')}: ${formatCounts(faults) || 'valid'}`,
  ];
}

/** `axe/agents/a.toml:3:1: error: …`, as editors and compilers write it. */
export function formatFault(
  { at, severity, message, remedy }: Fault,
  shown: { readonly severity: boolean } = { severity: true },
): readonly string[] {
  const [first = '', ...others] = `${message}${remedy === '' ? '' : `\n${remedy}`}`.split('\n');
  const place = sourcePosition({ ...at, file: shownFile(at.file) });
  return [`${place}: ${shown.severity ? `${severity}: ` : ''}${first}`, ...others.map((line) => `  ${line}`)];
}

/** The same for programs: one line of JSON; what is not known is null. */
export function formatValidationJson(validation: Validation): string {
  const agents = validation.agents.map(({ name, file, faults }) => ({
    name,
    file,
    valid: countFaults(faults, 'error') === 0,
    faults: faults.map(({ severity, message, remedy, at }) => ({
      severity,
      message,
      remedy: remedy === '' ? null : remedy,
      file: at.file,
      line: at.line ?? null,
      column: at.column ?? null,
    })),
  }));
  return JSON.stringify({ valid: isValid(validation), agents });
}

/** `2 errors, 1 warning`, or `valid`. */
export function formatVerdict({ faults }: CheckedAgent): string {
  return formatCounts(faults) || 'valid';
}

function formatCounts(faults: readonly Fault[]): string {
  const counts = (['error', 'warning'] as const).map((severity) => ({
    severity,
    number: countFaults(faults, severity),
  }));
  return counts.flatMap(({ severity, number }) => (number === 0 ? [] : [count(number, severity)])).join(', ');
}
