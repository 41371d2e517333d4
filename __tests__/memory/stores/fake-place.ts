import type { MemoryTree } from '../../../src/memory/change.js';
import type { MemoryStore } from '../../../src/memory/store.js';
import type { CommitResult, Snapshot, TreeBackend, Unreadable } from '../../../src/memory/stores/backend.js';
import { createTreeStore } from '../../../src/memory/stores/store.js';
import { isUnder } from '../../../src/memory/stores/tree-path.js';
import { createFakeClock } from './fake-clock.js';

/** What a place answers instead, or what happens before it answers. */
export interface PlaceFaults {
  readonly read?: () => Unreadable | undefined;
  /** Anything but `unknown` replaces the commit; `unknown` loses its answer after it was made. */
  readonly commit?: () => CommitResult | undefined;
  readonly step?: () => Promise<void>;
}

/** A place of memory that runs open stores over; it gives no more files than it is asked for. */
export interface FakePlace {
  tree: MemoryTree;
  /** Commits made so far. */
  version: number;
  /** The paths of every read. */
  readonly reads: (readonly string[] | 'all')[];
  open(faults?: PlaceFaults): MemoryStore;
}

/** A place of a kind with these files. */
export function createFakePlace(
  kind: TreeBackend['kind'],
  files: Readonly<Record<string, string>> = {},
): FakePlace {
  const saved = new Set<string>();
  const place: FakePlace = {
    tree: new Map(Object.entries(files)),
    version: 0,
    reads: [],
    open: (faults = {}) => createTreeStore(backend(faults), { clock: createFakeClock(), budgetMs: 90_000 }),
  };
  return place;

  function backend(faults: PlaceFaults): TreeBackend {
    return {
      kind,
      async read(_signal, paths, since): Promise<Snapshot | Unreadable> {
        place.reads.push(paths);
        await faults.step?.();
        const isAsked = (path: string) => paths === 'all' || isUnder(path, paths);
        const tree = new Map([...place.tree].filter(([path]) => isAsked(path)));
        const version = String(place.version);
        return (
          faults.read?.() ?? {
            kind: 'snapshot',
            tree,
            version,
            warnings: [],
            ...(since === undefined ? {} : { saved: new Set(saved) }),
          }
        );
      },
      async commit(snapshot, { tree, ids }): Promise<CommitResult> {
        await faults.step?.();
        const fault = faults.commit?.();
        if (fault !== undefined && fault.kind !== 'unknown') return fault;
        if (snapshot.version !== String(place.version)) return { kind: 'conflict' };
        place.tree = new Map([...new Map([...place.tree, ...tree])].filter(([, text]) => text !== ''));
        place.version += 1;
        for (const id of ids) saved.add(id);
        await faults.step?.();
        return fault ?? { kind: 'committed', version: String(place.version) };
      },
      placeOf: (version, path) => ({
        location: `${kind}@${version || '?'}`,
        ...(kind === 'branch' && path !== ''
          ? { url: `https://github.com/octocat/hello/blob/axe-memory/${path}` }
          : {}),
      }),
      dropHistory: async () => ({ kind: 'committed', version: `${kind} anew` }),
    };
  }
}

/** How the service behind a place is; `flaky` fails some reads and commits and loses some answers. */
export type Weather = (typeof WEATHER)[number];

/** Fine more often than each of the others. */
export const WEATHER = ['fine', 'fine', 'denied', 'unreadable', 'flaky'] as const;

/** Every answer takes its time, so that runs meet. */
export function faultsOf(weather: Weather, random: () => number): PlaceFaults {
  const step = async () => {
    for (let turns = Math.floor(random() * 6); turns > 0; turns -= 1) await Promise.resolve();
  };
  const isBad = () => weather === 'flaky' && random() < 0.35;
  return {
    step,
    read: () =>
      weather === 'unreadable' || isBad()
        ? { kind: 'unreadable', reason: 'error', message: 'answered 502' }
        : undefined,
    commit: () => {
      if (weather === 'denied') return { kind: 'failed', reason: 'denied', message: 'read-only' };
      if (isBad()) return { kind: 'failed', reason: 'error', message: 'answered 500' };
      return isBad() ? { kind: 'unknown', message: 'connection reset' } : undefined;
    },
  };
}
