import type { Snapshot, TreeBackend, Unreadable } from './backend.js';

/** A version that was the newest when it was read, and the places that were asked for. */
export interface Known {
  readonly snapshot: Snapshot;
  readonly requested: readonly string[];
}

/** What a store read of its backend: before it was asked for, and last. */
interface Latest {
  /** The backend, whose reads are noted. */
  readonly noted: TreeBackend;
  /** Begins to read these places. The next read waits for it, and is answered by it if it is for the same places. */
  readAhead(requested: readonly string[], signal: AbortSignal): void;
  /** What was read last, which a save can be tried on; once, since what is saved makes it old. */
  take(): Known | undefined;
}

/** A reading that nobody has asked for yet. */
interface Ahead {
  readonly requested: readonly string[];
  readonly found: Promise<Snapshot | Unreadable>;
}

/** The backend of a store with what was read of it. */
export function createLatest(backend: TreeBackend): Latest {
  let known: Known | undefined;
  let ahead: Ahead | undefined;
  return {
    noted: {
      ...backend,
      async read(signal, requested) {
        const begun = ahead;
        ahead = undefined;
        const found = await answerOf(begun, { backend, requested, signal });
        const isUsable = backend.triesRestored === true && requested !== 'all';
        known =
          isUsable && found.kind === 'snapshot' && found.unsettled !== true
            ? { snapshot: found, requested }
            : undefined;
        return found;
      },
    },
    readAhead(requested, signal) {
      const found = backend.read(signal, requested);
      // It is reported to whoever comes to ask, and to nobody if nobody does.
      found.catch(() => undefined);
      ahead = { requested, found };
    },
    take() {
      const taken = known;
      known = undefined;
      return taken;
    },
  };
}

interface Asked {
  readonly backend: TreeBackend;
  readonly requested: readonly string[] | 'all';
  readonly signal: AbortSignal;
}

/** What is under way ends first in any case: a backend may keep files in one place while it reads. */
async function answerOf(
  begun: Ahead | undefined,
  { backend, requested, signal }: Asked,
): Promise<Snapshot | Unreadable> {
  if (begun === undefined) return await backend.read(signal, requested);
  if (requested !== 'all' && isSame(begun.requested, requested)) return await begun.found;
  await begun.found.catch(() => undefined);
  return await backend.read(signal, requested);
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((place, index) => place === right[index]);
}
