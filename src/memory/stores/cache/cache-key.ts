import { createHash } from 'node:crypto';

/** Who shares a version chain: the default branch, one other ref (by hash), or one pull request. */
export type CacheScope = 'trunk' | `br-${string}` | `pr-${number}`;

const DIGITS = 10;
const HASH_DIGITS = 16;
/** Keys that the service takes in one request. */
const MAX_KEYS = 10;

/** The scope of a run by its `GITHUB_REF`, as the cache service separates them (memory-and-security A2.3). */
export function cacheScope(ref: string, defaultBranch: string): CacheScope {
  if (ref === `refs/heads/${defaultBranch}`) return 'trunk';
  const pull = /^refs\/pull\/(\d+)\//.exec(ref);
  if (pull !== null) return `pr-${Number(pull[1])}`;
  return `br-${createHash('sha256').update(ref).digest('hex').slice(0, HASH_DIGITS)}`;
}

/**
 * The beginning of all keys of a version chain. It ends in a slash, so that no scope is ever taken for the beginning of
 * another (memory-and-security A2.2).
 */
export function keyPrefix(scope: CacheScope): string {
  return `axe-memory/v1/${scope}/default/`;
}

/** The key of a version; fixed width and a closing dot, so that no key is the beginning of another. */
export function formatKey(prefix: string, version: number): string {
  return `${prefix}${String(version).padStart(DIGITS, '0')}.`;
}

/** The version that a key of this chain means; undefined for any other key, however alike. */
export function parseKey(prefix: string, key: string): number | undefined {
  if (!key.startsWith(prefix)) return undefined;
  const version = /^(\d{10})\.$/.exec(key.slice(prefix.length));
  return version === null || Number(version[1]) === 0 ? undefined : Number(version[1]);
}

/** The keys of the next ten versions, the highest first: of those that exist, the service gives that of the newest. */
export function keysAbove(prefix: string, version: number): readonly string[] {
  return Array.from({ length: MAX_KEYS }, (_, index) => formatKey(prefix, version + MAX_KEYS - index));
}

/** Events that only people with write access or GitHub itself cause, and `pull_request`, whose cache is its own. */
const WRITING_EVENTS = ['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'pull_request'];

/**
 * What to do where a job does not get at the cache. On events that people without write access can cause, GitHub warns
 * against `cache-mode: write`, so its warning goes with it.
 */
export function cacheWriteRemedy(event: string | undefined): string {
  const branch = 'set `memory-store: branch` with `permissions: contents: write`';
  if (event === undefined || event === '' || WRITING_EVENTS.includes(event))
    return `Let the job say \`cache-mode: write\`, or ${branch}.`;
  return `On \`${event}\`, ${branch}. GitHub keeps the cache read-only there because people without write access can cause that event; it warns that \`cache-mode: write\` increases the risk of cache poisoning.`;
}
