import { AxeError, type ExitCode } from '../lib/errors.js';
import { type Command, findCommand, formatHelp, type Group, parseFlags } from './command-line.js';
import { COMMANDS } from './commands.js';
import { print, type Terminal, writeError } from './terminal.js';

/** Runs one command line. Never throws: stderr and the exit status report trouble. */
export async function main(argv: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    return await runCommandLine(argv, terminal);
  } catch (thrown) {
    if (thrown instanceof AxeError) {
      writeError(terminal, thrown);
      return thrown.exitCode;
    }
    const stack = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    terminal.stderr.write(
      `This is a bug in axe-action; please report it with these lines:\n${stack}\n`,
    );
    return 1;
  }
}

/** Throws an AxeError for trouble that people can fix; any other error is a bug. @internal */
export async function runCommandLine(
  argv: readonly string[],
  terminal: Terminal,
): Promise<ExitCode> {
  let node: Command | Group = COMMANDS;
  const words = argv[0] === '--version' ? ['version', ...argv.slice(1)] : [...argv];
  while ('commands' in node) {
    const word = words.shift() ?? '';
    const isHelp = ['', '--help', '-h'].includes(word) || (word === 'help' && node !== COMMANDS);
    if (isHelp) {
      print(terminal, formatHelp(node, terminal.program));
      return 0;
    }
    if (word.startsWith('-')) {
      const remedy = `Flags follow their command. \`${`axe-action ${node.usage}`.trim()} --help\` lists the commands.`;
      throw new AxeError(`unknown flag: ${word}`, { remedy });
    }
    node = findCommand(node, word);
  }

  const flags = parseFlags(words, node.flags, node.usage);
  if (!flags.help) return await node.run(flags, terminal);
  print(terminal, formatHelp(node, terminal.program));
  return 0;
}
