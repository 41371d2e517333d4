import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import picocolors from 'picocolors';
import { createDeadline, type Deadline } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import { AxeError, formatError } from '../lib/errors.js';
import type { ProgramName } from '../run/dependencies.js';
import type { RunReport } from '../run/records.js';

/** The terminal a command runs in: everything of the process that commands can use. */
export interface Terminal {
  readonly env: Environment;
  readonly cwd: string;
  readonly program: ProgramName;
  /** The folder of the started file, `dist/cli` of the action. */
  readonly programFolder: string;
  readonly stdin: Readable & { readonly fd?: number; readonly isTTY?: boolean };
  /** For answers. */
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** For warnings, errors and progress. */
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /**
   * Calls back when a signal asks the program to end. Without a listener a signal ends it at once.
   */
  onInterrupt(interrupted: (signal: StopSignal) => void): void;
}

/** A link called `axe` makes the program a replacement for axe, with axe's name and messages. */
export function programName(script: string | undefined): ProgramName {
  return basename(script ?? '') === 'axe' ? 'axe' : 'axe-action';
}

/** Writes a line to standard output. */
export function print(terminal: Terminal, line: string): void {
  terminal.stdout.write(`${line}\n`);
}

/** Writes an error for people; on a terminal its first line is red. */
export function writeError({ stderr, env, program }: Terminal, error: AxeError): void {
  const colors = colorsFor(stderr, env);
  const text = formatError(program === 'axe' ? inWordsOfAxe(error) : error);
  const [message = '', ...rest] = text.split('\n');
  stderr.write(`${[colors.red(message), ...rest].join('\n')}\n`);
}

function inWordsOfAxe({ message, axe = message, remedy, at }: AxeError): AxeError {
  return new AxeError(axe, { remedy: remedy?.replaceAll('`axe-action ', '`axe '), at });
}

/** Colours for a terminal, unless `NO_COLOR` is set. */
export function colorsFor(stream: { readonly isTTY?: boolean }, env: Environment) {
  return picocolors.createColors(
    stream.isTTY === true && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
  );
}

/** Signals that ask the program to end, with the exit status that shells report for each. */
const STOP_STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** @internal */
export type StopSignal = keyof typeof STOP_STATUS;

const SIGNALS: readonly StopSignal[] = ['SIGHUP', 'SIGINT', 'SIGTERM'];

/** Calls listeners back when a signal asks the program to end; a second signal ends it at once. */
export function createSignalListener(): (interrupted: (signal: StopSignal) => void) => void {
  const listeners: ((signal: StopSignal) => void)[] = [];
  let received: StopSignal | undefined;

  const receive = (signal: StopSignal): void => {
    if (received !== undefined) process.exit(STOP_STATUS[signal]);
    received = signal;
    for (const interrupted of listeners) interrupted(signal);
  };

  return (interrupted) => {
    if (listeners.length === 0) for (const signal of SIGNALS) process.on(signal, receive);
    listeners.push(interrupted);
    if (received !== undefined) interrupted(received);
  };
}

/**
 * Ends the program by the signal of this exit status, once its output is written, so that a shell
 * ends its own loop too. A signal cannot end the first process of a container; there only the status
 * shows it.
 */
export function endBySignal(status: number): void {
  const signal = SIGNALS.find((name) => STOP_STATUS[name] === status);
  if (signal === undefined) return;
  process.stdout.write('', () => {
    process.stderr.write('', () => {
      process.removeAllListeners(signal);
      if (process.platform !== 'win32') process.kill(process.pid, signal);
      process.exit(status);
    });
  });
}

/** A signal ended the command before its work was done. */
export class InterruptedError extends AxeError {
  readonly signal: StopSignal;

  constructor(signal: StopSignal, saved = 'Nothing was saved.') {
    super(`interrupted by ${signal}`, { exitCode: STOP_STATUS[signal], remedy: saved });
    this.signal = signal;
  }
}

export function createTerminalDeadline(
  terminal: Terminal,
  saved?: string,
  remedy?: string,
): Deadline {
  const deadline = createDeadline(remedy);
  terminal.onInterrupt((signal) => deadline.cancel(new InterruptedError(signal, saved)));
  return deadline;
}

type RanReport = Extract<RunReport, { readonly kind: 'ran' }>;

/**
 * The error of an interrupted run, with the notes that are saved nevertheless: each when it was
 * written, or at the end of a run for an event. Trouble with that has a warning of its own.
 */
export function withSaved(
  { signal }: InterruptedError,
  { memory, remembered }: RanReport,
): InterruptedError {
  if (memory === undefined) return new InterruptedError(signal);
  const written = memory.notes?.session.recent().map(({ path }) => path);
  const saved = remembered?.result.kind === 'failed' ? [] : [...new Set(written)];
  const savedNotes =
    saved.length === 0 ? '' : ` Notes already written are kept: ${saved.join(', ')}.`;
  return new InterruptedError(signal, `No entry was added to memory.${savedNotes}`);
}
