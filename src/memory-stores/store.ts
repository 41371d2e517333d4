import { messageOf } from '../axe/errors.js';
import { applyChanges, type Change, type MemoryTree } from '../axe/memory/change.js';
import type {
  MemoryStore,
  ReadRequest,
  RestoreResult,
  SaveFailure,
  SaveResult,
} from '../axe/memory/store.js';
import type { Clock } from '../axe/ports.js';
import type { Warning } from '../axe/warning.js';
import { readRunLog } from './read-run-log.js';
import { openBytes } from './tail.js';
import { isTreePath, outsideTree } from './tree-path.js';

/** The newest version of the memory tree, as a backend read it. */
export interface Snapshot {
  readonly kind: 'snapshot';
  /** Files by `/`-separated path; a backend may leave out files nobody asked for. */
  readonly tree: MemoryTree;
  /** What the backend compares on commit: a commit id, a key's number; empty where nothing is there yet. */
  readonly version: string;
  /** URL, branch or key, for people. */
  readonly location: string;
  readonly warnings: readonly Warning[];
  /** The tree was put together from several versions: it is committed even if no change adds to it. */
  readonly unsettled?: boolean;
}

/** Memory is out of reach, which is not the same as empty: nothing is written after it (D14). */
export interface Unreadable {
  readonly kind: 'unreadable';
  readonly reason: SaveFailure;
  readonly message: string;
  readonly remedy?: string;
  readonly location: string;
}

/** What became of one attempt to make a tree the newest version. */
export type CommitResult =
  | { readonly kind: 'committed'; readonly location: string }
  /** Somebody else was first; nothing was written. */
  | { readonly kind: 'conflict'; readonly retryAfterMs?: number }
  /** The answer was lost: the newest version will show whether it was written. */
  | { readonly kind: 'unknown'; readonly message: string }
  | {
      readonly kind: 'failed';
      readonly reason: SaveFailure;
      readonly message: string;
      readonly remedy?: string;
    };

/** A place that keeps a memory tree and can replace a version it knows by the next one (D12). */
export interface TreeBackend {
  readonly kind: 'cache' | 'repo';
  /** The newest version. `paths` are what the caller will look at; a backend may read more, never less. */
  read(signal: AbortSignal, paths: readonly string[]): Promise<Snapshot | Unreadable>;
  /** Writes the files of `tree` that differ from the snapshot's, if that is still the newest; removes none. */
  commit(snapshot: Snapshot, tree: MemoryTree, signal: AbortSignal): Promise<CommitResult>;
}

/** What the retry loop needs beside a backend. */
export interface TreeStoreOptions {
  readonly clock: Clock;
  /** How long a save may go on against conflicts, in milliseconds. */
  readonly budgetMs: number;
}

const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 5_000;
const MAX_DOUBLINGS = 16;

/**
 * A store over a backend with compare-and-swap. Its `write` is the one loop by which nothing is lost (D12): changes
 * are applied to the newest version, and after a conflict to the newer one, until it is committed or time is up.
 */
export function createTreeStore(backend: TreeBackend, options: TreeStoreOptions): MemoryStore {
  return {
    kind: backend.kind,
    read: (request, signal) => read(backend, request, signal),
    write: (changes, signal) => write(backend, changes, { ...options, signal }),
  };
}

async function read(backend: TreeBackend, request: ReadRequest, signal: AbortSignal): Promise<RestoreResult> {
  try {
    if (!isTreePath(request.path))
      return { kind: 'failed', location: backend.kind, ...outsideTree(request.path) };
    const snapshot = await backend.read(signal, [request.path]);
    if (snapshot.kind === 'unreadable') return failedRestore(snapshot);
    const { location, warnings } = snapshot;
    const text = snapshot.tree.get(request.path);
    if (text === undefined) return { kind: 'empty', location, warnings };
    return await readRunLog(openBytes(new TextEncoder().encode(text)), request, { location, warnings });
  } catch (thrown) {
    return { kind: 'failed', message: messageOf(thrown), location: backend.kind };
  }
}

function failedRestore({ message, remedy, location }: Unreadable): RestoreResult {
  return { kind: 'failed', message, location, ...(remedy === undefined ? {} : { remedy }) };
}

interface WriteOptions extends TreeStoreOptions {
  readonly signal: AbortSignal;
}

async function write(
  backend: TreeBackend,
  changes: readonly Change[],
  options: WriteOptions,
): Promise<SaveResult> {
  try {
    return await saveInTime(backend, changes, options);
  } catch (thrown) {
    return failed(options.signal.aborted ? 'timeout' : 'error', messageOf(thrown));
  }
}

async function saveInTime(
  backend: TreeBackend,
  changes: readonly Change[],
  { clock, budgetMs, signal }: WriteOptions,
): Promise<SaveResult> {
  const paths = [...new Set(changes.map((change) => change.path))];
  const outside = paths.find((path) => !isTreePath(path));
  if (outside !== undefined) return { kind: 'failed', reason: 'error', ...outsideTree(outside) };
  const deadlineMs = clock.now().getTime() + budgetMs;
  let first: MemoryTree | undefined;
  let answerLost = false;
  for (let attempts = 0; ; ) {
    if (signal.aborted) return stopped();
    const newest = await backend.read(signal, paths);
    if (newest.kind === 'unreadable') return failed(newest.reason, newest.message, newest.remedy);
    first ??= newest.tree;
    const base = first;
    const open = answerLost ? changes.filter((change) => !arrived(change, base, newest.tree)) : changes;
    const next = keepOtherSide(open, { base, newest: newest.tree });
    if (newest.unsettled !== true && isSame(next, newest.tree)) return saved(newest.location, attempts);
    attempts += 1;
    const result = await backend.commit(newest, next, signal);
    if (result.kind === 'committed') return saved(result.location, attempts);
    if (result.kind === 'failed') return result;
    answerLost ||= result.kind === 'unknown';
    const delayMs = delayAfter(result, attempts, clock);
    if (clock.now().getTime() + delayMs > deadlineMs) return gaveUp(attempts, budgetMs);
    await clock.sleep(delayMs, signal);
  }
}

/**
 * Whether an append that got no answer is there. Entries without an id are known by their text, which only counts
 * if it was not there before.
 */
function arrived(change: Change, base: MemoryTree, newest: MemoryTree): boolean {
  if (change.kind === 'rewrite') return false;
  return holdsText(newest, change) && !holdsText(base, change);
}

function holdsText(tree: MemoryTree, { path, text }: { path: string; text: string }): boolean {
  return tree.get(path)?.includes(text) ?? false;
}

/**
 * The newest tree with the changes applied. Where a rewrite meets a text that somebody else changed meanwhile and
 * does not carry it on, that text is kept beside it as `.bak`.
 */
function keepOtherSide(
  changes: readonly Change[],
  { base, newest }: { readonly base: MemoryTree; readonly newest: MemoryTree },
): MemoryTree {
  const next = new Map(applyChanges(newest, changes));
  for (const { kind, path } of changes) {
    const other = newest.get(path) ?? '';
    const isOthers = kind === 'rewrite' && other !== '' && other !== base.get(path);
    if (isOthers && !(next.get(path) ?? '').includes(other)) next.set(`${path}.bak`, other);
  }
  return next;
}

function isSame(next: MemoryTree, current: MemoryTree): boolean {
  return [...next].every(([path, text]) => text === (current.get(path) ?? ''));
}

/** What the backend asks for, or else full jitter: anything up to 50 ms · 2^n, at most 5 s. */
function delayAfter(result: CommitResult, attempts: number, clock: Clock): number {
  if (result.kind === 'conflict' && result.retryAfterMs !== undefined) return result.retryAfterMs;
  const ceilingMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempts, MAX_DOUBLINGS));
  return Math.max(1, Math.round(clock.random() * ceilingMs));
}

function saved(location: string, attempts: number): SaveResult {
  return { kind: 'saved', location, attempts };
}

function stopped(): SaveResult {
  return failed('timeout', 'the run was stopped before its memory was saved');
}

function gaveUp(attempts: number, budgetMs: number): SaveResult {
  return {
    kind: 'failed',
    reason: 'conflict',
    message: `other runs kept changing the same memory; gave up after ${attempts} attempts in ${Math.round(budgetMs / 1000)} s`,
    remedy: 'Set `concurrency:` on the job, or give its runs a memory of their own with `memory-cache-name`.',
  };
}

function failed(reason: SaveFailure, message: string, remedy?: string): SaveResult {
  return { kind: 'failed', reason, message, ...(remedy === undefined ? {} : { remedy }) };
}
