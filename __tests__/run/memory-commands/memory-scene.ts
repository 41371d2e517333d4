import { applyChanges, type MemoryTree } from '../../../src/memory/change.js';
import type { MemoryStore, SaveResult, StoreKind, TreeResult } from '../../../src/memory/store.js';
import {
  type CommandSession,
  type MemoryCommandResult,
  parseMemoryCommand,
} from '../../../src/run/memory-commands/command-session.js';
import { runMemoryCommand } from '../../../src/run/memory-commands/memory-command.js';
import { createFakeClock } from '../../memory/stores/fake-clock.js';

/** A memory that is kept in a variable. */
export interface FakeMemory extends MemoryStore {
  tree: MemoryTree;
  writes: number;
}

/** What a store may be made to answer; with `drop` it has a history. */
interface MemoryFaults {
  readonly kind?: StoreKind;
  readonly unreadable?: TreeResult;
  readonly save?: SaveResult;
  readonly drop?: SaveResult;
}

/** A store over a tree. */
export function createFakeMemory(
  files: Readonly<Record<string, string>>,
  { kind = 'branch', unreadable, save, drop }: MemoryFaults = {},
): FakeMemory {
  const location = 'octocat/hello@axe-memory';
  const memory: FakeMemory = {
    kind,
    tree: new Map(Object.entries(files)),
    writes: 0,
    read: async () => ({ kind: 'failed', location, message: 'runs read, people read trees' }),
    readTree: async () => unreadable ?? { kind: 'tree', tree: memory.tree, warnings: [], location },
    async write(changes) {
      memory.writes += 1;
      if (save === undefined) memory.tree = applyChanges(memory.tree, changes);
      return save ?? { kind: 'saved', location, attempts: 1 };
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
  const all = typeof words === 'string' ? words.split(' ') : words;
  const [given, purge] = [all.filter((word) => word !== '--purge'), all.includes('--purge')];
  const flags = { isApart: false, last: 0, purge, forPath: '' } as const;
  const [clock, { signal }] = [createFakeClock(), new AbortController()];
  const session = { store, path: 'bot.md', clock, signal, secrets: [], origin: undefined, ...more };
  return await runMemoryCommand(
    parseMemoryCommand(given, { prefix: 'axe-action memory', flags }),
    session,
  );
}
