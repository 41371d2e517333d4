import { isRunLog } from '../../../core/memory/merge.js';
import { isNotesPath } from '../../../core/memory/notes/place.js';
import { isStatePath } from '../../../core/memory/state.js';
import { type MemoryTree, mergeTrees } from '../../../core/memory/tree.js';
import { type SkippedVersions, unreleased } from './skipped-versions.js';
import type { ChainFailure, Version, VersionChain } from './version-chain.js';

/** All that a lineage holds. */
export interface ChainReading {
  readonly kind: 'reading';
  readonly newest: Version;
  /** That of the newest version, with what came to light of those that were passed over. */
  readonly tree: MemoryTree;
  /** Versions that were passed over and may still come to light. */
  readonly open: SkippedVersions;
  /** Versions that came to light and are in `tree`. */
  readonly late: readonly Version[];
}

/** What a lineage is read with. */
export interface VersionChainRequest {
  /** What was read before: its versions are not read again, since none ever changes. */
  readonly before: ChainReading | undefined;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** Reads the newest version, and each that it passed over and that can be read by now. */
export async function readVersionChain(
  versionChain: VersionChain,
  { before, now, signal }: VersionChainRequest,
): Promise<ChainReading | ChainFailure> {
  const newest = await versionChain.newest(before?.newest, signal);
  if (newest.kind === 'trouble') return newest;
  const late: Version[] = [];
  const open = new Map(unreleased(newest.skippedVersions, now));
  for (const number of [...open.keys()]) {
    const version =
      before?.late.find((one) => one.number === number) ?? (await versionChain.at(number, signal));
    if (version.kind === 'trouble') return version;
    if (version.number !== number) continue;
    late.push(version);
    open.delete(number);
  }
  const tree = late.reduce((sum, version) => foldIn(sum, version.tree), newest.tree);
  return { kind: 'reading', newest, tree, open, late };
}

/** Entries, facts and notes are united; of anything else the newest counts, and the other is kept beside it (D12). */
function foldIn(tree: MemoryTree, late: MemoryTree): MemoryTree {
  const merged = new Map(mergeTrees(tree, late));
  for (const [path, text] of late) {
    const kept = merged.get(path) ?? '';
    const isLog = isRunLog(text) || isRunLog(kept);
    const isUnited = isStatePath(path) || path.endsWith('.bak') || isNotesPath(path) || isLog;
    if (!isUnited && !kept.includes(text) && !merged.has(`${path}.bak`)) merged.set(`${path}.bak`, text);
  }
  return merged;
}
