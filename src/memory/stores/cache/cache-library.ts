import { readFileSync, statSync } from 'node:fs';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { type Clock, createClock } from '../../../lib/clock.js';
import type { Environment } from '../../../lib/environment.js';
import { messageOf } from '../../../lib/errors.js';
import { decodeBytes } from '../../../lib/text/bytes.js';
import { formatInteger } from '../../../lib/text/format.js';
import type { MemoryTree } from '../../change.js';
import { isMemoryPath } from '../tree-on-disk.js';
import {
  type CacheClient,
  type CacheRestore,
  type CacheTrouble,
  type Captured,
  createCapture,
  type GivenUp,
  type Output,
  plainLine,
  restoreOutcome,
  saveOutcome,
} from './cache-outcome.js';
import { cacheWriteRemedy } from './cache-store.js';

/** @internal */
export type CacheLibrary = Pick<
  typeof import('@actions/cache'),
  'isFeatureAvailable' | 'restoreCache' | 'saveCache'
>;

interface CacheClientOptions {
  /** Environment of the step; the library itself reads the process's own. */
  readonly env: Environment;
  /** The stream that the library prints to: the process's standard output. */
  readonly output: Output;
  readonly load?: () => Promise<CacheLibrary>;
  readonly clock?: Pick<Clock, 'sleep'>;
}

/** Part of an entry's identity: without it entries of Windows runners are found on Windows only. */
const CROSS_OS = true;

/**
 * Longest wait for an answer, in milliseconds: the library's own attempts take less, and so does a
 * megabyte on a slow line. Without a limit the library waits forever for a silent service.
 */
const LIMIT_MS = 60_000;

/** Texts that the library prints where an error ends the call; others it prints from timers. */
const STOPPING_POINT = /^(?:Cache Size: |Attempt \d|::debug::\[Request\] )/;

/**
 * The Actions cache through `@actions/cache`, loaded at the first call. The library packs `paths`
 * of the current folder. Its annotations are kept back and returned in the outcome's message. What
 * it downloads is read, and never unpacked.
 */
export function createCacheClient(options: CacheClientOptions): CacheClient {
  const { env, output, load = () => import('@actions/cache'), clock = createClock() } = options;
  const capture = createCapture(output);
  let opened: Promise<CacheLibrary> | undefined;

  return {
    async restore({ paths, keys: [key = '', ...others] }, signal) {
      const trouble = await unavailable('read');
      if (trouble !== undefined) return trouble;
      const download = watchDownload(paths[0] ?? '');
      const call = (library: CacheLibrary) =>
        library.restoreCache([...paths], key, others, {}, CROSS_OS);
      const end = await run(call, signal, download.see);
      if ('kind' in end) return end;
      const outcome = download.outcome();
      if (outcome !== undefined) return outcome;
      const { result, lines } = end;
      return result.kind === 'threw'
        ? failedCall(result.error)
        : restoreOutcome(result.value, lines);
    },
    async save({ paths, key }, signal) {
      const trouble = await unavailable('write');
      if (trouble !== undefined)
        return cacheMode(env) === 'read' ? { ...trouble, kind: 'denied' } : trouble;
      const call = (library: CacheLibrary) => library.saveCache([...paths], key, {}, CROSS_OS);
      const end = await run(call, signal);
      if ('kind' in end) return end;
      const { result, lines } = end;
      return result.kind === 'threw' ? failedCall(result.error) : saveOutcome(result.value, lines);
    },
  };

  /**
   * Nothing stops the library but an error where it prints: a call that is given up ends at its
   * next such line.
   */
  async function run<T>(
    call: (library: CacheLibrary) => Promise<T>,
    signal: AbortSignal,
    see?: (text: string) => void,
  ): Promise<Captured<T> | GivenUp> {
    if (signal.aborted) return { kind: 'given-up', message: STOPPED, ended: Promise.resolve() };
    let isOver = false;
    const pending = capture(
      async () => await call(await openLibrary()),
      (text) => {
        if (isOver && STOPPING_POINT.test(text)) throw new Error('nobody waits for it any more');
        see?.(text);
      },
    );
    const captured = await waitInTime(pending, signal, clock);
    if (captured !== undefined) return captured;
    isOver = true;
    const message = `the cache service gave no usable answer within ${LIMIT_MS / 1000} s`;
    return {
      kind: 'given-up',
      message: signal.aborted ? STOPPED : message,
      ended: pending.then(() => {}),
    };
  }

  function openLibrary(): Promise<CacheLibrary> {
    opened ??= load();
    return opened;
  }

  /** The reason why the cache cannot be used, found without asking the service. */
  async function unavailable(access: 'read' | 'write'): Promise<CacheTrouble | undefined> {
    const forbidden = checkAccess(access, env);
    if (forbidden !== undefined) return forbidden;
    const { result } = await capture(async () => (await openLibrary()).isFeatureAvailable());
    if (result.kind === 'threw')
      return {
        kind: 'unavailable',
        message: `the cache client could not be loaded: ${messageOf(result.error)}`,
      };
    return result.value ? undefined : NO_CACHE;
  }
}

const STOPPED = 'the cache service did not answer in time';

const NO_CACHE: CacheTrouble = {
  kind: 'unavailable',
  message: 'there is no Actions cache here',
  remedy: 'Set `memory-store: branch` with `permissions: contents: write`, which needs none.',
};

function failedCall(error: unknown): CacheTrouble {
  return { kind: 'error', message: messageOf(error) };
}

/** Resolves with a promise's value, or undefined once the time is up or the signal aborts. */
async function waitInTime<T>(
  pending: Promise<T>,
  signal: AbortSignal,
  clock: Pick<Clock, 'sleep'>,
): Promise<T | undefined> {
  const answered = new AbortController();
  const timeUp = clock
    .sleep(LIMIT_MS, AbortSignal.any([signal, answered.signal]))
    .then(() => undefined);
  try {
    return await Promise.race([pending, timeUp]);
  } finally {
    answered.abort();
  }
}

/** The reason why `cache-mode` keeps a job from the cache; undefined if it does not. */
function checkAccess(access: 'read' | 'write', env: Environment): CacheTrouble | undefined {
  const mode = cacheMode(env);
  // Unset or unknown it lets a job in (the library's own rule).
  if (!['none', access === 'read' ? 'write-only' : 'read'].includes(mode)) return undefined;
  return {
    kind: 'unavailable',
    message: `\`cache-mode: ${mode}\` does not let this job ${access} the cache`,
    remedy: cacheWriteRemedy(env['GITHUB_EVENT_NAME']),
  };
}

function cacheMode(env: Environment): string {
  return (env['ACTIONS_CACHE_MODE'] ?? '').trim().toLowerCase();
}

/**
 * Reads an entry as soon as it is downloaded. `@actions/cache` would unpack it with `tar -P`, which
 * writes wherever an archive says. It prints the key and where the archive is before it downloads
 * it, and its size before it unpacks it (`lib/cache.js` and `lib/internal/cacheHttpClient.js` of
 * 6.3.0), and an error thrown from there ends the restore.
 */
function watchDownload(folder: string) {
  let [key, archive] = ['', ''];
  let outcome: CacheRestore | undefined;
  return {
    /** Reads the library's output as it is printed. Throws to end the restore. */
    see(text: string): void {
      const line = plainLine(text.trimEnd());
      key =
        /^Cache hit for(?: restore-key)?: (.+)$|^\{.*"cacheKey":"([^"]+)"/
          .exec(line)
          ?.slice(1)
          .find(Boolean) ?? key;
      archive = /^Archive path: (.+)$/i.exec(line)?.[1] ?? archive;
      const announced = Number(
        /^Downloading segment at offset 0 with length (\d+)/.exec(line)?.[1] ?? 0,
      );
      if (announced > MAX_ARCHIVE_BYTES) {
        outcome = unusable(key, tooLarge(announced));
        throw new Error('it is not downloaded');
      }
      if (!line.startsWith('Cache Size: ')) return;
      outcome = readEntry(key, archive, folder);
      throw new Error('the archive has been read');
    },
    outcome: () => outcome,
  };
}

function readEntry(key: string, archive: string, folder: string): CacheRestore {
  try {
    return { kind: 'hit', key, files: readArchive(archive, folder) };
  } catch (thrown) {
    return unusable(key, messageOf(thrown));
  }
}

function unusable(key: string, reason: string): CacheTrouble {
  return { kind: 'refused', message: `the entry \`${key}\` cannot be used: ${reason}` };
}

/** Largest archive that is looked into, packed and unpacked; what we write stays far below it. */
const MAX_ARCHIVE_BYTES = 8 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 12 * 1024 * 1024;

const ZSTD_MAGIC = 0xfd2fb528;
const BLOCK = 512;

/**
 * Reads the memory files of a folder from a tar archive (`tar --posix`, packed by gzip or
 * Zstandard), by their paths in the folder. Throws an Error for an archive that is cut off or holds
 * anything but memory files and folders, since only the action should have written it. Synchronous,
 * because the library's `write` to standard output, from which it is called, cannot wait.
 * @internal
 */
export function readArchive(path: string, folder: string): MemoryTree {
  const { size } = statSync(path);
  if (size > MAX_ARCHIVE_BYTES) throw new Error(tooLarge(size));
  const archive = unpack(readFileSync(path));
  const tree = new Map<string, string>();
  /** Path of the next member, from an extended header. */
  let longPath: string | undefined;
  for (let offset = 0; ; ) {
    const header = archive.subarray(offset, offset + BLOCK);
    if (header.length < BLOCK) throw new Error('it is cut off');
    if (header.every((byte) => byte === 0)) return tree;
    const bytes = Number.parseInt(textAt(header, 124, 12), 8);
    if (!(bytes >= 0)) throw new Error('it is not a POSIX archive');
    const content = archive.subarray(offset + BLOCK, offset + BLOCK + bytes);
    if (content.length < bytes) throw new Error('it is cut off');
    offset += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
    const type = textAt(header, 156, 1);
    if (type === 'x') {
      longPath = [...content.toString('utf8').matchAll(/^\d+ path=(.*)$/gm)].at(-1)?.[1];
      continue;
    }
    const member =
      longPath ?? [textAt(header, 345, 155), textAt(header, 0, 100)].filter(Boolean).join('/');
    longPath = undefined;
    if (type === '5') continue;
    const inside = member.startsWith(`${folder}/`) ? member.slice(folder.length + 1) : '';
    if (!['0', ''].includes(type) || !isMemoryPath(inside))
      throw new Error(`${JSON.stringify(member)} is not a memory file`);
    tree.set(inside, decodeBytes(content));
  }
}

function unpack(packed: Buffer): Buffer {
  const isZstd = packed.length >= 4 && packed.readUInt32LE(0) === ZSTD_MAGIC;
  const options = { maxOutputLength: MAX_UNPACKED_BYTES };
  return isZstd ? zstdDecompressSync(packed, options) : gunzipSync(packed, options);
}

/** A field of a header, which a zero byte ends. */
function textAt(header: Buffer, start: number, length: number): string {
  return header.toString('utf8', start, start + length).replace(/\0[\s\S]*$/, '');
}

function tooLarge(bytes: number): string {
  return `it has at least ${formatInteger(bytes)} bytes, and at most ${formatInteger(MAX_ARCHIVE_BYTES)} are read`;
}
