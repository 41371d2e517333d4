import { chosen } from '../core/agent/choices.js';
import { AxeError, type ExitCode } from '../core/errors.js';
import { COMPLETION_HELP } from './command-help.js';
import { formatBash } from './completion-bash.js';
import { formatFish } from './completion-fish.js';
import { formatZsh } from './completion-zsh.js';
import { expectPositionals, type ParsedFlags } from './flags.js';
import type { CommandNode } from './help.js';
import { print, type Terminal } from './terminal.js';

/** Shells that a script can be printed for. */
const SHELLS = ['bash', 'zsh', 'fish'] as const;

/** `completion <shell>`: prints the script. Throws an AxeError for another shell. */
export function completionCommand(
  flags: ParsedFlags,
  nodes: readonly CommandNode[],
  terminal: Terminal,
): ExitCode {
  const [word = ''] = expectPositionals(flags, 1, COMPLETION_HELP.usage);
  const shell = chosen(SHELLS, word);
  if (shell === undefined) {
    throw new AxeError(`there is no completion for the shell ${JSON.stringify(word)}`, {
      remedy: `Name one of ${SHELLS.map((one) => `\`${one}\``).join(', ')}.`,
    });
  }
  print(terminal, formatCompletion(shell, nodes));
  return 0;
}

/** The completion script of a shell, made from the table of commands. */
export function formatCompletion(shell: (typeof SHELLS)[number], nodes: readonly CommandNode[]): string {
  switch (shell) {
    case 'bash':
      return formatBash(nodes);
    case 'zsh':
      return formatZsh(nodes);
    case 'fish':
      return formatFish(nodes);
  }
}
