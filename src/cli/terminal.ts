import { basename } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import picocolors from 'picocolors';
import type { ProgramName } from '../core/dependencies.js';
import type { Environment } from '../core/environment.js';
import { type AxeError, formatError } from '../core/errors.js';
import type { StopSignal } from './signals.js';

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

/** Reports trouble that is meant for people; on a terminal its first line stands out. */
export function writeError({ stderr, env }: Terminal, error: AxeError): void {
  const colors = colorsFor(stderr, env);
  const [message = '', ...rest] = formatError(error).split('\n');
  stderr.write(`${[colors.red(message), ...rest].join('\n')}\n`);
}

/** Functions that colour a text, or return it as it is. */
export type Colors = ReturnType<typeof picocolors.createColors>;

/** Colours for a stream: a terminal has them unless `NO_COLOR` is set; `FORCE_COLOR` colours pipes too. */
export function colorsFor(stream: { readonly isTTY?: boolean }, env: Environment): Colors {
  return picocolors.createColors(hasColors(stream, env));
}

function hasColors({ isTTY = false }: { readonly isTTY?: boolean }, env: Environment): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTTY && env['TERM'] !== 'dumb';
}
