import { accessSync, constants } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { type ChildResult, type RunningChild, type Stdin, startChild } from './child.js';
import { COMPILED_CODE } from './compiled-code.js';
import { tempDir } from './temp.js';

/** How to run the command line. */
export interface CliOptions {
  /** Default: the null device. */
  readonly stdin?: Stdin;
  /** Besides PATH, a HOME and a cache folder of its own, the environment is empty. */
  readonly env?: Readonly<Record<string, string>>;
  /** Default: a new empty folder. */
  readonly cwd?: string;
  /** A Node binary; default: the one that runs the tests. */
  readonly node?: string;
  /** The program; default: the built `dist/cli/index.js`. */
  readonly program?: string;
}

/** The built command line. */
export const CLI = fileURLToPath(new URL('../../dist/cli/index.js', import.meta.url));

/** Starts the command line in a process of its own. */
export function startCli(args: readonly string[], options: CliOptions = {}): RunningChild {
  return startChild({
    command: options.node ?? process.execPath,
    args: [options.program ?? CLI, ...args],
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: options.env?.['HOME'] ?? tempDir('home'),
      // A test of that says itself where compiled code is kept.
      ...(options.env?.['XDG_CACHE_HOME'] === undefined ? COMPILED_CODE : {}),
      ...options.env,
    },
    cwd: options.cwd ?? tempDir('cwd'),
    stdin: options.stdin ?? { kind: 'null' },
  });
}

/** Runs the command line to its end. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<ChildResult> {
  return startCli(args, options).finished;
}

/** The Node the machine itself has, past the one in `node_modules`; undefined if there is none. */
export function machineNode(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return folders
    .filter((folder) => folder !== '' && !folder.split(sep).includes('node_modules'))
    .map((folder) => join(folder, process.platform === 'win32' ? 'node.exe' : 'node'))
    .find(isExecutable);
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Starts the built command line on a real terminal, which shows both of its streams on standard
 * output.
 */
export function startOnTerminal(
  words: readonly string[],
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string>> },
): RunningChild {
  return startChild({
    command: 'script',
    args: scriptArguments([process.execPath, CLI, ...words]),
    env: { PATH: process.env['PATH'] ?? '', HOME: tempDir('home'), TERM: 'xterm-256color', ...env },
    cwd,
    // A terminal whose input has ended would show that as ^D.
    stdin: { kind: 'pipe-open' },
  });
}

/**
 * `script` gives a program a real terminal and keeps its exit status: util-linux's, or that of
 * macOS.
 */
function scriptArguments(words: readonly string[]): readonly string[] {
  if (process.platform === 'darwin') return ['-q', '/dev/null', ...words];
  return ['-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null'];
}

/** What a terminal shows in the end: of a line that was drawn several times the last state. */
export function lastScreen(stdout: string): string {
  const drawn = stdout.split('\r\n').map((line) => line.split('\r\u001b[K').at(-1) ?? '');
  return stripVTControlCharacters(drawn.join('\n'));
}
