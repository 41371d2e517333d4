import { createHash } from 'node:crypto';

/** A version chain belongs to the default branch, one other ref (by hash), or one pull request. */
export type CacheScope = 'trunk' | `br-${string}` | `pr-${number}`;

const DIGITS = 10;
const HASH_DIGITS = 16;
/** Keys that the service takes in one request. */
const MAX_KEYS = 10;

/** The scope of a run by its `GITHUB_REF`, as the cache service separates them. */
export function cacheScope(ref: string, defaultBranch: string): CacheScope {
  if (ref === `refs/heads/${defaultBranch}`) return 'trunk';
  const pull = /^refs\/pull\/(\d+)\//.exec(ref);
  if (pull !== null) return `pr-${Number(pull[1])}`;
  return `br-${createHash('sha256').update(ref).digest('hex').slice(0, HASH_DIGITS)}`;
}

/**
 * Names a tag or a merge group by its ref: no other run can read its cache, and it has no later
 * run. Undefined for branches and pull requests.
 */
export function passingRef(ref: string): string | undefined {
  if (ref.startsWith('refs/tags/')) return 'this tag';
  return ref.startsWith('refs/heads/gh-readonly-queue/') ? 'this merge group' : undefined;
}

/**
 * The beginning of all keys of a version chain. It ends in a slash, so that no scope is the
 * beginning of another.
 */
export function keyPrefix(scope: CacheScope): string {
  return `axe-memory/v1/${scope}/default/`;
}

/**
 * The key of a version; fixed width and a closing dot, so that no key is the beginning of another.
 */
export function formatKey(prefix: string, version: number): string {
  return `${prefix}${String(version).padStart(DIGITS, '0')}.`;
}

/**
 * The version that a key of this chain means; undefined for any other key, however alike.
 */
export function parseKey(prefix: string, key: string): number | undefined {
  if (!key.startsWith(prefix)) return undefined;
  const version = /^(\d{10})\.$/.exec(key.slice(prefix.length));
  return version === null || Number(version[1]) === 0 ? undefined : Number(version[1]);
}

/** Keys of the next versions, the highest first. */
export function keysAbove(prefix: string, version: number): readonly string[] {
  const highest = version + MAX_KEYS;
  return Array.from({ length: MAX_KEYS }, (_, index) => formatKey(prefix, highest - index));
}

/** A number that stays taken so long without a version was reserved by a job that is dead. */
export const DEAD_MS = 60_000;

/**
 * The next number that is free as far as is known; undefined while another job might still be
 * saving above. `takenSince` has the time at which a number was first seen to be taken.
 */
export function nextFree(
  from: number,
  takenSince: ReadonlyMap<number, number>,
  nowMs: number,
): number | undefined {
  for (let number = from; ; number += 1) {
    const sinceMs = takenSince.get(number);
    if (sinceMs === undefined) return number;
    if (nowMs - sinceMs < DEAD_MS) return number === from ? number : undefined;
  }
}
