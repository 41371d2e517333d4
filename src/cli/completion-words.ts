import type { Flag } from './flags.js';
import { type CommandHelp, type CommandNode, commandName } from './help.js';

/** A command that can be typed whole, as completion knows it. */
export interface Typed {
  /** `run`, or `memory show`. */
  readonly path: string;
  readonly short: string;
  readonly flags: readonly Flag[];
  /** What its words are, besides flags. */
  readonly words: Words;
}

/** What a shell can offer for a word. */
export type Words =
  | { readonly kind: 'none' }
  | { readonly kind: 'agents' }
  | { readonly kind: 'choices'; readonly values: readonly string[] }
  | { readonly kind: 'files' }
  | { readonly kind: 'folders' };

const HELP: Flag = { name: 'help', short: 'h', kind: 'bool', about: 'Show the help of the command' };

/** Flags whose value is a folder. */
const FOLDERS: readonly string[] = ['agents-dir', 'dir', 'workdir'];

/** Every command that is not a group. */
export function typedCommands(nodes: readonly CommandNode[]): readonly Typed[] {
  const names = nodes.map(({ help }) => commandName(help));
  return nodes.flatMap(({ help, commands }) => {
    const name = commandName(help);
    if (commands.length === 0) return [typed(name, help, names)];
    return commands.map((command) => typed(`${name} ${commandName(command, name)}`, command, names));
  });
}

function typed(path: string, help: CommandHelp, names: readonly string[]): Typed {
  return { path, short: help.short, flags: [...help.flags, HELP], words: wordsOf(help.usage, names) };
}

function wordsOf(usage: string, names: readonly string[]): Words {
  if (/[<[]agent\b/.test(usage)) return { kind: 'agents' };
  if (usage.includes('[command]')) return { kind: 'choices', values: names };
  if (usage.includes('<shell>')) return { kind: 'choices', values: ['bash', 'zsh', 'fish'] };
  return usage.includes('<base>') ? { kind: 'files' } : { kind: 'none' };
}

/** What the value of a flag is; `none` for a switch and for free text. */
export function wordsOfValue({ name, kind, choices, file }: Flag): Words {
  if (kind === 'bool') return { kind: 'none' };
  if (choices !== undefined) return { kind: 'choices', values: choices };
  if (file === true) return { kind: 'files' };
  return FOLDERS.includes(name) ? { kind: 'folders' } : { kind: 'none' };
}

/** A text in single quotes of the shells; `'` ends them for one character. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
