import type { Readable, Writable } from 'node:stream';

/** The terminal a command runs in: everything of the process that commands may touch. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly stdin: Readable & { readonly fd?: number };
  /** The answer. */
  readonly stdout: Writable & { readonly isTTY?: boolean };
  /** The talk. */
  readonly stderr: Writable;
}

/** Writes a line to standard output. */
export function print(terminal: Terminal, line: string): void {
  terminal.stdout.write(`${line}\n`);
}
