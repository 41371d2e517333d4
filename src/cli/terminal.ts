import type { Readable, Writable } from 'node:stream';
import type { StopSignal } from './signals.js';

/** The terminal a command runs in: everything of the process that commands may touch. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly fd?: number };
  /** The answer. */
  readonly stdout: Writable & { readonly isTTY?: boolean };
  /** The talk. */
  readonly stderr: Writable;
  /** Calls back when a signal asks the program to end. Without a listener a signal ends it at once. */
  onInterrupt(interrupted: (signal: StopSignal) => void): void;
}

/** Writes a line to standard output. */
export function print(terminal: Terminal, line: string): void {
  terminal.stdout.write(`${line}\n`);
}
