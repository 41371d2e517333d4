import type { BranchGrowth, BranchTrouble, MemoryBranch } from '../../../core/memory/branch.js';
import { isSameTree, type MemoryTree, mergeTrees } from '../../../core/memory/tree.js';

/** What a run has read of a branch, so that a branch that is deleted or force-pushed meanwhile takes none of it along. */
export interface SeenFiles {
  /** The files as they are to be used: as they stand at the head, and with what is not to be lost. */
  defer(newest: FilesAtHead, signal: AbortSignal): Promise<MergedSeen | BranchTrouble>;
  /** These files stand at this head now. */
  committed(files: FilesAtHead): void;
}

/** What stands at some paths of a branch. */
export interface FilesAtHead {
  /** Paths that were looked at; those that are not in `tree` do not exist. */
  readonly paths: readonly string[];
  readonly tree: MemoryTree;
  /** Newest commit; empty where there is no branch. */
  readonly head: string;
}

/** Files with all that has to be kept of them. */
export interface MergedSeen {
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
export function createSeenFiles(branch: Pick<MemoryBranch, 'growth'>): SeenFiles {
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
