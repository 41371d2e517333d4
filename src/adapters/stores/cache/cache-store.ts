import type { Clock } from '../../../core/clock.js';
import { SAVE_BUDGET_MS } from '../../../core/defaults.js';
import type { Files } from '../../../core/files.js';
import { isRunLog } from '../../../core/memory/merge.js';
import { isNotesPath } from '../../../core/memory/notes/place.js';
import { isStatePath } from '../../../core/memory/state.js';
import { isSameTree, type MemoryTree, mergeTrees } from '../../../core/memory/tree.js';
import { describeCause } from '../../../core/network-cause.js';
import { encodeBytes } from '../../../core/text/bytes.js';
import { grouped } from '../../../core/text/number.js';
import { timeLeftMs } from '../../../core/time-limit.js';
import type { CommitResult, Snapshot, TreeBackend, Unreadable } from '../backend.js';
import { createTreeStore, type TreeStore } from '../store.js';
import { notReadBack } from '../tree-on-disk.js';
import type { CacheClient } from './cache-client.js';
import { type CacheScope, cacheWriteRemedy, formatKey, keyPrefix } from './cache-key.js';
import { createContention } from './contention.js';
import {
  createReservations,
  SKIPPED_VERSIONS_FILE,
  type SkippedVersions,
  SLOW_SAVE_MS,
  unreleased,
  type Wait,
} from './reservations.js';
import {
  type ChainFailure,
  createVersionChain,
  SERVICE_REMEDY,
  type Version,
  type VersionChain,
} from './version-chain.js';

/** What the cache store works with. */
interface CacheStoreOptions {
  readonly cache: CacheClient;
  readonly files: Files;
  readonly clock: Clock;
  /** Absolute path of a folder directly in the workspace that is ours alone, for example `…/.axe-action-memory`. */
  readonly directory: string;
  /** Whose version chain this run writes; another than `trunk` also reads the default branch's. */
  readonly scope: CacheScope;
  readonly name: string;
  /** Writes a line for whoever waits meanwhile. */
  readonly log?: (line: string) => void;
  /** The event of the run; left out where there is none. */
  readonly event?: string;
}

const MAX_TREE_BYTES = 1024 * 1024;

/** How long a reservation is waited for without a word, in milliseconds. */
const SILENT_WAIT_MS = 3_000;

/** Memory in the Actions cache. Throws a ConfigError for a name that cannot be part of a key. */
export function createCacheStore(options: CacheStoreOptions): TreeStore {
  return createTreeStore(createCacheBackend(options), {
    clock: options.clock,
    budgetMs: SAVE_BUDGET_MS.cache,
  });
}

/**
 * The Actions cache as a tree with versions: keys are immutable and numbered, so that reserving the next number is
 * the compare-and-swap (D13). A version whose maker takes long is passed over after a minute; the next one names it,
 * and whoever reads looks for it. So an entry is lost only by eviction (D15). Once a read failed, nothing more is read
 * or written in this run: what looks like an empty cache could hide a history (D14).
 */
function createCacheBackend(options: CacheStoreOptions): TreeBackend {
  const { clock, scope, name, log } = options;
  const own = createVersionChain({ ...options, prefix: keyPrefix(scope, name) });
  const trunk =
    scope === 'trunk' ? undefined : createVersionChain({ ...options, prefix: keyPrefix('trunk', name) });
  const reservations = createReservations(clock);
  const contention = createContention(clock);
  const reported = new Set<number>();
  let reading: ChainReading | undefined;
  let trunkReading: ChainReading | undefined;
  let broken: Unreadable | undefined;
  return {
    kind: 'cache',
    read,
    commit,
    placeOf: (version) => ({ location: locationOf(own.prefix, Number(version)) }),
  };

  async function read(signal: AbortSignal): Promise<Snapshot | Unreadable> {
    if (broken !== undefined) return broken;
    const now = clock.now();
    const found = await readVersionChain(own, { before: reading, isFar: contention.isFar(), now, signal });
    if (found.kind === 'trouble') return giveUp(found);
    reading = found;
    contention.seen(found.newest.number);
    reservations.defer(found.newest.number);
    // The default branch's memory is read once: this run never writes it.
    if (trunk !== undefined && trunkReading === undefined) {
      const older = await readVersionChain(trunk, { before: undefined, isFar: false, now, signal });
      if (older.kind === 'trouble') return giveUp(older);
      trunkReading = older;
    }
    const { newest, tree, late } = found;
    return {
      kind: 'snapshot',
      tree: mergeTrees(tree, trunkReading?.tree ?? new Map()),
      version: String(newest.number),
      warnings: [newest, trunkReading?.newest, ...late].flatMap((version) => version?.warnings ?? []),
      unsettled: !isSameTree(tree, newest.tree),
    };
  }

  /** A rate limit says nothing of what is there, and passes. */
  function giveUp({ reason, message: cause, remedy, retryAfterMs }: ChainFailure): Unreadable {
    const message = `the Actions cache could not be read: ${cause}`;
    const why = { kind: 'unreadable', reason, message, ...(remedy === undefined ? {} : { remedy }) } as const;
    if (retryAfterMs !== undefined) return { ...why, retryAfterMs };
    broken = why;
    return why;
  }

  async function commit(snapshot: Snapshot, files: MemoryTree, signal: AbortSignal): Promise<CommitResult> {
    if (broken !== undefined) return { ...broken, kind: 'failed' };
    const tree = withoutEmpty(files);
    const trouble = checkTree(tree);
    if (trouble !== undefined) return { kind: 'failed', reason: 'error', ...trouble };
    const base = Number(snapshot.version);
    const number = reservations.nextFree(base + 1);
    if (number === undefined) formatWait(reservations.waitedFor(base + 1));
    if (reading?.newest.number !== base || number === undefined) return conflict(signal);
    const { isSure } = reading;
    const skippedVersions = new Map([...reading.open, ...reservations.skippedVersions()]);
    const startMs = clock.now().getTime();
    const result = await own.save(number, { tree, skippedVersions }, signal);
    const tookMs = clock.now().getTime() - startMs;
    const { kind } = result;
    switch (kind) {
      case 'saved': {
        const newest = { kind: 'version', number, tree, skippedVersions, warnings: [] } as const;
        reading = { kind: 'reading', newest, tree, open: skippedVersions, late: [], isSure: true };
        reservations.defer(number);
        contention.settled();
        return isSure && tookMs < SLOW_SAVE_MS
          ? { kind: 'committed', version: String(number) }
          : await defer(newest, signal);
      }
      case 'taken':
        if (reservations.taken(number) === 'passed-over') formatSkipped(number);
        contention.lost(tookMs);
        return conflict(signal);
      case 'denied':
        return {
          kind: 'failed',
          reason: kind,
          message: result.message,
          remedy: result.remedy ?? cacheWriteRemedy(options.event),
        };
      case 'given-up':
        broken = {
          kind: 'unreadable',
          reason: signal.aborted ? 'timeout' : 'error',
          message: result.message,
          remedy: SERVICE_REMEDY,
        };
        return { ...broken, kind: 'failed' };
      case 'error': {
        const message = `saving to the Actions cache failed: ${describeCause({ code: undefined, message: result.message })}`;
        return { kind: 'failed', reason: kind, message, remedy: SERVICE_REMEDY };
      }
      case 'rate-limited':
      case 'unavailable':
        return { ...result, kind: 'failed', reason: kind };
    }
  }

  /** Most of those who reserved a number are done at once, so only who takes longer is worth a line. */
  function formatWait(wait: Wait | undefined): void {
    if (
      log === undefined ||
      wait === undefined ||
      wait.waitedMs < SILENT_WAIT_MS ||
      reported.has(wait.number)
    )
      return;
    reported.add(wait.number);
    const seconds = Math.round(wait.leftMs / 1000);
    const key = locationOf(own.prefix, wait.number);
    log(
      `Memory: another run has reserved ${key} and has not finished saving it; waiting ${seconds} s more for it.`,
    );
  }

  function formatSkipped(number: number): void {
    const key = locationOf(own.prefix, number);
    log?.(
      `Memory: ${key} is still missing, so the run that reserved it has probably ended; continuing without it.`,
    );
  }

  function conflict(signal: AbortSignal): CommitResult {
    return { kind: 'conflict', waitMs: contention.waitMs(timeLeftMs(signal) ?? SAVE_BUDGET_MS.cache) };
  }

  /**
   * What was saved past a slow save named it, and holds nothing of it; nor does what was there above a version that was only
   * taken for the newest. The next round adds to that.
   */
  async function defer(saved: Version, signal: AbortSignal): Promise<CommitResult> {
    const newest = await own.newest(saved, signal);
    if (newest.kind === 'version' && newest.number > saved.number)
      return { kind: 'unknown', message: 'others were saved past it meanwhile' };
    return { kind: 'committed', version: String(saved.number) };
  }
}

/** What was deleted is left out, but a version with nothing in it would count as damaged. */
function withoutEmpty(tree: MemoryTree): MemoryTree {
  const kept = new Map([...tree].filter(([, text]) => text !== ''));
  return kept.size === 0 ? tree : kept;
}

/** A tree that would not come back as it is must not go in. */
function checkTree(tree: MemoryTree): { readonly message: string; readonly remedy: string } | undefined {
  const bytes = [...tree.values()].reduce((sum, text) => sum + encodeBytes(text).length, 0);
  if (bytes > MAX_TREE_BYTES) {
    return {
      message: `memory holds ${grouped(bytes)} bytes, and the cache takes at most ${grouped(MAX_TREE_BYTES)}`,
      remedy:
        'Set `memory-store: repo` with `permissions: contents: write`, which has no such limit, or trim it with `mode: gc`.',
    };
  }
  const refused = tree.has(SKIPPED_VERSIONS_FILE) ? OWN_FILE : notReadBack(tree);
  switch (refused?.kind) {
    case undefined:
      return undefined;
    case 'path':
      return {
        message: `the cache does not take \`${refused.path}\` for a memory file`,
        remedy: 'Let `memory.path` end in `.md`, with at most 7 folders above it.',
      };
    case 'count':
      return {
        message: `memory holds ${grouped(refused.count)} files, and the cache takes at most ${grouped(refused.most)}`,
        remedy: 'Set `memory-store: repo` with `permissions: contents: write`.',
      };
  }
}

const OWN_FILE = { kind: 'path', path: SKIPPED_VERSIONS_FILE } as const;

/** Without the dot at the end of a key, which people would take for the end of a sentence. */
function locationOf(prefix: string, number: number): string {
  return number === 0 ? `cache ${prefix}` : `cache ${formatKey(prefix, number).slice(0, -1)}`;
}

/** All that a version chain holds. */
interface ChainReading {
  readonly kind: 'reading';
  readonly newest: Version;
  /** That of the newest version, with what came to light of those that were passed over. */
  readonly tree: MemoryTree;
  /** Versions that were passed over and may still come to light. */
  readonly open: SkippedVersions;
  /** Versions that came to light and are in `tree`. */
  readonly late: readonly Version[];
  /** Nothing with a higher number was there. */
  readonly isSure: boolean;
}

/** What a version chain is read with. */
interface VersionChainRequest {
  /** What was read before: its versions are not read again, since none ever changes. */
  readonly before: ChainReading | undefined;
  /** Many versions may have been saved since. */
  readonly isFar: boolean;
  readonly now: Date;
  readonly signal: AbortSignal;
}

/** Reads the newest version, and each that it passed over and that can be read by now. */
async function readVersionChain(
  versionChain: VersionChain,
  { before, isFar, now, signal }: VersionChainRequest,
): Promise<ChainReading | ChainFailure> {
  const newest =
    isFar && before !== undefined
      ? await versionChain.newestFar(before.newest, signal)
      : await versionChain.newest(before?.newest, signal);
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
  return { kind: 'reading', newest, tree, open, late, isSure: !isFar };
}

/** Entries, facts and notes are united; of anything else the newest counts, and the other is kept next to it (D12). */
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
