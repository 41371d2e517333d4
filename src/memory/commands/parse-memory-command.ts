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

interface Form {
  readonly argument: string;
  readonly make: (words: readonly string[], flags: CommandFlags) => MemoryCommand;
}

const FORMS: Readonly<Record<MemoryCommand['kind'], Form>> = {
  show: {
    argument: '[id]',
    make: ([id = ''], { lane, last }) => ({ kind: 'show', id, lane, last }),
  },
  search: {
    argument: '<words>',
    make: (words, { lane, last }) => ({
      kind: 'search',
      words: words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== ''),
      lane,
      last,
    }),
  },
  remember: {
    argument: '<text>',
    make: (words) => ({ kind: 'remember', text: words.join(' ').trim() }),
  },
  forget: {
    argument: '<id>',
    make: ([id = ''], { purge }) => ({ kind: 'forget', id, purge }),
  },
  promote: { argument: '<id>', make: ([id = '']) => ({ kind: 'promote', id }) },
};

/** The command that words stand for; `prefix` is what stands before its name. Throws an AxeError that says how it is written. */
export function parseMemoryCommand(
  [name = '', ...words]: readonly string[],
  { prefix, flags = NO_FLAGS }: { readonly prefix: string; readonly flags?: CommandFlags | undefined },
): MemoryCommand {
  const form = Object.entries(FORMS).find(([kind]) => kind === name)?.[1];
  if (form === undefined) throw new AxeError(`unknown memory command "${name}"`);
  const { argument, make } = form;
  const isText = argument === '<words>' || argument === '<text>';
  const agent = prefix.startsWith('/') ? '' : '<agent> ';
  const usage = { remedy: `Usage: \`${prefix} ${name} ${agent}${argument}\`.` };
  if (argument.startsWith('<') && words.join('').trim() === '')
    throw new AxeError(`\`${name}\` needs \`${argument}\``, usage);
  if (!isText && words.length > 1)
    throw new AxeError(`\`${name}\` takes one argument, not ${words.length}`, usage);
  return make(words, flags);
}
