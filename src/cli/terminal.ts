import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import picocolors from 'picocolors';
import { createDeadline, type Deadline } from '../lib/clock.js';
import type { Environment } from '../lib/environment.js';
import { AxeError, formatError } from '../lib/errors.js';
import type { ProgramName } from '../run/dependencies.js';
import type { RunReport } from '../run/records.js';

/** The terminal a command runs in: everything of the process that commands may touch. */
export interface Terminal {
  readonly env: Environment;
  readonly cwd: string;
  readonly program: ProgramName;
  /** The folder of the started file, `dist/cli` of the action. */
  readonly programFolder: string;
  readonly stdin: Readable & { readonly fd?: number; readonly isTTY?: boolean };
  /** The answer. */
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** The talk. */
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /**
   * Calls back when a signal asks the program to end. Without a listener a signal ends it at once.
   */
  onInterrupt(interrupted: (signal: StopSignal) => void): void;
}

/**
 * The name a script was started under: a link called `axe` stands in for axe, and texts that name
 * it are axe's.
 */
export function programName(script: string | undefined): ProgramName {
  return basename(script ?? '') === 'axe' ? 'axe' : 'axe-action';
}

/** Writes a line to standard output. */
export function print(terminal: Terminal, line: string): void {
  terminal.stdout.write(`${line}\n`);
}

/** Reports trouble that is meant for people; on a terminal its first line stands out. */
export function writeError({ stderr, env, program }: Terminal, error: AxeError): void {
  const colors = colorsFor(stderr, env);
  const [message = '', ...rest] = formatError(
    program === 'axe' ? inWordsOfAxe(error) : error,
  ).split('\n');
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

/** Signals that ask the program to end, with the exit status by which shells report them. */
const STOP_STATUS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

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
 * Ends the program by the signal that a status stands for, once its output is written: a shell then
 * knows that its own loop is to end too. As the first process of a container it cannot be ended by
 * a signal; there the status is all.
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

type Ran = Extract<RunReport, { readonly kind: 'ran' }>;

/**
 * The error of an interrupted run with what it saved all the same: notes are saved when they are
 * written, of an event's run at its end; trouble with that is a warning of its own.
 */
export function withSaved(
  { signal }: InterruptedError,
  { memory, remembered }: Ran,
): InterruptedError {
  if (memory === undefined) return new InterruptedError(signal);
  const written =
    remembered?.result.kind === 'failed'
      ? []
      : [...new Set(memory.notes?.session.recent().map(({ path }) => path))];
  const kept =
    written.length === 0 ? '' : ` Notes already written are kept: ${written.join(', ')}.`;
  return new InterruptedError(signal, `No entry was added to memory.${kept}`);
}
