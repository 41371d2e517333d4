import { AxeError, messageOf } from '../lib/errors.js';
import { errorOf, type RunOutcome } from '../lib/outcome.js';

/** Why a conversation besides the run's own came to nothing. */
export interface LostAnswer {
  readonly message: string;
  /** What to do about it, in whole sentences. */
  readonly remedy: string;
}

/** For reasons that lie with the model alone. */
const OTHER_MODEL = 'Choose another model if this happens again and again.';

/** `missing` says what a conversation lacks that came to its end. */
export function lostBy(outcome: RunOutcome, missing: string): LostAnswer {
  const error = errorOf(outcome);
  return error === undefined ? { message: missing, remedy: OTHER_MODEL } : lostByError(error);
}

/** For a conversation that could not be held: one that is lost must not cost what the others have found. */
export function lostByThrown(thrown: unknown): LostAnswer {
  if (thrown instanceof AxeError) return lostByError(thrown);
  const message = `a bug in axe-action: ${messageOf(thrown)}`;
  return { message, remedy: 'Report it with the log of this run.' };
}

function lostByError({ message, remedy }: AxeError): LostAnswer {
  return { message, remedy: remedy ?? OTHER_MODEL };
}

/** What is told of several: no more than three reasons, each once. */
export function reasonsOf(lost: readonly LostAnswer[]): string {
  return [...new Set(lost.map(({ message }) => message))].slice(0, 3).join('; ');
}

/** The remedies of several, each once. */
export function remediesOf(lost: readonly LostAnswer[]): string {
  return [...new Set(lost.map(({ remedy }) => remedy))].join(' ');
}
