/** What is asked of the cache. */
interface CacheRequest {
  /** Relative to the workspace and always the same, since they are part of an entry's identity. */
  readonly paths: readonly string[];
}

/** The wait for an answer ended before it came. */
export interface GivenUp {
  readonly kind: 'given-up';
  readonly message: string;
  /** Until then the call may still use the files. */
  readonly ended: Promise<void>;
}

/** The service asks to come again later. */
export interface RateLimited {
  readonly kind: 'rate-limited';
  readonly message: string;
  readonly retryAfterMs?: number | undefined;
}

/** What restoring a cache entry gave. Only a `miss` says that nothing is there. */
export type CacheRestore =
  /** The entry's files are on disk; `key` is the one that matched. */
  | { readonly kind: 'hit'; readonly key: string }
  /** `notice` says, in whole sentences, why entries may be there all the same. */
  | { readonly kind: 'miss'; readonly notice?: string | undefined }
  /** The entry is there and was not unpacked, because of what is in it. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'error'; readonly message: string; readonly remedy?: string | undefined }
  /** This run may not read (token without readable scopes). */
  | { readonly kind: 'denied'; readonly message: string }
  | RateLimited
  | GivenUp
  /** There is no cache here, or this job may not use it. */
  | { readonly kind: 'unavailable'; readonly message: string; readonly remedy?: string | undefined };

/** What saving a cache entry gave. */
export type CacheSave =
  | { readonly kind: 'saved' }
  /** Another job reserved the key before. */
  | { readonly kind: 'taken' }
  /** This run may not write (read-only token, `cache-mode`, spent quota). */
  | { readonly kind: 'denied'; readonly message: string; readonly remedy?: string | undefined }
  | RateLimited
  | { readonly kind: 'error'; readonly message: string }
  | GivenUp
  | { readonly kind: 'unavailable'; readonly message: string; readonly remedy?: string | undefined };

/**
 * The Actions cache as the store needs it: keys are immutable, and reserving one is atomic. Nothing here throws, and
 * nothing waits on when the signal aborts.
 */
export interface CacheClient {
  /**
   * Restores the newest entry whose key begins with the first of `keys` for which there is one; at least one key, at
   * most ten.
   */
  restore(
    request: CacheRequest & { readonly keys: readonly string[] },
    signal: AbortSignal,
  ): Promise<CacheRestore>;
  save(request: CacheRequest & { readonly key: string }, signal: AbortSignal): Promise<CacheSave>;
}
