import type { Trigger } from '../../event/trigger.js';
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
  /** Whether a comment may hold it: what a writer can undo or redo by another one, and that shows nothing of memory. */
  readonly inComment: boolean;
  readonly make: (words: readonly string[], flags: CommandFlags) => MemoryCommand;
}

const FORMS: Readonly<Record<MemoryCommand['kind'], Form>> = {
  show: {
    argument: '[id]',
    inComment: false,
    make: ([id = ''], { lane, last }) => ({ kind: 'show', id, lane, last }),
  },
  search: {
    argument: '<words>',
    inComment: false,
    make: (words, { lane, last }) => ({
      kind: 'search',
      words: words.flatMap((word) => word.split(/\s+/)).filter((word) => word !== ''),
      lane,
      last,
    }),
  },
  remember: {
    argument: '<text>',
    inComment: true,
    make: (words) => ({ kind: 'remember', text: words.join(' ').trim() }),
  },
  forget: {
    argument: '<id>',
    inComment: true,
    make: ([id = ''], { purge }) => ({ kind: 'forget', id, purge }),
  },
  promote: { argument: '<id>', inComment: true, make: ([id = '']) => ({ kind: 'promote', id }) },
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

export function isCommentCommand(name: string): boolean {
  return Object.entries(FORMS).some(([kind, { inComment }]) => kind === name && inComment);
}

/**
 * The words of a command over memory that a comment gives, `/axe forget 01m8k2…`, at its very beginning; undefined for
 * any other comment or event. `remember` takes all the rest, line breaks included; of the others the first line counts.
 * What a comment cannot do is a command anyway: nobody is to pay for a mistake.
 */
export function commandInComment(trigger: Trigger): readonly string[] | undefined {
  if (trigger.kind !== 'comment') return undefined;
  const body = trigger.body.replaceAll('\r\n', '\n').replace(/^(?:[ \t]*\n)+/, '');
  const [, name = '', rest = ''] = ASKED.exec(body) ?? [];
  const command = name.toLowerCase();
  if (command === 'remember') return rest.trim() === '' ? [command] : [command, unquote(rest.trim())];
  const words = (rest.split('\n', 1)[0] ?? '').split(/\s+/).map(bare);
  return command === '' ? undefined : [command, ...words.filter((word) => word !== '')];
}

/** Whether several lines of a comment begin a command that may be in one: it is not clear what is meant. */
export function hasSeveralCommands(trigger: Trigger): boolean {
  return trigger.kind === 'comment' && [...trigger.body.matchAll(EACH)].length > 1;
}

/** Four spaces would make it code. */
const ASKED = new RegExp(`^ {0,3}/axe[ \\t]+(${Object.keys(FORMS).join('|')})(?=\\s|$)([\\s\\S]*)$`, 'i');
const EACH = /^ {0,3}\/axe[ \t]+(?:forget|promote|remember)(?=\s|$)/gim;

/** An id may have been copied with the marks that make it code. */
function bare(word: string): string {
  return word.replace(/^[`"']+|[`"']+$/g, '');
}

/** The text without quotes that stand around all of it. */
function unquote(text: string): string {
  return /^"[^"]*"$|^'[^']*'$/.test(text) ? text.slice(1, -1) : text;
}
