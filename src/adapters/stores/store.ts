import type { Clock } from '../../core/clock.js';
import { AxeError, messageOf } from '../../core/errors.js';
import { type Change, pathsOf, withStates } from '../../core/memory/change.js';
import type {
  FailedSave,
  MemoryStore,
  Place,
  ReadRequest,
  RestoreResult,
  SaveResult,
  TreeResult,
} from '../../core/memory/store.js';
import type { MemoryTree } from '../../core/memory/tree.js';
import { limitTime, timeLeftMs } from '../../core/time-limit.js';
import { addedFiles } from './added-files.js';
import type { CommitResult, Snapshot, TreeBackend, Unreadable } from './backend.js';
import { type Backoff, createBackoff, failed } from './backoff.js';
import { createLatest, type Known } from './latest.js';
import { keepOtherSide, type LostCommit, stillOpen } from './other-side.js';
import { readLogs, shownTree, withOthersAlongside } from './read-logs.js';
import { isTreePath, isTreePlace, isUnder, outsideTree } from './tree-path.js';

/** What the retry loop needs beside a backend. */
interface TreeStoreOptions {
  readonly clock: Clock;
  /** How long a save may take, requests included, in milliseconds; as long a read waits for whoever asks it to. */
  readonly budgetMs: number;
  /** Writes a line for whoever waits meanwhile. */
  readonly log?: (line: string) => void;
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
  const latest = createLatest(backend);
  const { noted } = latest;
  return {
    kind: backend.kind,
    snapshot: (paths, signal) => snapshot(noted, paths, { ...options, signal }),
    placeOf: (version, path) => backend.placeOf(version, path),
    read: (request, signal) => read(noted, request, { ...options, signal }),
    readTree: (signal, under) => readTree(noted, under, { ...options, signal }),
    write: (changes, signal, folds = []) =>
      inBudget({ ...options, signal }, (saving) =>
        save(backend, { folds, changes }, { ...saving, known: latest.take() }),
      ),
    ...(dropHistory === undefined
      ? {}
      : {
          dropHistory: (signal) =>
            inBudget({ ...options, signal }, (saving) => dropInTime(backend, dropHistory, saving)),
        }),
  };
}

async function snapshot(
  backend: TreeBackend,
  paths: readonly string[],
  options: CallOptions,
): Promise<Snapshot | Unreadable> {
  const outside = paths.find((path) => !isTreePlace(path));
  if (outside !== undefined) return { kind: 'unreadable', reason: 'error', ...outsideTree(outside) };
  return await readInTime(backend, withStates(paths), options);
}

/** A rate limit is waited for where the other side says how long, and nothing else: it is over then. */
async function readInTime(
  backend: TreeBackend,
  requested: readonly string[] | 'all',
  options: CallOptions,
): Promise<Snapshot | Unreadable> {
  const { signal } = options;
  const patience = createBackoff(options);
  try {
    for (;;) {
      const found = await backend.read(signal, requested);
      if (found.kind === 'snapshot' || found.reason !== 'rate-limited') return found;
      if ((await patience.after(found)) !== undefined || signal.aborted) return found;
    }
  } catch (thrown) {
    const reason = signal.aborted ? 'timeout' : 'error';
    return { kind: 'unreadable', reason, message: messageOf(thrown), ...remedyOf(thrown) };
  }
}

function remedyOf(thrown: unknown): { readonly remedy?: string } {
  return thrown instanceof AxeError && thrown.remedy !== undefined ? { remedy: thrown.remedy } : {};
}

async function read(
  backend: TreeBackend,
  request: ReadRequest,
  options: CallOptions,
): Promise<RestoreResult> {
  const { paths, alongside } = request;
  const newest = await snapshot(backend, [...paths, ...(alongside ?? [])], options);
  const place = (version: string) => backend.placeOf(version, request.paths[0] ?? '');
  if (newest.kind === 'unreadable') return { ...place(''), ...withoutReason(newest), kind: 'failed' };
  const found = { ...place(newest.version), warnings: newest.warnings };
  return withOthersAlongside(await readLogs(newest.tree, request, found), newest, alongside);
}

async function readTree(
  backend: TreeBackend,
  under: readonly string[] | undefined,
  options: CallOptions,
): Promise<TreeResult> {
  const newest =
    under === undefined ? await readInTime(backend, 'all', options) : await snapshot(backend, under, options);
  if (newest.kind === 'unreadable')
    return { ...backend.placeOf('', ''), ...withoutReason(newest), kind: 'failed' };
  const { tree, warnings, version } = newest;
  const place = { ...backend.placeOf(version, ''), ...leftOutOf(newest) };
  return { kind: 'tree', tree: shownTree(tree, under), warnings, ...place };
}

function leftOutOf({ left, blocked }: Snapshot): Pick<Snapshot, 'left' | 'blocked'> {
  return { ...(left === undefined ? {} : { left }), ...(blocked === undefined ? {} : { blocked }) };
}

function withoutReason({ message, remedy }: Unreadable): {
  readonly message: string;
  readonly remedy?: string;
} {
  return remedy === undefined ? { message } : { message, remedy };
}

interface CallOptions extends TreeStoreOptions {
  readonly signal: AbortSignal;
}

/** A save under way, whose signal ends it with its budget. */
interface Saving extends CallOptions {
  readonly patience: Backoff;
}

/** The same with what was read before; undefined where nothing was, or it was saved to since. */
interface KnowingSaving extends Saving {
  readonly known: Known | undefined;
}

/** The budget also ends a request that is under way: nobody knows how long that would take. */
async function inBudget(
  options: CallOptions,
  save: (saving: Saving) => Promise<SaveResult>,
): Promise<SaveResult> {
  const { clock, budgetMs: limitMs, signal } = options;
  const limit = limitTime({ clock, limitMs, signal });
  const patience = createBackoff({ ...options, signal: limit.signal });
  const isTimeUp = () => limit.isOver() || (signal.aborted && timeLeftMs(signal) === 0);
  try {
    const saving = { ...options, signal: limit.signal, patience };
    const result = await answered(limit.signal, () => save(saving));
    return result.kind === 'failed' && result.reason === 'timeout' && isTimeUp() ? patience.spent() : result;
  } finally {
    limit.end();
  }
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
  saving: KnowingSaving,
): Promise<SaveResult> {
  // Shared by both: what the first one committed without an answer must not be done twice by the second.
  const tries: Tries = { ...saving, first: undefined, lost: [], isAsideRefused: false };
  const attempt = (all: readonly Change[]) => answered(saving.signal, () => saveInTime(backend, all, tries));
  const whole = await attempt([...folds, ...changes]);
  const isFoldsFault = whole.kind === 'failed' && whole.reason === 'error' && folds.length > 0;
  return isFoldsFault ? await attempt(changes) : whole;
}

interface Tries extends KnowingSaving {
  /** The version that the save found at first. */
  first: MemoryTree | undefined;
  readonly lost: LostCommit[];
  isAsideRefused: boolean;
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
  let conflicts = 0;
  let aside: Committed | undefined;
  let known = knownOf(tries, paths);
  for (;;) {
    if (signal.aborted) return stopped();
    // Nearly always nobody has saved since, and what was restored need not be read again; the commit says so if they have.
    const isKnown = known !== undefined;
    const newest = known ?? (await backend.read(signal, paths));
    known = undefined;
    if (newest.kind === 'unreadable') {
      const end = await patience.after(newest);
      if (end !== undefined) return end;
      continue;
    }
    tries.first ??= newest.tree;
    const versions = { base: tries.first, newest: newest.tree };
    const open = stillOpen(changes, newest, lost);
    const next = keepOtherSide(open, versions);
    // What is there already may have been taken away since.
    if (isKnown && isSame(next, newest.tree)) continue;
    if (isSame(next, newest.tree) && (newest.unsettled !== true || (aside && newest.mayWait === true))) {
      const notices = newest.unsettled === true ? (aside?.notices ?? []) : [];
      return saved(backend, { version: newest.version, path, attempts: patience.attempts(), notices });
    }
    // It was put aside, and readers do not find it there.
    if (aside !== undefined) tries.isAsideRefused = true;
    const parts = { newest, open, next };
    const result = await commit(backend, parts, tries);
    if (result.kind === 'committed') {
      return saved(backend, { ...result, path, attempts: patience.attempts() });
    }
    if (result.kind === 'conflict' && isKnown) continue;
    if (result.kind === 'conflict') conflicts += 1;
    const isLimited = result.kind === 'failed' && result.reason === 'rate-limited';
    if (isLimited || conflicts < MOST_CONFLICTS) {
      const end = await patience.after(result);
      if (end !== undefined) return end;
      if (!isLimited || signal.aborted) continue;
    }
    // Whoever has waited for a limit has one request to make, and must not lose it to a race.
    let apart = await setAside(backend, parts, tries);
    while (apart?.kind === 'failed' && !signal.aborted) {
      const end = await patience.after(apart);
      if (end !== undefined) return end;
      apart = await setAside(backend, parts, tries);
    }
    if (apart?.kind === 'committed') {
      aside = apart;
      continue;
    }
    const end = apart === undefined && isLimited ? undefined : await patience.after(apart ?? result);
    if (end !== undefined) return end;
  }
}

/** What was read before, where it holds all that the save looks at; once, since what it says of others is old then. */
function knownOf(tries: Tries, paths: readonly string[]): Snapshot | undefined {
  const { known } = tries;
  return known !== undefined &&
    tries.first === undefined &&
    paths.every((path) => isUnder(path, known.requested))
    ? known.snapshot
    : undefined;
}

async function commit(
  backend: TreeBackend,
  { newest, next }: SaveParts,
  { signal, patience, lost }: Tries,
): Promise<CommitResult> {
  patience.attempt();
  // Whoever throws says nothing of what arrived.
  lost.push({ from: newest, made: next });
  const result = await backend.commit(newest, next, signal);
  if (result.kind !== 'unknown') lost.pop();
  return result;
}

/** Two who save at once are best served by a second try; of many, most would lose that one too. */
const MOST_CONFLICTS = 2;

/**
 * Undefined if the backend has no place for it, or if folding it in later would not give what saving it gives. Whoever was
 * refused once does without.
 */
async function setAside(
  backend: TreeBackend,
  { newest, open, next }: SaveParts,
  tries: Tries,
): Promise<CommitResult | undefined> {
  const { signal, patience, isAsideRefused } = tries;
  if (backend.setAside === undefined || isAsideRefused) return undefined;
  const added = addedFiles(open, { before: newest.tree, after: next });
  if (added === undefined) return undefined;
  patience.attempt();
  const result = await backend.setAside(newest, added, signal);
  if (result.kind === 'conflict') return undefined;
  tries.isAsideRefused = result.kind === 'failed' && result.reason !== 'rate-limited';
  return tries.isAsideRefused ? undefined : result;
}

type Committed = Extract<CommitResult, { readonly kind: 'committed' }>;

interface SaveParts {
  readonly newest: Snapshot;
  readonly open: readonly Change[];
  readonly next: MemoryTree;
}

/** To drop a history that is gone already does no harm, so it is simply done again. */
async function dropInTime(
  backend: TreeBackend,
  dropHistory: (signal: AbortSignal) => Promise<CommitResult>,
  { signal, patience }: Saving,
): Promise<SaveResult> {
  for (;;) {
    if (signal.aborted) return stopped();
    patience.attempt();
    const result = await dropHistory(signal);
    if (result.kind === 'committed')
      return saved(backend, { ...result, path: '', attempts: patience.attempts() });
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
