import type { MemoryTree } from '../../../src/memory/change.js';
import type { FailedSave } from '../../../src/memory/store.js';
import type {
  CommitResult,
  TreeBackend,
  TreeSnapshot,
} from '../../../src/memory/stores/tree-store.js';

/** What a call may be made to do instead, or before. */
export interface BackendFaults {
  readonly read?: () => FailedSave | undefined;
  /**
   * An outcome other than `unknown` replaces the commit; `unknown` loses its answer after it was
   * made.
   */
  readonly commit?: () => CommitResult | undefined;
  readonly step?: (operation: string) => Promise<void>;
}

/** A place that replaces a tree only if the caller knows its newest version. */
export interface FakeRemote {
  tree: MemoryTree;
  version: number;
  /** Ids of what was saved. */
  readonly saved: Set<string>;
  backend(faults?: BackendFaults): TreeBackend;
}

/** An empty tree. */
export function createFakeRemote(): FakeRemote {
  const remote: FakeRemote = {
    tree: new Map(),
    version: 0,
    saved: new Set(),
    backend: (faults = {}) => ({
      kind: 'branch',
      placeOf: (version, path) => ({ location: `fake ${version} ${path}` }),
      read: async (_signal, _paths, since): Promise<TreeSnapshot | FailedSave> => {
        await faults.step?.('read');
        const { tree, version } = remote;
        return (
          faults.read?.() ?? {
            kind: 'snapshot',
            tree,
            version: String(version),
            warnings: [],
            ...(since === undefined ? {} : { saved: new Set(remote.saved) }),
          }
        );
      },
      commit: async (snapshot, { tree, ids }): Promise<CommitResult> => {
        await faults.step?.('commit');
        const fault = faults.commit?.();
        if (fault !== undefined && fault.kind !== 'unknown') return fault;
        if (snapshot.version !== String(remote.version)) return fault ?? { kind: 'conflict' };
        remote.tree = new Map(
          [...new Map([...snapshot.tree, ...tree])].filter(([, text]) => text !== ''),
        );
        remote.version += 1;
        for (const id of ids) remote.saved.add(id);
        await faults.step?.('answer');
        return fault ?? { kind: 'committed', version: String(remote.version) };
      },
    }),
  };
  return remote;
}
