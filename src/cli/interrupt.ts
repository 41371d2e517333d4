import { AxeError } from '../lib/errors.js';
import { createDeadline, type RunDeadline } from '../lib/time-limit.js';
import type { RunReport } from '../run/records.js';
import { STOP_STATUS, type StopSignal, type Terminal } from './terminal.js';

/** A signal ended the command before its work was done. */
export class InterruptedError extends AxeError {
  readonly signal: StopSignal;

  constructor(signal: StopSignal, saved = 'Nothing was saved.') {
    super(`interrupted by ${signal}`, { exitCode: STOP_STATUS[signal], remedy: saved });
    this.signal = signal;
  }
}

export function createTerminalDeadline(terminal: Terminal, saved?: string): RunDeadline {
  const deadline = createDeadline();
  terminal.onInterrupt((signal) => deadline.cancel(new InterruptedError(signal, saved)));
  return deadline;
}

/** Whether an error says that a signal ended the command: no status of ours is above 128. */
export function isInterrupt({ exitCode }: AxeError): boolean {
  return exitCode > 128;
}

type Ran = Extract<RunReport, { readonly kind: 'ran' }>;

/** The error of an interrupted run with what it saved all the same. */
export function withSaved({ signal }: InterruptedError, report: Ran): InterruptedError {
  return new InterruptedError(signal, report.memory === undefined ? undefined : describeSaved(report));
}

/** Notes are saved when they are written, of an event's run at its end; trouble with that is a warning of its own. */
function describeSaved({ memory, remembered }: Ran): string {
  const recent = remembered?.result.kind === 'failed' ? [] : (memory?.notes?.session.recent() ?? []);
  const written = [...new Set(recent.map(({ path }) => path))];
  const words = ['No entry was added to memory.'];
  if (written.length > 0) words.push(`Notes that were written stay: ${written.join(', ')}.`);
  return words.join(' ');
}
