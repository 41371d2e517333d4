import type { Clock } from '../../../core/clock.js';
import { SAVE_BUDGET_MS } from '../../../core/defaults.js';
import type { BranchCommit, MemoryBranch } from '../../branch.js';
import type { MemoryTree } from '../../change.js';
import { isNotesPath } from '../../notes/place.js';
import type { MemoryStore } from '../../store.js';
import type { CommitResult, Snapshot, TreeBackend, Unreadable } from '../backend.js';
import { createTreeStore } from '../store.js';
import { createBranchFolder, type RefusedFile, refusedWarning } from './branch-folder.js';
import { type CommitCause, commitMessage, savedLines, withTrailers } from './commit-message.js';

/** What the branch store works with. */
interface BranchStoreOptions {
  readonly branch: MemoryBranch;
  /** Folder on the branch that the tree's paths count from; empty for its top. */
  readonly folder: string;
  readonly clock: Clock;
  /** Whether the branch is created where it is missing. */
  readonly mayCreate: boolean;
  /** Whether other things than memory are on the branch too, so that its history is not ours to drop. */
  readonly isShared?: boolean;
  /** The run that writes, for the messages of commits. */
  readonly cause?: CommitCause;
  /** Writes a line for whoever waits meanwhile. */
  readonly log?: (line: string) => void;
}

/** Memory on a branch of a repository. Throws a ConfigError for a folder that leads out of the branch. */
export function createRepoStore(options: BranchStoreOptions): MemoryStore {
  const { clock, log } = options;
  const own = { clock, budgetMs: SAVE_BUDGET_MS.branch, ...(log === undefined ? {} : { log }) };
  return createTreeStore(createBranchBackend(options), own);
}

/** What is known of a snapshot besides its tree. */
interface Reading {
  readonly paths: readonly string[];
  readonly isPublic: boolean;
  /** What is no file of memory. */
  readonly refused: readonly RefusedFile[];
}

/**
 * A folder of a branch as a tree with versions: the commit id is the version, and moving the branch from one to the next
 * is the compare-and-swap (D13). One commit per save; its message names the ids of what it saves.
 */
function createBranchBackend(options: BranchStoreOptions): TreeBackend {
  const { branch, clock, mayCreate, isShared = false, cause } = options;
  const folder = createBranchFolder(branch, options.folder);
  const readings = new WeakMap<Snapshot, Reading>();
  return { kind: 'branch', read, commit, placeOf: folder.placeOf, dropHistory };

  async function read(
    signal: AbortSignal,
    requested: readonly string[] | 'all',
    since?: Date,
  ): Promise<Snapshot | Unreadable> {
    const found =
      requested === 'all' ? await folder.readAll(signal) : await folder.read(requested, signal, since);
    if (found.kind === 'failed') return { ...found, kind: 'unreadable' };
    const { tree, head: version, isPublic, refused, saved } = found;
    const [blocked] = refused;
    const left = refused.filter(({ isTooMuch }) => isTooMuch).map(({ path }) => path);
    // A note that is none is left out, and is not written in its place.
    const blockedNotes = refused
      .filter(({ path, isTooMuch }) => isNotesPath(path) && !isTooMuch)
      .map((file) => ({ ...inTheWay(file), path: file.path, reason: 'refused' as const }));
    const inWay = refused.find(
      ({ path }) =>
        requested !== 'all' && requested.includes(path) && !isNotesPath(path) && !path.endsWith('/'),
    );
    if (inWay !== undefined) return { ...inTheWay(inWay), kind: 'unreadable' };
    const exact = requested === 'all' ? [] : requested.filter((path) => !path.endsWith('/'));
    const snapshot: Snapshot = {
      kind: 'snapshot',
      tree,
      version,
      warnings: blocked === undefined ? [] : [refusedWarning(refused, branch.name)],
      ...(saved === undefined ? {} : { saved }),
      ...(left.length === 0 ? {} : { left }),
      ...(blockedNotes.length === 0 ? {} : { blocked: blockedNotes }),
    };
    readings.set(snapshot, { paths: [...new Set([...exact, ...tree.keys()])], isPublic, refused });
    return snapshot;
  }

  async function commit(
    snapshot: Snapshot,
    { tree, ids }: { readonly tree: MemoryTree; readonly ids: readonly string[] },
    signal: AbortSignal,
  ): Promise<CommitResult> {
    const { version: head, tree: before } = snapshot;
    const { paths, isPublic, refused } = readings.get(snapshot) ?? {
      paths: [],
      isPublic: false,
      refused: [],
    };
    const changed = new Map([...tree].filter(([path, text]) => text !== (before.get(path) ?? '')));
    if (changed.size === 0) return { kind: 'committed', version: head };
    if (head === '' && !mayCreate) return missing(branch);
    const inWay = refused.find(({ path }) => changed.has(path));
    if (inWay !== undefined) return { ...inTheWay(inWay), kind: 'failed' };
    const notRead = [...changed.keys()].filter((path) => !paths.includes(path) && !before.has(path));
    const obstacle = await look(notRead, head, signal);
    if (obstacle !== undefined) return obstacle;
    const [gone, written] = partition(changed, before);
    const change = {
      files: folder.fromTop(written),
      removed: [...folder.fromTop(gone).keys()],
      message: commitMessage([...changed.keys()], ids, cause),
    };
    const result =
      head === '' ? await branch.create(change, signal) : await branch.commit(head, change, signal);
    return fromBranch(result, head === '' ? [createdNotice(branch, isPublic)] : []);
  }

  /** A backup is written to a place that nobody looked at: what stands there may be no file of memory. */
  async function look(
    paths: readonly string[],
    head: string,
    signal: AbortSignal,
  ): Promise<CommitResult | undefined> {
    if (paths.length === 0 || head === '') return undefined;
    const found = await folder.read(paths, signal);
    if (found.kind === 'failed') return found;
    const [blocked] = found.refused;
    if (blocked !== undefined) return { ...inTheWay(blocked), kind: 'failed' };
    return found.head === head ? undefined : { kind: 'conflict' };
  }

  function inTheWay({ path, reason }: RefusedFile): Omit<Unreadable, 'kind'> {
    return {
      reason: 'error',
      message: `\`${folder.placeOf('', path).location}\` is not a memory file: ${reason}`,
      remedy: 'Put a plain text file in its place, or remove it; it is never overwritten.',
    };
  }

  async function dropHistory(signal: AbortSignal): Promise<CommitResult> {
    if (isShared) return sharedHistory(branch);
    const found = await branch.read([], signal, new Date(clock.now().getTime() - DAY_MS));
    if (found.kind === 'failed') return found;
    if (found.kind === 'missing') return { kind: 'committed', version: '' };
    const message = withTrailers(SQUASH_MESSAGE, savedLines([...(found.saved ?? [])]));
    return fromBranch(await branch.squash(found.head, message, signal), []);
  }
}

/** Files that go, since nothing is left of them, and those that are written. */
function partition(
  changed: MemoryTree,
  before: MemoryTree,
): readonly [gone: MemoryTree, written: MemoryTree] {
  const isRemoved = ([path, text]: readonly [string, string]): boolean => text === '' && before.has(path);
  const files = [...changed];
  return [new Map(files.filter(isRemoved)), new Map(files.filter((file) => !isRemoved(file)))];
}

/** Whoever got no answer asks on the same day. */
const DAY_MS = 24 * 60 * 60_000;

const SQUASH_MESSAGE = 'Keep memory without its history [skip ci]';

function fromBranch(result: BranchCommit, notices: readonly string[]): CommitResult {
  switch (result.kind) {
    case 'committed':
      return { kind: 'committed', version: result.head, ...(notices.length === 0 ? {} : { notices }) };
    case 'stale':
      return { kind: 'conflict' };
    case 'unknown':
    case 'failed':
      return result;
  }
}

function missing({ name }: MemoryBranch): CommitResult {
  return {
    kind: 'failed',
    reason: 'unavailable',
    message: `there is no branch \`${name}\``,
    remedy: 'Create it, or name one that exists with `memory-branch`.',
  };
}

function sharedHistory({ name }: MemoryBranch): CommitResult {
  return {
    kind: 'failed',
    reason: 'error',
    message: `\`${name}\` holds other things than memory, and their history would go with it`,
    remedy:
      'Keep memory on a branch of its own (`memory-branch: axe-memory`), or rewrite the history with `git filter-repo`.',
  };
}

function createdNotice({ name }: MemoryBranch, isPublic: boolean): string {
  const created = `The branch \`${name}\` was created to keep memory.`;
  if (!isPublic) return created;
  return `${created} The repository is public, so everybody can read what is remembered there; \`memory-repo\` can name a private one.`;
}
