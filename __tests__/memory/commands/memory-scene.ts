import { applyChanges, type MemoryTree } from '../../../src/memory/change.js';
import {
  type CommandSession,
  type MemoryCommand,
  type MemoryCommandResult,
  parseMemoryCommand,
} from '../../../src/memory/commands/command-session.js';
import { runMemoryCommand } from '../../../src/memory/commands/memory-command.js';
import type { MemoryStore, SaveResult, StoreKind, TreeResult } from '../../../src/memory/store.js';

/** A memory that is kept in a variable. */
export interface FakeMemory extends MemoryStore {
  tree: MemoryTree;
  writes: number;
  /** What is done just before the next write, as another run would. */
  before: (() => void) | undefined;
}

/** What a store may be made to answer. */
export interface MemoryFaults {
  readonly kind?: StoreKind;
  readonly unreadable?: TreeResult;
  readonly save?: SaveResult;
  readonly drop?: SaveResult;
}

/** A store over a tree; with `drop` it has a history. */
export function createFakeMemory(
  files: Readonly<Record<string, string>>,
  faults: MemoryFaults = {},
): FakeMemory {
  const { kind = 'branch', drop } = faults;
  const memory: FakeMemory = {
    kind,
    tree: new Map(Object.entries(files)),
    writes: 0,
    before: undefined,
    read: async () => ({ kind: 'failed', location: 'fake', message: 'runs read, people read trees' }),
    readTree: async () =>
      faults.unreadable ?? {
        kind: 'tree',
        tree: memory.tree,
        warnings: [],
        location: 'octocat/hello@axe-memory',
      },
    async write(changes) {
      memory.writes += 1;
      memory.before?.();
      if (faults.save !== undefined) return faults.save;
      memory.tree = applyChanges(memory.tree, changes);
      return { kind: 'saved', location: 'fake', attempts: 1 };
    },
    ...(drop === undefined ? {} : { dropHistory: async () => drop }),
  };
  return memory;
}

/** Runs one command line on a memory, on 3 February 2026. */
export async function command(
  store: MemoryStore,
  words: string | readonly string[],
  more: Partial<CommandSession> = {},
): Promise<MemoryCommandResult> {
  let ids = 0;
  return await runMemoryCommand(parse(typeof words === 'string' ? words.split(' ') : words), {
    store,
    path: 'bot.md',
    clock: {
      now: () => new Date('2026-02-03T12:00:00Z'),
      sleep: async () => {},
      timer: () => ({ signal: new AbortController().signal, clear: () => {} }),
      random: () => 0.5,
      newId: () => {
        ids += 1;
        return `fresh-${ids}`;
      },
    },
    signal: new AbortController().signal,
    secrets: [],
    origin: undefined,
    ...more,
  });
}

function parse(given: readonly string[]): MemoryCommand {
  const words = [...given];
  const value = (flag: string) => {
    const at = words.indexOf(flag);
    return at < 0 ? undefined : words.splice(at, 2)[1];
  };
  const lane = value('--lane') === 'untrusted' ? 'untrusted' : 'trusted';
  const last = Number(value('--last') ?? 0);
  const purge = words.at(-1) === '--purge';
  return parseMemoryCommand(purge ? words.slice(0, -1) : words, {
    prefix: 'axe-action memory',
    flags: { lane, last, purge },
  });
}
