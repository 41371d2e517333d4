import { AxeError, type ExitCode } from '../core/errors.js';
import { VERSION } from '../core/version.js';
import { AGENTS_COMMANDS, AGENTS_HELP, agentsCommand } from './agents.js';
import { DEMO_HELP, DOCTOR_HELP, GC_HELP, HELP_HELP, INIT_HELP, VERSION_HELP } from './command-help.js';
import { CONFIG_COMMANDS, CONFIG_HELP, configCommand } from './config.js';
import { type ParsedFlags, parseFlags, unknownFlag } from './flags.js';
import {
  type CommandHelp,
  type CommandNode,
  commandName,
  findHelp,
  formatCommandHelp,
  formatGroupHelp,
  unknownCommand,
} from './help.js';
import { memoryCommand } from './memory.js';
import { MEMORY_COMMANDS, MEMORY_HELP } from './memory-help.js';
import { RUN_HELP, runCommand } from './run.js';
import { print, type Terminal, writeError } from './terminal.js';

/** A command of the program: its words in, its exit status out. */
type Command = (words: readonly string[], terminal: Terminal) => Promise<ExitCode>;

/** A command with all that is said of it. */
interface Entry extends CommandNode {
  readonly run: Command;
}

/** The one table of commands: what is run, and what help lists. */
const ENTRIES: readonly Entry[] = [
  entry(INIT_HELP, async (words, terminal) => {
    const flags = parsed(INIT_HELP, words, terminal);
    return flags === undefined ? 0 : await (await import('./init.js')).initCommand(flags, terminal);
  }),
  entry(RUN_HELP, runCommand),
  entry(DEMO_HELP, async (words, terminal) => {
    const flags = parsed(DEMO_HELP, words, terminal);
    return flags === undefined ? 0 : await (await import('./demo.js')).demoCommand(flags, terminal);
  }),
  entry(DOCTOR_HELP, async (words, terminal) => {
    const flags = parsed(DOCTOR_HELP, words, terminal);
    return flags === undefined ? 0 : await (await import('./doctor.js')).doctorCommand(flags, terminal);
  }),
  entry(GC_HELP, async (words, terminal) => {
    const flags = parsed(GC_HELP, words, terminal);
    return flags === undefined ? 0 : await (await import('./gc-command.js')).gcCommand(flags, terminal);
  }),
  entry(MEMORY_HELP, memoryCommand, MEMORY_COMMANDS),
  entry(AGENTS_HELP, agentsCommand, AGENTS_COMMANDS),
  entry(CONFIG_HELP, configCommand, CONFIG_COMMANDS),
  entry(VERSION_HELP, async (words, terminal) => {
    if (parsed(VERSION_HELP, words, terminal) !== undefined) print(terminal, `axe-action version ${VERSION}`);
    return 0;
  }),
  entry(HELP_HELP, async (words, terminal) => {
    const flags = parsed(HELP_HELP, words, terminal);
    if (flags !== undefined)
      print(terminal, flags.positionals.length === 0 ? overview() : findHelp(flags.positionals, ENTRIES));
    return 0;
  }),
];

function entry(help: CommandHelp, run: Command, commands: readonly CommandHelp[] = []): Entry {
  return { help, run, commands };
}

/** The flags of a command; undefined where its help was asked for, which is then shown. Throws an AxeError. */
function parsed(help: CommandHelp, words: readonly string[], terminal: Terminal): ParsedFlags | undefined {
  const flags = parseFlags(words, help);
  if (!flags.help) return flags;
  print(terminal, formatCommandHelp(help));
  return undefined;
}

const ABOUT = [
  'axe-action runs an axe agent, here as in a GitHub workflow, and remembers what it did: one markdown file per agent',
  'that you can read, edit and delete.',
].join('\n');

function overview(): string {
  return formatGroupHelp(
    ABOUT,
    '',
    ENTRIES.map(({ help }) => help),
  );
}

/** Runs one command line. Never throws: trouble is told on stderr and in the exit status. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const [name = '', ...words] = argv;
  try {
    if (name === '' || name === '--help' || name === '-h') {
      print(terminal, overview());
      return 0;
    }
    return await runNamed(name === '--version' ? 'version' : name, words, terminal);
  } catch (thrown) {
    return reportError(thrown, terminal);
  }
}

async function runNamed(name: string, words: readonly string[], terminal: Terminal): Promise<ExitCode> {
  const found = ENTRIES.find(({ help }) => commandName(help) === name);
  if (found !== undefined) return await found.run(words, terminal);
  if (name.startsWith('--')) throw unknownFlag(name.slice(2), TOP_FLAGS, TOP_REMEDY);
  if (name.startsWith('-')) throw new AxeError(`unknown flag: ${name}`, { remedy: TOP_REMEDY });
  throw unknownCommand(
    name,
    '',
    ENTRIES.map(({ help }) => help),
  );
}

const TOP_FLAGS = [{ name: 'help' }, { name: 'version' }];
const TOP_REMEDY =
  'Flags follow their command. `axe-action --help` lists the commands, `--version` prints the version.';

/** Trouble that is meant for people is told as it is; anything else is a bug, with its stack. */
function reportError(thrown: unknown, terminal: Terminal): ExitCode {
  if (thrown instanceof AxeError) {
    writeError(terminal, thrown);
    return thrown.exitCode;
  }
  const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
  terminal.stderr.write(`This is a bug in axe-action; please report it with these lines:\n${stack}\n`);
  return 1;
}
