/** What looking for a cache entry gave. Only a `miss` says that nothing is there. */
export type CacheRestore =
  /** The entry's files are on disk; `key` is the one that matched. */
  | { readonly kind: 'hit'; readonly key: string }
  | { readonly kind: 'miss' }
  | { readonly kind: 'error'; readonly message: string }
  /** There is no cache here, or this run may not read it. */
  | { readonly kind: 'unavailable'; readonly message: string };

/** Whether an entry can be read; an error says neither. */
export type CacheLookup =
  | { readonly kind: 'found' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'error'; readonly message: string };

/** What saving a cache entry gave. */
export type CacheSave =
  | { readonly kind: 'saved' }
  /** Another job reserved the key before. */
  | { readonly kind: 'taken' }
  /** This run may not write (read-only token, `cache-mode`, spent quota). */
  | { readonly kind: 'denied'; readonly message: string }
  | { readonly kind: 'rate-limited'; readonly message: string; readonly retryAfterMs?: number }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'unavailable'; readonly message: string };

/**
 * The Actions cache as the store needs it: keys are immutable, and reserving one is atomic. `paths` are relative to
 * the workspace and always the same, since they are part of an entry's identity. Nothing here throws.
 */
export interface CacheClient {
  /** Restores the newest entry whose key starts with `prefix`. */
  restore(request: { readonly paths: readonly string[]; readonly prefix: string }): Promise<CacheRestore>;
  /** Whether the entry with exactly this key can be read; nothing is downloaded. */
  exists(request: { readonly paths: readonly string[]; readonly key: string }): Promise<CacheLookup>;
  save(request: { readonly paths: readonly string[]; readonly key: string }): Promise<CacheSave>;
}
