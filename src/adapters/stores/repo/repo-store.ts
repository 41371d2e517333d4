import type { Clock } from '../../../core/clock.js';
import { SAVE_BUDGET_MS } from '../../../core/defaults.js';
import type {
  BranchCommit,
  BranchGrowth,
  BranchTrouble,
  MemoryBranch,
  PendingSave,
  PendingSaves,
} from '../../../core/memory/branch.js';
import { isNotesPath } from '../../../core/memory/notes/place.js';
import { isSameTree, type MemoryTree, mergeTrees } from '../../../core/memory/tree.js';
import type { Warning } from '../../../core/warning.js';
import { foldAdded } from '../added-files.js';
import type { CommitResult, Snapshot, TreeBackend, Unreadable } from '../backend.js';
import { createTreeStore, type TreeStore } from '../store.js';
import { isUnder } from '../tree-path.js';
import { createBranchFolder, type FolderPending, type RefusedFile, refusedWarning } from './branch-folder.js';
import { type CommitCause, commitMessage } from './commit-message.js';

/** What the repo store's backend works with. */
interface RepoBackendOptions {
  readonly branch: MemoryBranch;
  /** Folder on the branch that the tree's paths count from; empty for its top. */
  readonly folder: string;
  /** Whether the branch is created where it is missing. */
  readonly mayCreate: boolean;
  /** Whether other things than memory are on the branch too, so that its history is not ours to drop. */
  readonly isShared?: boolean;
  /** Whether so many save to the branch that what a run has restored is old when it ends. */
  readonly isBusy?: boolean;
  /** The run that writes, for the messages of commits. */
  readonly cause?: CommitCause;
  /** A new unique id. */
  readonly newId: () => string;
}

/** What the repo store works with. */
interface RepoStoreOptions extends Omit<RepoBackendOptions, 'newId'> {
  readonly clock: Clock;
  /** How long a save may take, in milliseconds. */
  readonly budgetMs?: number;
  /** Writes a line for whoever waits meanwhile. */
  readonly log?: (line: string) => void;
}

/** Memory on a branch of a repository. Throws a ConfigError for a folder that leads out of the branch. */
export function createRepoStore(options: RepoStoreOptions): TreeStore {
  return createTreeStore(createRepoBackend({ ...options, newId: () => options.clock.newId() }), {
    clock: options.clock,
    budgetMs: options.budgetMs ?? SAVE_BUDGET_MS.repo,
    ...(options.log === undefined ? {} : { log: options.log }),
  });
}

/** What is known of a snapshot besides its tree. */
interface Reading {
  /** What is on the branch. */
  readonly tree: MemoryTree;
  readonly paths: readonly string[];
  readonly isPublic: boolean;
  /** What is no file of memory. */
  readonly refused: readonly RefusedFile[];
  /** Whether the snapshot holds what a force push took away. */
  readonly isRescued: boolean;
  /** Saves that others put aside and that are in the snapshot, with all of their files. */
  readonly pending: readonly PendingSave[];
}

/**
 * A folder of a branch as a tree with versions: the commit id is the version, and moving the branch from one to the next
 * is the compare-and-swap (D13). One commit per change in the common case, to the version that was restored. What a run has read is not lost
 * when the branch is deleted or force-pushed under it.
 */
function createRepoBackend(options: RepoBackendOptions): TreeBackend {
  const { branch, mayCreate, isShared = false, isBusy = false, cause, newId } = options;
  const folder = createBranchFolder(branch, options.folder);
  const seen = createSeenFiles(branch);
  const readings = new WeakMap<Snapshot, Reading>();
  /** What others put aside could not be committed: it must never cost a run its own entry. */
  let isPendingRefused = false;
  return {
    kind: 'repo',
    triesRestored: !isBusy,
    read,
    commit,
    placeOf: folder.placeOf,
    dropHistory,
    ...(branch.pendingSaves === undefined ? {} : { setAside: asideIn(branch.pendingSaves) }),
  };

  async function read(
    signal: AbortSignal,
    requested: readonly string[] | 'all',
  ): Promise<Snapshot | Unreadable> {
    const found = requested === 'all' ? await folder.readAll(signal) : await folder.read(requested, signal);
    if (found.kind === 'failed') return unreadable(found);
    const { tree, head: version, isPublic, refused } = found;
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
    const paths = [...new Set([...exact, ...tree.keys()])];
    const settled = await seen.defer({ paths, tree, head: version }, signal);
    if (settled.kind === 'failed') return unreadable(settled);
    const saves = isPendingRefused ? [] : found.pending;
    const all = foldPending(settled.tree, saves, { requested, paths });
    const snapshot: Snapshot = {
      kind: 'snapshot',
      tree: all.tree,
      version,
      warnings: [
        ...(blocked === undefined ? [] : [refusedWarning(refused, branch.name)]),
        ...(settled.isRescued ? [rescuedWarning(branch)] : []),
      ],
      ...(left.length === 0 ? {} : { left }),
      ...(blockedNotes.length === 0 ? {} : { blocked: blockedNotes }),
      unsettled: settled.isRescued || !isSameTree(all.tree, settled.tree),
      mayWait: !settled.isRescued,
    };
    const { isRescued } = settled;
    readings.set(snapshot, { tree, paths, isPublic, refused, isRescued, pending: all.whole });
    return snapshot;
  }

  async function commit(snapshot: Snapshot, tree: MemoryTree, signal: AbortSignal): Promise<CommitResult> {
    const { version: head } = snapshot;
    const reading = readings.get(snapshot) ?? {
      tree: snapshot.tree,
      paths: [],
      isPublic: false,
      refused: [],
      isRescued: false,
      pending: [],
    };
    const changed = new Map([...tree].filter(([path, text]) => text !== (reading.tree.get(path) ?? '')));
    if (changed.size === 0) return { kind: 'committed', version: head };
    if (head === '' && !mayCreate) return missing(branch);
    const refused = reading.refused.find(({ path }) => changed.has(path));
    if (refused !== undefined) return { ...inTheWay(refused), kind: 'failed' };
    const notRead = [...changed.keys()].filter(
      (path) => !reading.paths.includes(path) && !reading.tree.has(path),
    );
    const obstacle = await look(notRead, head, signal);
    if (obstacle !== undefined) return obstacle;
    const [gone, written] = partition(changed, reading.tree);
    const change = {
      files: folder.fromTop(written),
      removed: [...folder.fromTop(gone).keys()],
      message: commitMessage([...changed.keys()], cause, reading.pending.length),
    };
    const result =
      head === '' ? await branch.create(change, signal) : await branch.commit(head, change, signal);
    if (result.kind === 'committed') {
      seen.committed({ paths: [...reading.paths, ...notRead], tree: withoutEmpty(tree), head: result.head });
      if (reading.pending.length > 0) await tidyUp(reading.pending, signal);
    }
    if (result.kind === 'failed' && result.reason === 'error' && reading.pending.length > 0) {
      isPendingRefused = true;
      return { kind: 'conflict' };
    }
    return fromBranch(result, [
      ...(head === '' ? [createdNotice(branch, reading.isPublic)] : []),
      ...(reading.isRescued ? [rescuedWarning(branch).message] : []),
    ]);
  }

  /** The save is done, whatever becomes of this: what is left over is folded in again and adds nothing. */
  async function tidyUp(pending: readonly PendingSave[], signal: AbortSignal): Promise<void> {
    try {
      await branch.pendingSaves?.remove(pending, signal);
    } catch (thrown) {
      if (!signal.aborted) throw thrown;
    }
  }

  function asideIn(saves: PendingSaves): NonNullable<TreeBackend['setAside']> {
    return async (snapshot, added, signal) => {
      const { version } = snapshot;
      // What was rescued is no part of what the run adds, and has to be committed.
      if (version === '' || readings.get(snapshot)?.isRescued !== false) return { kind: 'conflict' };
      const id = newId();
      const message = commitMessage([...added.keys()], cause);
      const save = { id, at: version, files: folder.fromTop(added), message };
      const result = await saves.add(save, signal);
      return result.kind === 'committed'
        ? { kind: 'committed', version, notices: [asideNotice(branch, id)] }
        : fromBranch(result, []);
    };
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
    const found = await branch.read([], signal);
    if (found.kind === 'failed') return found;
    if (found.kind === 'missing') return { kind: 'committed', version: '' };
    return fromBranch(await branch.squash(found.head, SQUASH_MESSAGE, signal), []);
  }
}

/** The tree with what runs put aside of the files that were read, and the saves of which nothing is missing in it. */
function foldPending(
  settled: MemoryTree,
  pending: readonly FolderPending[],
  { requested, paths }: { readonly requested: readonly string[] | 'all'; readonly paths: readonly string[] },
): { readonly tree: MemoryTree; readonly whole: readonly PendingSave[] } {
  let tree = settled;
  const whole: PendingSave[] = [];
  for (const { save, tree: added, isWhole } of pending) {
    const read = [...added].filter(
      ([path]) => requested === 'all' || paths.includes(path) || isUnder(path, requested),
    );
    if (read.length > 0) tree = foldAdded(tree, new Map(read));
    if (isWhole && read.length === added.size) whole.push(save);
  }
  return { tree, whole };
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

function withoutEmpty(tree: MemoryTree): MemoryTree {
  return new Map([...tree].filter(([, text]) => text !== ''));
}

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

function unreadable(trouble: BranchTrouble): Unreadable {
  return { ...trouble, kind: 'unreadable' };
}

function missing({ name }: MemoryBranch): CommitResult {
  return {
    kind: 'failed',
    reason: 'unavailable',
    message: `there is no branch \`${name}\``,
    remedy: 'Create it, or name one that exists: with `memory-branch`, or `--branch` of `push`.',
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

function rescuedWarning({ name }: MemoryBranch): Warning {
  const message = `\`${name}\` was deleted or force-pushed while this run was at work. What this run had read of its own files is kept; \`axe-action memory forget\` removes an entry for good.`;
  return { code: 'memory-store-notice', message };
}

function asideNotice({ name }: MemoryBranch, id: string): string {
  return `Many runs saved to \`${name}\` at the same time, so this save is on the branch \`${name.replace(/^.*@/, '')}-pending/${id}\`. Runs read it there, and the next one that saves to \`${name}\` folds it in and deletes that branch.`;
}

function createdNotice({ name }: MemoryBranch, isPublic: boolean): string {
  const created = `The branch \`${name}\` was created to keep memory.`;
  if (!isPublic) return created;
  return `${created} The repository is public, so everybody can read what is remembered there; \`memory-repo\` can name a private one.`;
}

/** What a run has read of a branch, so that a branch that is deleted or force-pushed meanwhile takes none of it along. */
interface SeenFiles {
  /** The files as they are to be used: as they stand at the head, and with what is not to be lost. */
  defer(newest: FilesAtHead, signal: AbortSignal): Promise<MergedSeen | BranchTrouble>;
  /** These files stand at this head now. */
  committed(files: FilesAtHead): void;
}

/** What stands at some paths of a branch. */
interface FilesAtHead {
  /** Paths that were looked at; those that are not in `tree` do not exist. */
  readonly paths: readonly string[];
  readonly tree: MemoryTree;
  /** Newest commit; empty where there is no branch. */
  readonly head: string;
}

/** Files with all that has to be kept of them. */
interface MergedSeen {
  readonly kind: 'settled';
  readonly tree: MemoryTree;
  /** Whether the tree holds something that was read before and is not on the branch any more. */
  readonly isRescued: boolean;
}

interface Seen {
  readonly head: string;
  readonly text: string;
}

/**
 * Remembers the files of a run by path. Where the branch only grew, its newest version counts: what is gone was trimmed,
 * forgotten or edited by somebody. Where it was replaced, what this run had read of the same files is merged in, and
 * what either side has forgotten stays forgotten (memory-and-security C3 51).
 */
function createSeenFiles(branch: Pick<MemoryBranch, 'growth'>): SeenFiles {
  const seen = new Map<string, Seen>();
  return {
    async defer(newest, signal) {
      const lost = missingIn(newest);
      for (const earlier of new Set([...lost.values()].map((file) => file.head))) {
        const answer = await growthSince(earlier, newest.head, signal);
        if (answer.kind === 'failed') return answer;
        if (answer.kind === 'replaced') continue;
        for (const [path, file] of lost) if (file.head === earlier) lost.delete(path);
      }
      note(newest);
      if (lost.size === 0) return { kind: 'settled', tree: newest.tree, isRescued: false };
      const tree = mergeTrees(newest.tree, textsOf(lost));
      // Until it is committed, what is lost is only here: it keeps the head at which it was read.
      for (const [path, { head }] of lost) seen.set(path, { head, text: tree.get(path) ?? '' });
      return { kind: 'settled', tree, isRescued: !isSameTree(tree, newest.tree) };
    },
    committed: note,
  };

  /** What was read of these files at other heads, if any of it is gone. */
  function missingIn({ paths, tree, head }: FilesAtHead): Map<string, Seen> {
    const earlier = new Map([...seen].filter(([path, file]) => paths.includes(path) && file.head !== head));
    const isAllThere = isSameTree(mergeTrees(tree, textsOf(earlier)), mergeTrees(tree, new Map()));
    return isAllThere ? new Map() : earlier;
  }

  async function growthSince(earlier: string, head: string, signal: AbortSignal): Promise<BranchGrowth> {
    if (head === '') return { kind: 'replaced' };
    return await branch.growth(earlier, head, signal);
  }

  function note({ paths, tree, head }: FilesAtHead): void {
    for (const path of paths) {
      const text = tree.get(path);
      if (text === undefined) seen.delete(path);
      else seen.set(path, { head, text });
    }
  }
}

function textsOf(files: ReadonlyMap<string, Seen>): MemoryTree {
  return new Map([...files].map(([path, { text }]) => [path, text]));
}
