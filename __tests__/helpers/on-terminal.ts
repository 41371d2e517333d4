import { stripVTControlCharacters } from 'node:util';
import { type RunningChild, startChild } from './child.js';
import { CLI } from './run-cli.js';
import { tempDir } from './temp.js';

/** A command line that a person watches. */
export interface OnTerminalOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts the built command line on a real terminal, which shows both of its streams on standard output. */
export function startOnTerminal(words: readonly string[], { cwd, env }: OnTerminalOptions): RunningChild {
  return startChild({
    command: 'script',
    args: scriptArguments([process.execPath, CLI, ...words]),
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: tempDir('home'),

      TERM: 'xterm-256color',
      ...env,
    },
    cwd,
    // A terminal whose input has ended would show that as ^D.
    stdin: { kind: 'pipe-open' },
  });
}

/** `script` gives a program a real terminal and keeps its exit status: util-linux's, or that of macOS. */
function scriptArguments(words: readonly string[]): readonly string[] {
  if (process.platform === 'darwin') return ['-q', '/dev/null', ...words];
  return ['-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null'];
}

/** What a terminal shows in the end: of a line that was drawn several times the last state. */
export function lastScreen(stdout: string): string {
  const drawn = stdout.split('\r\n').map((line) => line.split('\r\u001b[K').at(-1) ?? '');
  return stripVTControlCharacters(drawn.join('\n'));
}
