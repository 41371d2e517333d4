import { AxeError, type ExitCode } from '../lib/errors.js';
import { VERSION } from '../lib/version.js';
import { AGENTS_COMMANDS, AGENTS_HELP, agentsCommand } from './agents.js';
import { DEMO_HELP, DOCTOR_HELP, GC_HELP, HELP_HELP, INIT_HELP, VERSION_HELP } from './command-help.js';
import { CONFIG_COMMANDS, CONFIG_HELP, configCommand } from './config.js';
import { type ParsedFlags, unknownFlag } from './flags.js';
import {
  type CommandHelp,
  type CommandNode,
  commandName,
  findHelp,
  formatGroupHelp,
  readFlags,
  unknownCommand,
} from './help.js';
import { memoryCommand } from './memory.js';
import { MEMORY_COMMANDS, MEMORY_HELP } from './memory-help.js';
import { RUN_HELP, runCommand } from './run.js';
import { print, type Terminal, writeError } from './terminal.js';

/** A command with all that is said of it: its words in, its exit status out. */
interface Entry extends CommandNode {
  run(words: readonly string[], terminal: Terminal): Promise<ExitCode>;
}

const ENTRIES: readonly Entry[] = [
  command(INIT_HELP, async (...given) => await (await import('./init.js')).initCommand(...given)),
  command(RUN_HELP, runCommand),
  command(DEMO_HELP, async (...given) => await (await import('./demo.js')).demoCommand(...given)),
  command(DOCTOR_HELP, async (...given) => await (await import('./doctor.js')).doctorCommand(...given)),
  command(GC_HELP, async (...given) => await (await import('./gc-command.js')).gcCommand(...given)),
  { help: MEMORY_HELP, commands: MEMORY_COMMANDS, run: memoryCommand },
  { help: AGENTS_HELP, commands: AGENTS_COMMANDS, run: agentsCommand },
  { help: CONFIG_HELP, commands: CONFIG_COMMANDS, run: configCommand },
  command(VERSION_HELP, async (_flags, terminal) => {
    print(terminal, `axe-action version ${VERSION}`);
    return 0;
  }),
  command(HELP_HELP, async ({ positionals }, terminal) => {
    print(terminal, positionals.length === 0 ? overview() : findHelp(positionals, ENTRIES));
    return 0;
  }),
];

function command(
  help: CommandHelp,
  run: (flags: ParsedFlags, terminal: Terminal) => Promise<ExitCode>,
): Entry {
  return {
    help,
    commands: [],
    async run(words, terminal) {
      const flags = readFlags(words, help, terminal);
      return flags === undefined ? 0 : await run(flags, terminal);
    },
  };
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
