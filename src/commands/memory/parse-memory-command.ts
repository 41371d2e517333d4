import { AxeError } from '../../core/errors.js';
import type { LogLane } from '../../core/memory/commands/entry.js';
import { PUSH_USAGE } from './push-memory.js';

/** What a person wants done with a memory. */
export type MemoryCommand =
  /** `id` empty: the newest `last` entries, 0 for all. */
  | { readonly kind: 'show'; readonly id: string; readonly lane: LogLane; readonly last: number }
  | {
      readonly kind: 'search';
      readonly words: readonly string[];
      readonly lane: LogLane;
      readonly last: number;
    }
  /** `path` empty: all notes. */
  | { readonly kind: 'notes'; readonly path: string }
  | { readonly kind: 'verify' }
  | { readonly kind: 'stats' }
  | { readonly kind: 'forget'; readonly id: string; readonly purge: boolean }
  /** `text` is the new result; undefined: a person edits task and result. */
  | {
      readonly kind: 'edit';
      readonly id: string;
      readonly text: string | undefined;
      readonly lane: LogLane | undefined;
    }
  /** `text` undefined: a person writes it. */
  | { readonly kind: 'remember'; readonly text: string | undefined }
  | { readonly kind: 'promote'; readonly id: string }
  /** `out` is a file, or with `all` a folder; `-` is standard output. */
  | { readonly kind: 'export'; readonly out: string; readonly all: boolean; readonly lane: LogLane }
  /** `from` is a file; `-` is standard input. */
  | { readonly kind: 'import'; readonly from: string; readonly lane: LogLane };

/**
 * The command that words stand for. `--flag value` and `--flag=value` may be anywhere, `--` ends them; of `remember`
 * and `search` the first other word does too, since what follows is text. Throws an AxeError that says how it is written:
 * as `usage` does, where the command has more words than these.
 */
export function parseMemoryCommand(words: readonly string[], usage?: string): MemoryCommand {
  const [name = '', ...rest] = words;
  const form = Object.hasOwn(FORMS, name) ? FORMS[name] : undefined;
  if (form === undefined) {
    const usages = [...Object.values(FORMS).map(({ usage }) => usage), PUSH_USAGE].map(
      (usage) => `\`${usage}\``,
    );
    throw new AxeError(
      name === '' ? 'what to do with the memory is missing' : `unknown memory command "${name}"`,
      { remedy: `Write one of: ${usages.join(', ')}.` },
    );
  }
  const [argument = ''] = /<\w+>/.exec(form.usage) ?? [];
  return form.make({ ...takeApart(rest, form), name, argument, usage: usage ?? form.usage });
}

/** Whether a comment on GitHub may ask for it: only what a writer can undo or redo by another comment (item 7). */
export function isCommentCommand(command: MemoryCommand): boolean {
  switch (command.kind) {
    case 'forget':
      return !command.purge;
    case 'remember':
      return command.text !== undefined;
    case 'show':
    case 'search':
    case 'notes':
    case 'verify':
    case 'stats':
    case 'edit':
    case 'promote':
    case 'export':
    case 'import':
      return false;
  }
}

/** How a command is written, without agent and place. */
interface Form {
  readonly usage: string;
  /** What follows is text, in which words that begin with `--` are words. */
  readonly isText?: true;
  readonly make: (parts: Parts) => MemoryCommand;
}

const FORMS: Readonly<Record<string, Form>> = {
  show: {
    usage: 'show [id] [--lane untrusted] [--last N]',
    make: (parts) => ({ kind: 'show', id: atMostOne(parts), lane: laneOf(parts), last: lastOf(parts) }),
  },
  search: {
    usage: 'search [--lane untrusted] [--last N] <words>',
    isText: true,
    make: (parts) => ({ kind: 'search', words: searched(parts), lane: laneOf(parts), last: lastOf(parts) }),
  },
  notes: { usage: 'notes [path]', make: (parts) => ({ kind: 'notes', path: atMostOne(parts) }) },
  verify: { usage: 'verify', make: (parts) => without(parts, { kind: 'verify' }) },
  stats: { usage: 'stats', make: (parts) => without(parts, { kind: 'stats' }) },
  forget: {
    usage: 'forget <id> [--purge]',
    make: (parts) => ({ kind: 'forget', id: exactlyOne(parts), purge: isOn(parts, 'purge') }),
  },
  edit: {
    usage: 'edit <id> [--text <result>] [--lane untrusted]',
    make: (parts) => ({
      kind: 'edit',
      id: exactlyOne(parts),
      text: parts.flags.get('text'),
      lane: parts.flags.has('lane') ? laneOf(parts) : undefined,
    }),
  },
  remember: {
    usage: 'remember <text>',
    isText: true,
    make: ({ positionals }) => ({ kind: 'remember', text: positionals.join(' ').trim() || undefined }),
  },
  promote: { usage: 'promote <id>', make: (parts) => ({ kind: 'promote', id: exactlyOne(parts) }) },
  export: {
    usage: 'export [--out <file>] [--lane untrusted] [--all]',
    make: (parts) =>
      without(parts, {
        kind: 'export',
        out: parts.flags.get('out') ?? '-',
        all: isOn(parts, 'all'),
        lane: laneOf(parts),
      }),
  },
  import: {
    usage: 'import <file> [--lane untrusted]',
    make: (parts) => ({ kind: 'import', from: exactlyOne(parts), lane: laneOf(parts) }),
  },
};

interface Parts {
  readonly name: string;
  /** The one that is needed, as `<id>`; empty where none is. */
  readonly argument: string;
  readonly usage: string;
  readonly flags: ReadonlyMap<string, string>;
  readonly positionals: readonly string[];
}

const SWITCHES = new Set(['purge', 'all']);

function takeApart(words: readonly string[], { usage, isText }: Form): Pick<Parts, 'flags' | 'positionals'> {
  const rest = [...words];
  const flags = new Map<string, string>();
  const positionals: string[] = [];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') positionals.push(...rest.splice(0));
    else if (!word.startsWith('--')) positionals.push(word, ...(isText === true ? rest.splice(0) : []));
    else {
      const [, name = '', given] = /^--([^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
      const isKnown = usage.includes(`[--${name} `) || usage.includes(`[--${name}]`);
      if (name === '' || !isKnown) throw wrong(`unknown flag: --${name}`, usage);
      const value = given ?? (SWITCHES.has(name) ? 'true' : rest.shift());
      if (value === undefined) throw wrong(`flag needs an argument: --${name}`, usage);
      flags.set(name, value);
    }
  }
  return { flags, positionals };
}

function laneOf({ flags, usage }: Parts): LogLane {
  const lane = flags.get('lane') ?? 'trusted';
  if (lane === 'trusted' || lane === 'untrusted') return lane;
  throw wrong(`\`--lane\` is "${lane}"; it is \`trusted\` or \`untrusted\``, usage);
}

function lastOf({ flags, usage }: Parts): number {
  const last = flags.get('last') ?? '0';
  if (/^\d{1,9}$/.test(last)) return Number(last);
  throw wrong(`\`--last\` is "${last}"; it is a number of entries`, usage);
}

function isOn({ flags, usage }: Parts, name: string): boolean {
  const value = flags.get(name) ?? 'false';
  if (value === 'true' || value === 'false') return value === 'true';
  throw wrong(`\`--${name}\` is "${value}"; it is \`true\` or \`false\``, usage);
}

function searched({ positionals, usage }: Parts): readonly string[] {
  const words = positionals.flatMap((word) => word.split(/\s+/)).filter((word) => word !== '');
  if (words.length === 0) throw wrong('`search` needs at least one word', usage);
  return words;
}

function exactlyOne(parts: Parts): string {
  const one = atMostOne(parts);
  if (one === '') throw wrong(`\`${parts.name}\` needs ${parts.argument}`, parts.usage);
  return one;
}

function atMostOne(parts: Parts): string {
  const { name, positionals, usage } = parts;
  if (positionals.length > 1) throw wrong(`\`${name}\` takes one argument, not ${positionals.length}`, usage);
  return positionals[0] ?? '';
}

/** The command, if no argument is given besides its flags. */
function without(parts: Parts, command: MemoryCommand): MemoryCommand {
  if (parts.positionals.length === 0) return command;
  throw wrong(`\`${parts.name}\` takes no argument`, parts.usage);
}

function wrong(message: string, usage: string): AxeError {
  return new AxeError(message, { remedy: `Usage: \`${usage}\`.` });
}
