import { accessSync, constants } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
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
