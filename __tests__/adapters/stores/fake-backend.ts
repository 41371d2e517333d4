import type {
  CommitResult,
  Snapshot,
  TreeBackend,
  Unreadable,
} from '../../../src/adapters/stores/backend.js';
import type { MemoryTree } from '../../../src/core/memory/tree.js';

/** What a call may be made to do instead, or before. */
export interface BackendFaults {
  readonly read?: () => Unreadable | undefined;
  /** An outcome other than `unknown` replaces the commit; `unknown` loses its answer after it was made. */
  readonly commit?: () => CommitResult | undefined;
  readonly step?: (operation: string) => Promise<void>;
}

/** A place that replaces a tree only if the caller knows its newest version. */
export interface FakeRemote {
  tree: MemoryTree;
  version: number;
  backend(faults?: BackendFaults): TreeBackend;
}

/** An empty tree. */
export function createFakeRemote(): FakeRemote {
  const remote: FakeRemote = {
    tree: new Map(),
    version: 0,
    backend: (faults = {}) => ({
      kind: 'repo',
      placeOf: (version, path) => ({ location: `fake ${version} ${path}` }),
      read: async (): Promise<Snapshot | Unreadable> => {
        await faults.step?.('read');
        const { tree, version } = remote;
        return (
          faults.read?.() ?? {
            kind: 'snapshot',
            tree,
            version: String(version),
            warnings: [],
          }
        );
      },
      commit: async (snapshot, tree): Promise<CommitResult> => {
        await faults.step?.('commit');
        const fault = faults.commit?.();
        if (fault !== undefined && fault.kind !== 'unknown') return fault;
        if (snapshot.version !== String(remote.version)) return fault ?? { kind: 'conflict' };
        remote.tree = new Map([...new Map([...snapshot.tree, ...tree])].filter(([, text]) => text !== ''));
        remote.version += 1;
        await faults.step?.('answer');
        return fault ?? { kind: 'committed', version: String(remote.version) };
      },
    }),
  };
  return remote;
}
