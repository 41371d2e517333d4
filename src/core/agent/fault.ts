import type { AxeError } from '../errors.js';
import type { SourcePosition } from '../position.js';
import { cutToCharacters } from '../text/cut.js';
import type { Warning } from '../warning.js';

/** Most characters of a message, and of a remedy: names in them are anybody's. */
const MAX_MESSAGE = 1_000;

/** Something wrong with an agent, found without running it. */
export interface Fault {
  /** An error ends a run, or a call of a sub-agent; with a warning it goes on. */
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** Empty where the message says it. */
  readonly remedy: string;
  readonly at: SourcePosition;
}

/** What a run would end with; `at` is for errors that do not say where. */
export function errorFault(error: AxeError, at: SourcePosition): Fault {
  const { message, remedy = '' } = error;
  return { severity: 'error', message: cutTo(message), remedy: cutTo(remedy), at: error.at ?? at };
}

/** What a run would warn of; `at` is for warnings that do not say where. */
export function warningFault(
  { message, remedy = '', at: own }: Pick<Warning, 'message' | 'remedy' | 'at'>,
  at: SourcePosition,
): Fault {
  return { severity: 'warning', message: cutTo(message), remedy: cutTo(remedy), at: own ?? at };
}

function cutTo(text: string): string {
  return cutToCharacters(text, MAX_MESSAGE);
}

/** The faults as they are in the file. */
export function inFileOrder(faults: readonly Fault[]): readonly Fault[] {
  return faults.toSorted(
    ({ at: a }, { at: b }) => (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}
