import { messageOf } from '../axe/errors.js';
import { type Change, markUnfolded, pathsOf, withStates } from '../axe/memory/change.js';
import type {
  FailedSave,
  MemoryStore,
  Place,
  ReadRequest,
  RestoreResult,
  SaveResult,
  TreeResult,
} from '../axe/memory/store.js';
import type { MemoryTree } from '../axe/memory/tree.js';
import type { Clock } from '../axe/ports.js';
import type { CommitResult, Snapshot, TreeBackend, Unreadable } from './backend.js';
import { keepOtherSide, type LostCommit, stillOpen, unmatchedEdits } from './other-side.js';
import { createPatience, failed, type Patience } from './patience.js';
import { readLogs, shownTree, withBeside } from './read-logs.js';
import { isTreePath, isTreePlace, outsideTree } from './tree-path.js';

/** What the retry loop needs beside a backend. */
export interface TreeStoreOptions {
  readonly clock: Clock;
  /** How long a save may go on against conflicts, in milliseconds. */
  readonly budgetMs: number;
}

/** A store that gives its newest version as a tree, so that several can be read as one. */
export interface TreeStore extends MemoryStore {
  /** The newest version; `paths` are looked at, and their states. Trouble is a value. */
  snapshot(paths: readonly string[], signal: AbortSignal): Promise<Snapshot | Unreadable>;
  /** Where a file of a version is, for people; '' stands for no version, and for no file. */
  placeOf(version: string, path: string): Place;
  /** `folds` are saved before the changes. If the store refuses the two together, it saves the changes alone. */
  write(changes: readonly Change[], signal: AbortSignal, folds?: readonly Change[]): Promise<SaveResult>;
}

/**
 * A store over a backend with compare-and-swap. Its `write` is the one loop by which nothing is lost (D12): changes
 * are applied to the newest version, and after a conflict to the newer one, until it is committed or time is up.
 */
export function createTreeStore(backend: TreeBackend, options: TreeStoreOptions): TreeStore {
  const { dropHistory } = backend;
  return {
    kind: backend.kind,
    snapshot: (paths, signal) => snapshot(backend, paths, signal),
    placeOf: (version, path) => backend.placeOf(version, path),
    read: (request, signal) => read(backend, request, signal),
    readTree: (signal, under) => readTree(backend, signal, under),
    write: (changes, signal, folds = []) => save(backend, { folds, changes }, { ...options, signal }),
    ...(dropHistory === undefined
      ? {}
      : {
          dropHistory: (signal) =>
            answered(signal, () => dropInTime(backend, dropHistory, { ...options, signal })),
        }),
  };
}

async function snapshot(
  backend: TreeBackend,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<Snapshot | Unreadable> {
  const outside = paths.find((path) => !isTreePlace(path));
  if (outside !== undefined) return { kind: 'unreadable', reason: 'error', ...outsideTree(outside) };
  try {
    return await backend.read(signal, withStates(paths));
  } catch (thrown) {
    return { kind: 'unreadable', reason: signal.aborted ? 'timeout' : 'error', message: messageOf(thrown) };
  }
}

async function read(backend: TreeBackend, request: ReadRequest, signal: AbortSignal): Promise<RestoreResult> {
  const { paths, beside } = request;
  const newest = await snapshot(backend, [...paths, ...(beside ?? [])], signal);
  const place = (version: string) => backend.placeOf(version, request.paths[0] ?? '');
  if (newest.kind === 'unreadable') return { ...place(''), ...withoutReason(newest), kind: 'failed' };
  const found = { ...place(newest.version), warnings: newest.warnings };
  return withBeside(await readLogs(newest.tree, request, found), newest.tree, beside);
}

async function readTree(
  backend: TreeBackend,
  signal: AbortSignal,
  under: readonly string[] | undefined,
): Promise<TreeResult> {
  try {
    const newest =
      under === undefined ? await backend.read(signal, 'all') : await snapshot(backend, under, signal);
    if (newest.kind === 'unreadable')
      return { ...backend.placeOf('', ''), ...withoutReason(newest), kind: 'failed' };
    const { tree, warnings, version, left } = newest;
    const place = { ...backend.placeOf(version, ''), ...(left === undefined ? {} : { left }) };
    return { kind: 'tree', tree: shownTree(tree, under), warnings, ...place };
  } catch (thrown) {
    return { ...backend.placeOf('', ''), kind: 'failed', message: messageOf(thrown) };
  }
}

function withoutReason({ message, remedy }: Unreadable): {
  readonly message: string;
  readonly remedy?: string;
} {
  return remedy === undefined ? { message } : { message, remedy };
}

interface SaveOptions extends TreeStoreOptions {
  readonly signal: AbortSignal;
}

async function answered(signal: AbortSignal, save: () => Promise<SaveResult>): Promise<SaveResult> {
  try {
    return await save();
  } catch (thrown) {
    return failed(signal.aborted ? 'timeout' : 'error', messageOf(thrown));
  }
}

/** What others keep must never cost a run its own entry: together they may be more than the store takes. */
async function save(
  backend: TreeBackend,
  { folds, changes }: { readonly folds: readonly Change[]; readonly changes: readonly Change[] },
  options: SaveOptions,
): Promise<SaveResult> {
  // Shared by both: what the first one committed without an answer must not be done twice by the second.
  const tries: Tries = { ...options, patience: createPatience(options), first: undefined, lost: [] };
  const attempt = (all: readonly Change[]) => answered(options.signal, () => saveInTime(backend, all, tries));
  const whole = await attempt([...folds, ...changes]);
  const isFoldsFault = whole.kind === 'failed' && whole.reason === 'error' && folds.length > 0;
  return isFoldsFault ? await attempt(markUnfolded(changes)) : whole;
}

interface Tries extends SaveOptions {
  readonly patience: Patience;
  /** The version that the save found at first. */
  first: MemoryTree | undefined;
  readonly lost: LostCommit[];
}

async function saveInTime(
  backend: TreeBackend,
  changes: readonly Change[],
  tries: Tries,
): Promise<SaveResult> {
  const { signal, patience, lost } = tries;
  const paths = pathsOf(changes);
  // What is folded in goes before the run's own changes, which are what people look for.
  const path = (changes.find(({ kind }) => kind !== 'merge') ?? changes[0])?.path ?? '';
  const outside = changes.find((change) => !isTreePath(change.path));
  if (outside !== undefined) return { kind: 'failed', reason: 'error', ...outsideTree(outside.path) };
  for (let attempts = 0; ; ) {
    if (signal.aborted) return stopped();
    const newest = await backend.read(signal, paths);
    if (newest.kind === 'unreadable') {
      const end = await patience.after(newest);
      if (end !== undefined) return end;
      continue;
    }
    tries.first ??= newest.tree;
    const versions = { base: tries.first, newest: newest.tree };
    const open = stillOpen(changes, newest, lost);
    const next = keepOtherSide(open, versions);
    const unmatched = unmatchedEdits(newest.tree, open);
    if (newest.unsettled !== true && isSame(next, newest.tree))
      return saved(backend, { version: newest.version, path, attempts, notices: unmatched });
    attempts += 1;
    const result = await backend.commit(newest, next, signal);
    if (result.kind === 'committed') {
      const notices = [...(result.notices ?? []), ...unmatched];
      return saved(backend, { ...result, path, attempts, notices });
    }
    if (result.kind === 'unknown') lost.push({ from: newest, made: next });
    const end = await patience.after(result);
    if (end !== undefined) return end;
  }
}

/** To drop a history that is gone already does no harm, so it is simply done again. */
async function dropInTime(
  backend: TreeBackend,
  dropHistory: (signal: AbortSignal) => Promise<CommitResult>,
  options: SaveOptions,
): Promise<SaveResult> {
  const patience = createPatience(options);
  for (let attempts = 1; ; attempts += 1) {
    if (options.signal.aborted) return stopped();
    const result = await dropHistory(options.signal);
    if (result.kind === 'committed') return saved(backend, { ...result, path: '', attempts });
    const end = await patience.after(result);
    if (end !== undefined) return end;
  }
}

function isSame(next: MemoryTree, current: MemoryTree): boolean {
  return [...next].every(([path, text]) => text === (current.get(path) ?? ''));
}

function saved(
  backend: TreeBackend,
  { version, path, attempts, notices = [] }: SavedParts,
): Extract<SaveResult, { readonly kind: 'saved' }> {
  const place = backend.placeOf(version, path);
  return { kind: 'saved', attempts, ...place, ...(notices.length === 0 ? {} : { notices }) };
}

interface SavedParts {
  readonly version: string;
  readonly path: string;
  readonly attempts: number;
  readonly notices?: readonly string[];
}

function stopped(): FailedSave {
  return failed('timeout', 'the run was stopped before its memory was saved');
}
