import { AsyncLocalStorage } from 'node:async_hooks';
import { knownRefusal } from '../../../github/client/refusals.js';
import type { MemoryTree } from '../../change.js';

export interface CacheTrouble {
  readonly kind:
    | 'error'
    /** The entry exists, but its content cannot be used. */
    | 'refused'
    /** This run is not allowed to read or write: token, `cache-mode`, spent quota. */
    | 'denied'
    /** The service asks to come again later. */
    | 'rate-limited'
    /** There is no cache here, or this job is not allowed to use it. */
    | 'unavailable';
  readonly message: string;
  readonly remedy?: string;
  readonly retryAfterMs?: number;
}

/** The wait for an answer ended before it came. */
export interface GivenUp {
  readonly kind: 'given-up';
  readonly message: string;
  /** Until then the call may still use the files. */
  readonly ended: Promise<void>;
}

/** Result of restoring a cache entry. Only a `miss` proves that there is none. */
export type CacheRestore =
  /** `key` is the one that matched. */
  | { readonly kind: 'hit'; readonly key: string; readonly files: MemoryTree }
  | { readonly kind: 'miss' }
  | CacheTrouble
  | GivenUp;

/** Result of saving a cache entry; `taken` if another job reserved the key first. */
export type CacheSave = { readonly kind: 'saved' | 'taken' } | CacheTrouble | GivenUp;

/**
 * The Actions cache as the store needs it: keys are immutable, and reserving one is atomic. `paths`
 * are relative to the workspace and always the same, since they are part of an entry's identity.
 * Nothing here throws, and nothing waits on when the signal aborts.
 */
export interface CacheClient {
  /**
   * Reads the newest entry whose key begins with the first of `keys` for which there is one; at
   * least one key, at most ten.
   */
  restore(
    request: { readonly paths: readonly string[]; readonly keys: readonly string[] },
    signal: AbortSignal,
  ): Promise<CacheRestore>;
  save(
    request: { readonly paths: readonly string[]; readonly key: string },
    signal: AbortSignal,
  ): Promise<CacheSave>;
}

/**
 * Reads what `@actions/cache` 6.3.0 did from the lines it prints: it swallows every failure and
 * returns `undefined` or -1, whatever happened (`lib/cache.js` and
 * `lib/internal/shared/cacheTwirpClient.js` of the package).
 */
export function restoreOutcome(key: string | undefined, lines: readonly string[]): CacheRestore {
  const printedLines = lines.map(plainLine);
  const skipped = printedLines.find((line) => line.startsWith('Cache restore skipped:'));
  if (skipped !== undefined) return { kind: 'unavailable', message: skipped };
  // Whatever has been downloaded was to be read before it is unpacked.
  if (key !== undefined)
    return { kind: 'error', message: `\`${key}\` was unpacked before it could be read` };
  const failure = printedLines.find((line) => line.startsWith('Failed to restore:'));
  if (failure !== undefined) {
    const message = withoutPrefix(failure);
    if (/cache read denied/i.test(message)) return { kind: 'denied', message };
    return isRateLimit(message) ? rateLimited(printedLines.join('\n')) : { kind: 'error', message };
  }
  // The v2 service says so when it finds nothing; silence is not an answer. v1 has no such line.
  const isV1 = printedLines.includes('Cache service version: v1');
  if (isV1 || printedLines.some((line) => line.startsWith('Cache not found for version')))
    return { kind: 'miss' };
  return { kind: 'error', message: 'the cache service gave no clear answer' };
}

/**
 * Reads the result of a save from its output. v1 returns the id of its reservation even if the
 * upload failed, so the id alone proves nothing. An unclear result is an error: taken for
 * contention, it would make the store wait for a number that nobody has reserved, and skip it.
 */
export function saveOutcome(id: number, lines: readonly string[]): CacheSave {
  const reasonLines = lines.filter(isReason).map(plainLine);
  const skipped = reasonLines.find((line) => line.startsWith('Cache save skipped:'));
  if (skipped !== undefined) return { kind: 'denied', message: skipped };
  if (id !== -1 && !reasonLines.some((line) => line.startsWith('Failed to save:')))
    return { kind: 'saved' };
  const text = reasonLines.join('\n');
  const denied =
    /cache write denied:[^\n]*|cache storage quota[^\n]*|Failed to CreateCacheEntry:[^\n]*\((?:401|403)\)[^\n]*/i;
  const denial = denied.exec(text)?.[0];
  if (denial !== undefined)
    return {
      kind: 'denied',
      message: denial,
      remedy: /quota/i.test(denial) ? QUOTA_REMEDY : undefined,
    };
  if (isRateLimit(text)) return rateLimited(text);
  if (/already exist|\(409\)|Response was not ok/i.test(text)) return { kind: 'taken' };
  const reason =
    reasonLines.find((line) => line.startsWith('Failed to reserve cache:')) ?? reasonLines.at(-1);
  return {
    kind: 'error',
    message: withoutPrefix(reason ?? 'the cache service gave no clear answer'),
  };
}

const QUOTA_REMEDY =
  'Delete entries that are not needed (Actions → Caches, or `gh cache delete`), or keep memory on a branch with `memory-store: branch` and `permissions: contents: write`.';

/** A printed line without the workflow command around it and its escapes. */
export function plainLine(line: string): string {
  return line
    .replace(/^::(?:debug|notice|warning|error)(?: [^:]*)?::/, '')
    .replaceAll('%0A', ' ')
    .replaceAll('%0D', '')
    .replaceAll('%25', '%');
}

/**
 * True for lines that say how a save ended. Only one debug line carries the service's own words;
 * the others quote whole requests. Retries (`Attempt 1 of 5 …`) do not end a save.
 */
function isReason(line: string): boolean {
  if (line.startsWith('::debug::')) return line.startsWith('::debug::Failed to reserve cache:');
  return !line.startsWith('Attempt ') && !line.startsWith('[command]');
}

function isRateLimit(text: string): boolean {
  return knownRefusal(text)?.reason === 'rate-limited';
}

/** A rate limit passes, and does not show whether an entry exists. */
function rateLimited(text: string): CacheTrouble {
  const message = 'the repository has reached the rate limit of the cache service';
  const [, seconds = 60] = /reset in (\d+) seconds/.exec(text) ?? [];
  return { kind: 'rate-limited', message, retryAfterMs: Number(seconds) * 1000 };
}

function withoutPrefix(line: string): string {
  return line.replace(
    /^(?:Failed to restore|Failed to save|Failed to reserve cache|Cache reservation failed): (?:Error: )?/,
    '',
  );
}

/** Result of a call, and the lines it printed. */
export interface Captured<T> {
  readonly result:
    | { readonly kind: 'returned'; readonly value: T }
    | { readonly kind: 'threw'; readonly error: unknown };
  readonly lines: readonly string[];
}

/** Something that can be written to, as `process.stdout`. */
export type Output = Pick<NodeJS.WriteStream, 'write'>;

/** Masks have to reach the runner, also those that the call sets. */
const PASSED_ON = '::add-mask::';

/** Sees each text before the call continues; the call's `write` throws whatever it throws. */
type Watch = (text: string) => void;

/**
 * Runs calls and keeps what they print to standard output, by who prints, not by when: only what
 * the call itself (and what it started) writes is kept back, lines that others print meanwhile go
 * their way. `write` is put back after the last call, whatever happens.
 */
export function createCapture(output: Output) {
  const current = new AsyncLocalStorage<{
    readonly chunks: string[];
    readonly watch: Watch | undefined;
  }>();
  let original = output.write;
  let running = 0;

  return async <T>(call: () => Promise<T>, watch?: Watch): Promise<Captured<T>> => {
    const chunks: string[] = [];
    running += 1;
    if (running === 1 && output.write !== divert) {
      original = output.write;
      output.write = divert;
    }
    try {
      const value = await current.run({ chunks, watch }, call);
      return { result: { kind: 'returned', value }, lines: toLines(chunks) };
    } catch (error) {
      return { result: { kind: 'threw', error }, lines: toLines(chunks) };
    } finally {
      running -= 1;
      // If other code has replaced `write` meanwhile, its function remains.
      if (running === 0 && output.write === divert) output.write = original;
    }
  };

  function divert(
    chunk: Uint8Array | string,
    encoding?: BufferEncoding | ((error?: Error | null) => void),
    done?: (error?: Error | null) => void,
  ): boolean {
    const printed = current.getStore();
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8');
    const finished = typeof encoding === 'function' ? encoding : done;
    if (printed === undefined || text.startsWith(PASSED_ON)) {
      return original.call(
        output,
        chunk,
        typeof encoding === 'string' ? encoding : undefined,
        finished,
      );
    }
    printed.chunks.push(text);
    finished?.();
    printed.watch?.(text);
    return true;
  }
}

function toLines(chunks: readonly string[]): readonly string[] {
  return chunks
    .join('')
    .split(/\r?\n/)
    .filter((line) => line !== '');
}
