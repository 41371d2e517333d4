import { AxeError, type ExitCode } from '../core/errors.js';
import { VERSION } from '../core/version.js';
import { AGENTS_HELP, agentsCommand } from './agents.js';
import { CONFIG_HELP, configCommand } from './config.js';
import { DEMO_HELP, demoCommand } from './demo.js';
import { GC_HELP, gcCommand } from './gc.js';
import { type CommandHelp, formatGroupHelp } from './help.js';
import { memoryCommand } from './memory.js';
import { MEMORY_HELP } from './memory-help.js';
import { RUN_HELP, runCommand } from './run.js';
import { print, type Terminal, writeError } from './terminal.js';

/** A command of the program: its words in, its exit status out. */
type Command = (words: readonly string[], terminal: Terminal) => Promise<ExitCode>;

const COMMANDS: Readonly<Record<string, Command>> = {
  run: runCommand,
  demo: demoCommand,
  gc: gcCommand,
  memory: memoryCommand,
  agents: agentsCommand,
  config: configCommand,
  version: async (_words, terminal) => {
    print(terminal, `axe-action version ${VERSION}`);
    return 0;
  },
};

const HELP: readonly CommandHelp[] = [
  RUN_HELP,
  DEMO_HELP,
  GC_HELP,
  MEMORY_HELP,
  AGENTS_HELP,
  CONFIG_HELP,
  { usage: 'version', short: 'Print the version', long: 'Print the version.', flags: [] },
  { usage: 'help', short: 'Show this text', long: 'Show this text.', flags: [] },
];

const ABOUT = [
  'axe-action runs an axe agent, here as in a GitHub workflow, and remembers what it did: one markdown file per agent',
  'that you can read, edit and delete.',
].join('\n');

/** Runs one command line. Never throws: trouble is told on stderr and in the exit status. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name = '', ...words] = argv;
  try {
    if (name === '' || name === 'help' || name === '--help' || name === '-h') {
      print(terminal, formatGroupHelp(ABOUT, '', HELP));
      return 0;
    }
    if (name === '--version') return await runNamed('version', [], terminal);
    return await runNamed(name, words, terminal);
  } catch (thrown) {
    return tell(thrown, terminal);
  }
}

async function runNamed(name: string, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const what = name.startsWith('-')
      ? `unknown flag: ${name}`
      : `unknown command "${name}" for "axe-action"`;
    throw new AxeError(what);
  }
  return await command(words, terminal);
}

/** Trouble that is meant for people is told as it is; anything else is a bug, with its stack. */
function tell(thrown: unknown, terminal: Terminal): ExitCode {
  if (thrown instanceof AxeError) {
    writeError(terminal, thrown);
    return thrown.exitCode;
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  terminal.stderr.write(`This is a bug in axe-action; please report it with these lines:\n${stack}\n`);
  return 1;
}
