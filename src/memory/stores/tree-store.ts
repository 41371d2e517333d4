import { type Clock, pauseEnd, startTimeLimit, timeLeftMs } from '../../lib/clock.js';
import { AxeError, messageOf, type Warning } from '../../lib/errors.js';
import { applyChanges, changedPaths, type MemoryChange, type MemoryTree } from '../change.js';
import { isTreePath, isTreePlace, outsideTreeProblem } from '../paths.js';
import { statePath } from '../state.js';
import {
  type BlockedPlace,
  type FailedSave,
  type MemoryLocation,
  type MemoryStore,
  type ReadRequest,
  type RestoreResult,
  type SaveResult,
  type StoreKind,
  saveFailed,
  type TreeResult,
} from '../store.js';
import { filteredTree, readLogIn } from './read-log.js';

/** The newest version of the memory tree, as a backend read it. */
export interface TreeSnapshot {
  readonly kind: 'snapshot';
  /** Files by `/`-separated path; a backend may leave out files nobody asked for. */
  readonly tree: MemoryTree;
  /**
   * Version that the backend compares on commit: a commit id or a key's number; empty if nothing
   * has been saved yet.
   */
  readonly version: string;
  readonly warnings: readonly Warning[];
  /**
   * Ids of the changes saved since the requested time, and of removed entries; can be left out if
   * no time was requested.
   */
  readonly saved?: ReadonlySet<string>;
  /** Paths of files that did not fit; left out where all did. */
  readonly left?: readonly string[];
  /** Notes whose place holds something else; left out where there are none. */
  readonly blocked?: readonly BlockedPlace[];
  /**
   * Readers might have passed over this version, so it is committed once more, even if nothing
   * differs.
   */
  readonly isOpen?: boolean;
  /** True for a branch that everybody can read. */
  readonly isPublic?: boolean;
  /**
   * Files of a branch that must not be overwritten because they are not memory: by path, half a
   * sentence with the reason.
   */
  readonly refused?: ReadonlyMap<string, string>;
  /** Files of a cache version outside the store's folder, which every commit keeps unchanged. */
  readonly others?: MemoryTree;
}

/** Result of one attempt to make a tree the newest version. */
export type CommitResult =
  /** `notices` are whole sentences that people should read. */
  | {
      readonly kind: 'committed';
      readonly version: string;
      readonly notices?: readonly string[];
    }
  /** Somebody else was first; nothing was written. */
  | { readonly kind: 'conflict' }
  /** No answer came, and it may have been written. */
  | { readonly kind: 'unknown'; readonly message: string }
  | FailedSave;

/** A place that keeps a memory tree and can replace a version it knows by the next one. */
export interface TreeBackend {
  readonly kind: Extract<StoreKind, 'cache' | 'branch'>;
  /**
   * Reads the newest version. `paths` are the files that the caller needs; a folder (with a `/` at
   * its end) means the files directly in it. A backend can read more, never less. With `since` it
   * also reports the changes saved from then on.
   */
  read(
    signal: AbortSignal,
    paths: readonly string[] | 'all',
    since?: Date,
  ): Promise<TreeSnapshot | FailedSave>;
  /**
   * Writes the files of `tree` that differ from the newest version's, if that is still the
   * snapshot's. A file whose text is empty now is removed; other files do not change. `ids` are the
   * ids of the saved changes.
   */
  commit(
    snapshot: TreeSnapshot,
    next: { readonly tree: MemoryTree; readonly ids: readonly string[] },
    signal: AbortSignal,
  ): Promise<CommitResult>;
  /** Location of a version's file, for people. */
  placeOf(version: string, path: string): MemoryLocation;
  /** Replaces the newest version by a copy without history; only for backends with a history. */
  dropHistory?(signal: AbortSignal): Promise<CommitResult>;
}

interface SaveOptions {
  readonly clock: Clock;
  /** Maximum duration of a save in milliseconds, with its requests and waits. */
  readonly budgetMs: number;
  /** Prints a line for people who are waiting. */
  readonly log?: (line: string) => void;
}

/** Longest wait for memory; then the run continues without it. */
const READ_MS = 20_000;

/** A store over a backend with compare-and-swap. */
export function createTreeStore(backend: TreeBackend, options: SaveOptions): MemoryStore {
  const { clock, log } = options;
  const { dropHistory: drop } = backend;
  /** The version that was read last. A place that compares versions itself is tried on it first. */
  let known: ReadVersion | undefined;
  return {
    kind: backend.kind,
    read,
    readTree,
    async write(changes, signal) {
      const outside = changes.find((change) => !isTreePath(change.path));
      if (outside !== undefined)
        return { kind: 'failed', reason: 'error', ...outsideTreeProblem(outside.path) };
      const start = backend.kind === 'branch' ? known : undefined;
      known = undefined;
      const { result, made } = await update(backend, { changes, start }, options, signal);
      known = made;
      return result;
    },
    ...(drop && {
      async dropHistory(signal) {
        // Dropping a history twice does no harm, so an unanswered attempt is repeated.
        const attempt: AttemptToSave = async (limited, begins) => {
          begins();
          return await drop(limited);
        };
        return await repeat({ backend, path: '', attempt }, options, signal);
      },
    }),
  };

  async function read(request: ReadRequest, signal: AbortSignal): Promise<RestoreResult> {
    const { path, alongside } = request;
    const newest = await snapshot([path, statePath(path), ...(alongside ?? [])], signal);
    if (newest.kind === 'failed') return { ...newest, ...backend.placeOf('', path) };

    const { tree, version, warnings, blocked } = newest;
    const answer = readLogIn(tree, request, { ...backend.placeOf(version, path), warnings });
    if (alongside === undefined || answer.kind === 'failed') return answer;
    return { ...answer, alongside: filteredTree(tree, alongside), blocked };
  }

  async function readTree(signal: AbortSignal, under?: readonly string[]): Promise<TreeResult> {
    const newest = await snapshot(under ?? 'all', signal);
    if (newest.kind === 'failed') return { ...newest, ...backend.placeOf('', '') };
    const { tree, version, warnings, left, blocked } = newest;
    const place = backend.placeOf(version, '');
    return { kind: 'tree', tree: filteredTree(tree, under), warnings, ...place, left, blocked };
  }

  /** Reads the newest version. Waits for a rate limit if there is time. */
  async function snapshot(
    paths: readonly string[] | 'all',
    signal: AbortSignal,
  ): Promise<TreeSnapshot | FailedSave> {
    const outside = paths === 'all' ? undefined : paths.find((path) => !isTreePlace(path));
    if (outside !== undefined)
      return { kind: 'failed', reason: 'error', ...outsideTreeProblem(outside) };
    const endMs = clock.now().getTime() + READ_MS;
    const limit = startTimeLimit(clock, READ_MS, signal);
    try {
      for (;;) {
        const answer = await backend.read(limit.signal, paths);
        if (answer.kind === 'snapshot') known = { snapshot: answer, paths };
        if (answer.kind === 'snapshot' || answer.reason !== 'rate-limited') return answer;
        const { retryAfterMs = READ_MS } = answer;
        if (clock.now().getTime() + retryAfterMs >= endMs) return answer;
        log?.(`Memory: ${answer.message}; trying again in ${Math.ceil(retryAfterMs / 1000)} s.`);
        await clock.sleep(retryAfterMs, limit.signal);
      }
    } catch (thrown) {
      const message = limit.isOver()
        ? `there was no answer within ${READ_MS / 1000} s`
        : messageOf(thrown);
      return saveFailed('error', message, thrown instanceof AxeError ? thrown.remedy : undefined);
    } finally {
      limit.end();
    }
  }
}

/** Each lost race makes the longest random wait this much longer, so that runs spread out. */
const RACE_MS = 10_000;
const MOST_RACE_MS = 40_000;
/** First wait after a lost answer; it needs no randomness, since no other run competes. */
const LOST_MS = 2_000;
const MOST_LOST_MS = 20_000;
/** Random addition to a requested wait, so that runs with the same limit do not retry at once. */
const SPREAD_MS = 5_000;
/** Duration of a commit: no attempt begins with less time left. */
const LAST_MS = 1_500;
/** Shorter waits are not worth a line. */
const NOTICED_MS = 3_000;

/** Calls `begins` when it asks the place to change something. */
type AttemptToSave = (signal: AbortSignal, begins: () => void) => Promise<CommitResult>;

interface ReadVersion {
  readonly snapshot: TreeSnapshot;
  readonly paths: readonly string[] | 'all';
}

/** A version is of use for changes if all their files were read. */
function covers({ paths }: ReadVersion, changes: readonly MemoryChange[]): boolean {
  return paths === 'all' || changedPaths(changes).every((path) => paths.includes(path));
}

/**
 * The one loop by which nothing is lost: changes are applied to the newest version, and after a
 * conflict to the newer one, until it is committed or time is up. The place keeps the ids of saved
 * changes. After a lost answer, and for changes that an earlier process might have saved, the loop
 * reads these ids before it commits.
 */
async function update(
  backend: TreeBackend,
  {
    changes,
    start,
  }: {
    readonly changes: readonly MemoryChange[];
    /** The version to try first. */
    readonly start: ReadVersion | undefined;
  },
  options: SaveOptions,
  signal: AbortSignal,
): Promise<{
  readonly result: SaveResult;
  /** The version that was committed last: a later save of this process can begin with it. */
  readonly made: ReadVersion | undefined;
}> {
  const { clock } = options;
  const earlier = changes.flatMap((change) =>
    'again' in change && change.again ? [change.again] : [],
  );
  const [since = clock.now()] = earlier.toSorted((a, b) => a.getTime() - b.getTime());
  /** Ids of a commit without an answer. */
  let unanswered: readonly string[] = [];
  // An earlier process can have saved to what this one has read, so its ids are read anew.
  const isOfUse = start !== undefined && earlier.length === 0 && covers(start, changes);
  let snapshot = isOfUse ? start.snapshot : undefined;
  let readPaths = isOfUse ? start.paths : changedPaths(changes);
  let made: ReadVersion | undefined;
  const attempt: AttemptToSave = async (attemptSignal, begins) => {
    const mayBeSaved = earlier.length > 0 || unanswered.length > 0;
    const early = snapshot;
    if (early === undefined) readPaths = changedPaths(changes);
    snapshot = undefined;
    const newest =
      early ??
      (await backend.read(attemptSignal, changedPaths(changes), mayBeSaved ? since : undefined));
    if (newest.kind === 'failed') return newest;

    const open = changesToSave(changes, newest, unanswered);
    const tree = applyChanges(newest.tree, open);
    const removed = removedIds(open);
    const unchanged = { kind: 'committed', version: newest.version } as const;
    // The version that the run began with might not be the newest any more.
    const again = () => attempt(attemptSignal, begins);
    if (isUpToDate(newest, tree, removed)) return early ? await again() : unchanged;

    begins();
    const openIds = new Set(open.flatMap((change) => ('id' in change ? [change.id] : [])));
    const ids = openIds.size === 0 ? [clock.newId()] : [...openIds];
    const next = { tree, ids: [...ids, ...removed] };
    const result = await backend.commit(newest, next, attemptSignal);
    // Somebody has saved since the run began: that is not a race, so it needs no random wait.
    if (result.kind === 'conflict' && early !== undefined) return await again();
    if (result.kind === 'unknown') unanswered = [...unanswered, ...ids];
    if (result.kind === 'committed')
      made = { snapshot: { ...newest, tree, version: result.version }, paths: readPaths };
    return result;
  };

  const path = changes[0]?.path ?? '';
  const result = await repeat({ backend, path, attempt }, options, signal);
  return { result, made };
}

/**
 * The changes that are not saved yet. A commit saves all of them or none, so if an unanswered
 * commit is saved, nothing is left.
 */
function changesToSave(
  changes: readonly MemoryChange[],
  { saved }: TreeSnapshot,
  unanswered: readonly string[],
): readonly MemoryChange[] {
  const isSaved = (id: string) => saved?.has(id) === true;
  if (unanswered.some(isSaved)) return [];
  return changes.filter((change) => !('id' in change && isSaved(change.id)));
}

/** Ids of entries that these changes take out. */
function removedIds(changes: readonly MemoryChange[]): readonly string[] {
  return changes.flatMap((change) => (change.kind === 'rewrite' ? (change.removes ?? []) : []));
}

/**
 * True if nothing has to be committed. An entry that the newest version passed over is not in it,
 * and could still come again, so its removal is saved even if no text differs.
 */
function isUpToDate(
  { tree, saved, isOpen = false }: TreeSnapshot,
  next: MemoryTree,
  removed: readonly string[],
): boolean {
  const isSame = [...next].every(([path, text]) => text === (tree.get(path) ?? ''));
  const isNews = saved !== undefined && removed.some((id) => !saved.has(id));
  return isSame && !isOpen && !isNews;
}

/**
 * Attempts until one succeeds, none can, or the budget is spent, which also ends a request that is
 * under way.
 */
async function repeat(
  {
    backend,
    path,
    attempt,
  }: {
    readonly backend: TreeBackend;
    readonly path: string;
    readonly attempt: AttemptToSave;
  },
  { clock, budgetMs, log }: SaveOptions,
  signal: AbortSignal,
): Promise<SaveResult> {
  const startMs = clock.now().getTime();
  const endMs = startMs + Math.min(budgetMs, timeLeftMs(signal) ?? budgetMs);
  const limit = startTimeLimit(clock, budgetMs, signal);
  let attempts = 0;
  let lost = 0;
  let unanswered = 0;
  const effort = () => {
    const seconds = Math.round((clock.now().getTime() - startMs) / 1000);
    return `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'} in ${seconds} s`;
  };
  try {
    for (;;) {
      if (limit.signal.aborted) throw limit.signal.reason;
      const result = await attempt(limit.signal, () => {
        attempts += 1;
      });
      if (result.kind === 'committed') {
        const { notices } = result;
        const place = backend.placeOf(result.version, path);
        return { kind: 'saved', attempts, ...place, notices };
      }
      if (result.kind === 'conflict') lost += 1;
      if (result.kind === 'unknown') unanswered += 1;

      const waitMs = waitFor(result, lost, unanswered, clock.random());
      const leftMs = endMs - clock.now().getTime();
      const pauseMs = pauseBeforeRetry(result, { waitMs, leftMs }, clock);
      if (pauseMs === undefined) return ended(result, effort());

      const cause = result.kind === 'conflict' ? 'other runs are saving too' : result.message;
      if (pauseMs >= NOTICED_MS)
        log?.(`Memory: ${cause}; the next attempt to save is in ${Math.ceil(pauseMs / 1000)} s.`);
      const paused = pauseEnd(limit.signal);
      await clock.sleep(pauseMs, paused);
      // The post step saves the journal.
      if (paused.aborted && !limit.signal.aborted)
        return saveFailed('timeout', `the run was cancelled before another attempt: ${cause}`);
    }
  } catch (thrown) {
    const isTimeUp = limit.isOver() || (signal.aborted && timeLeftMs(signal) === 0);
    if (isTimeUp)
      return saveFailed(
        'timeout',
        `there was no answer in time; gave up after ${effort()}`,
        STATUS_REMEDY,
      );
    if (signal.aborted)
      return saveFailed('timeout', 'the run was stopped before its memory was saved');
    return saveFailed('error', messageOf(thrown));
  } finally {
    limit.end();
  }
}

type NotCommitted = Exclude<CommitResult, { readonly kind: 'committed' }>;

/**
 * Milliseconds until the next attempt within the time that is left; undefined if there is none. A
 * run that lost a race and would wait for too long gets one more attempt, at any moment of the rest.
 */
function pauseBeforeRetry(
  { kind }: NotCommitted,
  { waitMs, leftMs }: { readonly waitMs: number | undefined; readonly leftMs: number },
  { random }: Pick<Clock, 'random'>,
): number | undefined {
  const usableMs = leftMs - LAST_MS;
  if (waitMs === undefined || waitMs <= usableMs) return waitMs;
  const hasLastAttempt = kind === 'conflict' && leftMs >= 2 * LAST_MS;
  return hasLastAttempt ? Math.round(random() * usableMs) : undefined;
}

/** Milliseconds that a result asks to wait; undefined if another attempt would not help. */
function waitFor(
  result: NotCommitted,
  lost: number,
  unanswered: number,
  random: number,
): number | undefined {
  switch (result.kind) {
    case 'conflict':
      return Math.round(random * Math.min(MOST_RACE_MS, lost * RACE_MS));
    case 'unknown':
      return Math.min(MOST_LOST_MS, LOST_MS * 2 ** (unanswered - 1));
    case 'failed':
      return result.retryAfterMs === undefined
        ? undefined
        : result.retryAfterMs + Math.round(random * SPREAD_MS);
  }
}

function ended(result: NotCommitted, effort: string): FailedSave {
  switch (result.kind) {
    case 'conflict':
      return saveFailed(
        'conflict',
        `other runs kept changing the same memory; gave up after ${effort}`,
        'Set `concurrency:` on the job, or give each run its own memory with `memory-path`.',
      );
    case 'unknown':
      return saveFailed(
        'unavailable',
        `no answer showed whether it was saved, in ${effort}: ${result.message}`,
        STATUS_REMEDY,
      );
    case 'failed':
      return saveFailed(result.reason, result.message, result.remedy);
  }
}

const STATUS_REMEDY =
  'The service is slow or failing (https://www.githubstatus.com); run it again later.';
