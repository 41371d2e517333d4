import { AxeError } from '../../lib/errors.js';
import type { LogLane } from './entry.js';

export type MemoryCommand =
  /** `id` empty: the newest `last` entries, 0 for all. */
  | { readonly kind: 'show'; readonly id: string; readonly lane: LogLane; readonly last: number }
  | {
      readonly kind: 'search';
      readonly words: readonly string[];
      readonly lane: LogLane;
      readonly last: number;
    }
  | { readonly kind: 'remember'; readonly text: string }
  | { readonly kind: 'forget'; readonly id: string; readonly purge: boolean }
  | { readonly kind: 'promote'; readonly id: string };

/** What the flags of a command line say; a comment has none. */
interface CommandFlags {
  readonly lane: LogLane;
  readonly last: number;
  readonly purge: boolean;
}

const NO_FLAGS: CommandFlags = { lane: 'trusted', last: 0, purge: false };

/** What each takes; `[…]` may be left out. */
const ARGUMENTS: Readonly<Record<MemoryCommand['kind'], string>> = {
  show: '[id]',
  search: '<words>',
  remember: '<text>',
  forget: '<id>',
  promote: '<id>',
};

/** The command that words stand for; `prefix` is what stands before its name. Throws an AxeError that says how it is written. */
export function parseMemoryCommand(
  [name = '', ...words]: readonly string[],
  { prefix, flags = NO_FLAGS }: { readonly prefix: string; readonly flags?: CommandFlags | undefined },
): MemoryCommand {
  const kind = Object.keys(ARGUMENTS).find((known): known is MemoryCommand['kind'] => known === name);
  if (kind === undefined) throw new AxeError(`unknown memory command "${name}"`);
  const argument = ARGUMENTS[kind];
  const agent = prefix.startsWith('/') ? '' : '<agent> ';
  const usage = { remedy: `Usage: \`${prefix} ${name} ${agent}${argument}\`.` };
  const text = words.join(' ').trim();
  if (argument.startsWith('<') && text === '') throw new AxeError(`\`${name}\` needs \`${argument}\``, usage);
  if (/\bid\b/.test(argument) && words.length > 1)
    throw new AxeError(`\`${name}\` takes one argument, not ${words.length}`, usage);
  const [id = ''] = words;
  const { lane, last, purge } = flags;
  switch (kind) {
    case 'show':
      return { kind, id, lane, last };
    case 'search':
      return { kind, words: text.split(/\s+/), lane, last };
    case 'remember':
      return { kind, text };
    case 'forget':
      return { kind, id, purge };
    case 'promote':
      return { kind, id };
  }
}
