import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { ProgramName } from '../core/dependencies.js';
import type { Environment } from '../core/environment.js';
import type { StopSignal } from './signals.js';

/** The terminal a command runs in: everything of the process that commands may touch. */
export interface Terminal {
  readonly env: Environment;
  readonly cwd: string;
  readonly program: ProgramName;
  readonly stdin: Readable & { readonly fd?: number };
  /** The answer. */
  readonly stdout: Writable & { readonly isTTY?: boolean };
  /** The talk. */
  readonly stderr: Writable;
  /** Calls back when a signal asks the program to end. Without a listener a signal ends it at once. */
  onInterrupt(interrupted: (signal: StopSignal) => void): void;
}

/** The name a script was started under: a link called `axe` stands in for axe, and texts that name it are axe's. */
export function programName(script: string | undefined): ProgramName {
  return basename(script ?? '') === 'axe' ? 'axe' : 'axe-action';
}

/** Writes a line to standard output. */
export function print(terminal: Terminal, line: string): void {
  terminal.stdout.write(`${line}\n`);
}
