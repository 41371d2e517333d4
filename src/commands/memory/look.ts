import { AxeError, messageOf } from '../../core/errors.js';
import type { OpenFile } from '../../core/files.js';
import { firstUnread } from '../../core/memory/blocked.js';
import { type LogLane, lanePath } from '../../core/memory/commands/entry.js';
import { type MemoryNote, readNotes } from '../../core/memory/commands/notes.js';
import { openText } from '../../core/memory/log-pieces.js';
import { forgottenIds, statePath } from '../../core/memory/state.js';
import type { LogsResult, MemoryStore } from '../../core/memory/store.js';
import type { MemoryTree } from '../../core/memory/tree.js';
import type { Warning } from '../../core/warning.js';
import { type CommandSession, type MemoryRefusal, refusal } from './command-session.js';

/** A lane of an agent that is read in pieces, so that memory does not depend on the size of its log. */
interface OpenLog {
  readonly lane: LogLane;
  readonly path: string;
  /** Whether its log or its state is there. */
  readonly exists: boolean;
  readonly forgotten: ReadonlySet<string>;
  /** Empty where there is no log. Reading throws an AxeError. */
  readonly file: OpenFile;
}

/** A memory that is looked at and not changed. */
export interface MemoryLook {
  readonly kind: 'look';
  readonly location: string;
  /** Everything but the two logs. */
  readonly tree: MemoryTree;
  readonly warnings: readonly Warning[];
  readonly trusted: OpenLog;
  readonly untrusted: OpenLog;
  /** Notes of both lanes. */
  readonly notes: readonly MemoryNote[];
  close(): Promise<void>;
}

/** Opens the newest memory. */
export async function lookAtMemory({
  store,
  path,
  signal,
}: CommandSession): Promise<MemoryLook | MemoryRefusal> {
  const logs = [path, lanePath(path, 'untrusted')];
  const found = await openLogs(store, { logs }, signal);
  const places = logs.flatMap((log) => [log, statePath(log)]);
  const trouble = found.kind === 'failed' ? found : firstUnread(found.rest, places);
  if (found.kind === 'logs' && trouble === undefined) {
    const { tree, warnings, location } = found.rest;
    const open = (lane: LogLane) => openLane(lanePath(path, lane), lane, found);
    return {
      kind: 'look',
      location,
      tree,
      warnings,
      trusted: open('trusted'),
      untrusted: open('untrusted'),
      notes: readNotes(tree, logs),
      close: async () => await closeAll(found),
    };
  }
  if (found.kind === 'logs') await closeAll(found);
  return refusal('unreadable', `the memory could not be read: ${trouble?.message}`, trouble?.remedy);
}

/** Both lanes, those first that trusted runs load. */
export function lanesOf({ trusted, untrusted }: MemoryLook): readonly OpenLog[] {
  return [trusted, untrusted];
}

/** Logs of a memory, and everything else that was asked for. */
type OpenedLogs = Extract<LogsResult, { readonly kind: 'logs' }>;

/** Opens the logs of a store with all other files, or those of some places; a store that has no files holds their texts. */
async function openLogs(
  store: MemoryStore,
  { logs: paths, under }: { readonly logs: readonly string[]; readonly under?: readonly string[] },
  signal: AbortSignal,
): Promise<LogsResult> {
  if (store.openLogs !== undefined) return await store.openLogs(paths, signal, under);
  const found = await store.readTree(signal, under && [...paths, ...under]);
  if (found.kind === 'failed') return found;
  const logs = paths.flatMap((path) => {
    const text = found.tree.get(path);
    return text === undefined ? [] : [[path, openText(text)] as const];
  });
  const rest = new Map([...found.tree].filter(([path]) => !paths.includes(path)));
  return { kind: 'logs', logs: new Map(logs), rest: { ...found, tree: rest } };
}

function openLane(path: string, lane: LogLane, { logs, rest }: OpenedLogs): OpenLog {
  const file = logs.get(path);
  const state = rest.tree.get(statePath(path));
  return {
    lane,
    path,
    exists: file !== undefined || state !== undefined,
    forgotten: forgottenIds(state ?? ''),
    file: readable(file),
  };
}

/** A log, empty for none, whose trouble in the middle is told as trouble at its beginning is: by an AxeError. */
function readable(file: OpenFile = openText('')): OpenFile {
  return {
    ...file,
    read: async (position, length) => {
      const bytes = await readOrThrow(file, position, length);
      if (bytes.length === length) return bytes;
      throw unreadable('the file became shorter while it was read', undefined);
    },
  };
}

async function readOrThrow(file: OpenFile, position: number, length: number): Promise<Uint8Array> {
  try {
    return await file.read(position, length);
  } catch (thrown) {
    throw unreadable(messageOf(thrown), thrown);
  }
}

function unreadable(why: string, cause: unknown): AxeError {
  return new AxeError(`the memory could not be read: ${why}`, { remedy: 'Run the command again.', cause });
}

/** To be called when the logs were read. */
async function closeAll({ logs }: OpenedLogs): Promise<void> {
  for (const file of logs.values()) await file.close();
}
