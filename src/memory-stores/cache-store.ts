import { SAVE_BUDGET_MS } from '../axe/defaults.js';
import type { Files } from '../axe/files.js';
import type { MemoryTree } from '../axe/memory/change.js';
import { isRunLog, mergeRunLogs } from '../axe/memory/merge.js';
import type { MemoryStore } from '../axe/memory/store.js';
import type { Clock } from '../axe/ports.js';
import type { CacheClient } from './cache-client.js';
import { type CacheScope, formatKey, keyPrefix } from './cache-key.js';
import { createLineage, type Lineage, type Version } from './cache-lineage.js';
import {
  type CommitResult,
  createTreeStore,
  type Snapshot,
  type TreeBackend,
  type Unreadable,
} from './store.js';

/** What the cache store works with. */
export interface CacheStoreOptions {
  readonly cache: CacheClient;
  readonly files: Files;
  readonly clock: Clock;
  /** Absolute path of a folder directly in the workspace that is ours alone, for example `…/.axe-action-memory`. */
  readonly directory: string;
  /** The lineage this run writes; another than `trunk` also reads the default branch's. */
  readonly scope: CacheScope;
  /** Input `memory-cache-name`. */
  readonly name: string;
}

/** A number that stays taken this long without being readable was reserved by a job that died. Never shorter:
 * stepping over a job that is still uploading forks the chain (memory-and-security A3.1). */
const DEAD_AFTER_MS = 60_000;
/** A save that took this long may have been stepped over meanwhile. */
const SLOW_SAVE_MS = DEAD_AFTER_MS / 2;
const MAX_TREE_BYTES = 1024 * 1024;

/** Memory in the Actions cache. Throws a ConfigError for a name that cannot be part of a key. */
export function createCacheStore(options: CacheStoreOptions): MemoryStore {
  return createTreeStore(createCacheBackend(options), {
    clock: options.clock,
    budgetMs: SAVE_BUDGET_MS.cache,
  });
}

/** A number that is not ours and of which not everything is known. */
type Claim =
  /** Somebody reserved it and may still be uploading. */
  | { readonly kind: 'taken'; readonly sinceMs: number }
  /** We saved past it: if it comes to light after all, it has to be folded in. */
  | { readonly kind: 'stepped-over' }
  /** Somebody may have saved it past us while our own save took long. */
  | { readonly kind: 'suspected' };

type Found = Extract<Version, { readonly kind: 'version' }>;
const NOTHING: Found = { kind: 'version', number: 0, tree: new Map(), warnings: [] };

/**
 * The Actions cache as a tree with versions: keys are immutable and numbered, so that reserving the next number is
 * the compare-and-swap (D13). An entry is lost only by eviction (D15). Once a read failed, nothing more is read or
 * written in this run: what looks like an empty cache could hide a history (D14).
 */
export function createCacheBackend(options: CacheStoreOptions): TreeBackend {
  const { clock, scope, name } = options;
  const own = createLineage({ ...options, prefix: keyPrefix(scope, name) });
  const trunk =
    scope === 'trunk' ? undefined : createLineage({ ...options, prefix: keyPrefix('trunk', name) });
  const claims = new Map<number, Claim>();
  /** Claimed versions whose content is in the snapshot that was read last. */
  const folded = new Set<number>();
  let highest = 0;
  let trunkVersion: Found | undefined;
  let broken: Unreadable | undefined;
  return { kind: 'cache', read, commit };

  async function read(): Promise<Snapshot | Unreadable> {
    if (broken !== undefined) return broken;
    const newest = await own.newest();
    if (newest.kind !== 'version') return giveUp(own, newest);
    let { tree, number } = newest;
    folded.clear();
    for (const [claimed, { kind }] of [...claims]) {
      const isCovered = claimed <= newest.number && kind !== 'stepped-over';
      const late = isCovered ? undefined : await readClaimed(claimed);
      if (late?.kind === 'error' || late?.kind === 'unavailable') return giveUp(own, late);
      const isThere = late?.number === claimed;
      if (isCovered || (kind === 'suspected' && !isThere)) claims.delete(claimed);
      if (!isThere) continue;
      tree = claimed > number ? mergeTrees(late.tree, tree) : mergeTrees(tree, late.tree);
      number = Math.max(number, claimed);
      folded.add(claimed);
    }
    highest = Math.max(highest, number);
    const older = await readTrunk();
    if (older.kind === 'unreadable') return older;
    return {
      kind: 'snapshot',
      tree: mergeTrees(tree, older.tree),
      version: String(number),
      location: locationOf(own, number),
      warnings: [...newest.warnings, ...older.warnings],
      unsettled: folded.size > 0 && !isSameTree(tree, newest.tree),
    };
  }

  /** A claimed version that can be read by now, undefined while it cannot. */
  async function readClaimed(number: number): Promise<Version | undefined> {
    const lookup = await own.exists(number);
    if (lookup.kind === 'error') return lookup;
    return lookup.kind === 'found' ? await own.at(number) : undefined;
  }

  /** The default branch's memory, read once: this run never writes it. */
  async function readTrunk(): Promise<Found | Unreadable> {
    if (trunk === undefined) return NOTHING;
    if (trunkVersion === undefined) {
      const newest = await trunk.newest();
      if (newest.kind !== 'version') return giveUp(trunk, newest);
      trunkVersion = newest;
    }
    return trunkVersion;
  }

  function giveUp(lineage: Lineage, { kind, message }: Exclude<Version, Found>): Unreadable {
    broken = {
      kind: 'unreadable',
      reason: kind,
      message: `the Actions cache could not be read: ${message}`,
      location: `cache ${lineage.prefix}`,
    };
    return broken;
  }

  async function commit(snapshot: Snapshot, tree: MemoryTree): Promise<CommitResult> {
    if (broken !== undefined) return { ...broken, kind: 'failed' };
    const trouble = checkSize(tree);
    if (trouble !== undefined) return { kind: 'failed', reason: 'error', ...trouble };
    // An older version than one seen before is a stale answer; building on it would hide what came after.
    if (Number(snapshot.version) < highest) return { kind: 'conflict' };
    const number = nextFree(Number(snapshot.version) + 1);
    if (number === undefined) return { kind: 'conflict' };
    const startMs = clock.now().getTime();
    const result = await own.save(number, tree);
    switch (result.kind) {
      case 'saved':
        highest = Math.max(highest, number);
        return await settle(number, clock.now().getTime() - startMs);
      case 'taken':
        claims.set(number, nextClaim(claims.get(number)));
        return { kind: 'conflict' };
      case 'denied':
        return { kind: 'failed', reason: 'denied', message: result.message, remedy: DENIED_REMEDY };
      case 'rate-limited':
      case 'unavailable':
      case 'error':
        return { kind: 'failed', reason: result.kind, message: result.message };
    }
  }

  /**
   * The first number to try; undefined while its holder may still be uploading. A dead number is tried once more
   * before it is stepped over: the service may have set it free, and then nobody else shall take it after us.
   */
  function nextFree(from: number): number | undefined {
    let number = from;
    while (claims.get(number)?.kind === 'stepped-over') number += 1;
    const claim = claims.get(number);
    return claim?.kind === 'taken' && !isDead(claim) ? undefined : number;
  }

  function nextClaim(claim: Claim | undefined): Claim {
    return isDead(claim) ? { kind: 'stepped-over' } : { kind: 'taken', sinceMs: clock.now().getTime() };
  }

  function isDead(claim: Claim | undefined): boolean {
    return claim?.kind === 'taken' && clock.now().getTime() - claim.sinceMs >= DEAD_AFTER_MS;
  }

  /**
   * A save is acknowledged once no version can be hidden by it, nor it by one: what was stepped over is looked for
   * once more, and after a slow save the number above. Whatever turns up is folded in by the next round.
   */
  async function settle(number: number, tookMs: number): Promise<CommitResult> {
    for (const claimed of [number, ...folded]) claims.delete(claimed);
    for (const [claimed, { kind }] of claims) {
      if (kind !== 'stepped-over') continue;
      const lookup = await own.exists(claimed);
      if (lookup.kind === 'found') return { kind: 'unknown', message: 'another version came to light' };
    }
    if (tookMs < SLOW_SAVE_MS) return { kind: 'committed', location: locationOf(own, number) };
    claims.set(number + 1, { kind: 'suspected' });
    return { kind: 'unknown', message: 'the save was slow enough to be passed by' };
  }
}

const DENIED_REMEDY =
  'Events that anybody can cause (`issue_comment`, `pull_request_target`) may only read the cache unless the job says `cache-mode: write`; or set `memory-store: file` and commit `memory-path` in a later step.';

/** Run logs are merged by entry; of any other file the first tree's is the one that counts. */
function mergeTrees(tree: MemoryTree, other: MemoryTree): MemoryTree {
  const merged = new Map(tree);
  for (const [path, text] of other) {
    const current = merged.get(path);
    if (current === undefined) merged.set(path, text);
    else if (isRunLog(current) || isRunLog(text)) merged.set(path, mergeRunLogs(current, text));
  }
  return merged;
}

function isSameTree(tree: MemoryTree, other: MemoryTree): boolean {
  return tree.size === other.size && [...tree].every(([path, text]) => other.get(path) === text);
}

function checkSize(tree: MemoryTree): { readonly message: string; readonly remedy: string } | undefined {
  const encoder = new TextEncoder();
  const bytes = [...tree.values()].reduce((sum, text) => sum + encoder.encode(text).length, 0);
  if (bytes <= MAX_TREE_BYTES) return undefined;
  return {
    message: `memory holds ${bytes} bytes, and the cache takes at most ${MAX_TREE_BYTES}`,
    remedy:
      'Set `memory-store: file`, which has no such limit, or start a new memory with `memory-cache-name`.',
  };
}

function locationOf({ prefix }: Lineage, number: number): string {
  return number === 0 ? `cache ${prefix}` : `cache ${formatKey(prefix, number)}`;
}
