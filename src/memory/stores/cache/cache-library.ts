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
  /** What the library prints to: the process's standard output. */
  readonly output: Output;
  readonly load?: () => Promise<CacheLibrary>;
  readonly clock?: Pick<Clock, 'sleep'>;
}

/** Part of an entry's identity: without it entries of Windows runners are found on Windows only. */
const CROSS_OS = true;

/**
 * How long an answer is waited for, in milliseconds: longer than the library's own attempts take,
 * and than a megabyte does on a slow line. Left alone, the library waits for ever for a service
 * that says nothing.
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
      const found = download.found();
      if (found !== undefined) return found;
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

  /** Why the cache cannot be used for this, before the service is asked. */
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

/** What a promise gives, or undefined if the time is up or the signal aborts before. */
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

/**
 * Why a job must not read or write the cache, before anybody is asked; undefined if nothing speaks
 * against it.
 */
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
  let found: CacheRestore | undefined;
  return {
    /** Takes what the library prints as it prints it. Throws where it must not go on. */
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
        found = unusable(key, tooLarge(announced));
        throw new Error('it is not downloaded');
      }
      if (!line.startsWith('Cache Size: ')) return;
      found = readEntry(key, archive, folder);
      throw new Error('the archive has been read');
    },
    found: () => found,
  };
}

function readEntry(key: string, archive: string, folder: string): CacheRestore {
  try {
    return { kind: 'hit', key, files: readArchive(archive, folder) };
  } catch (thrown) {
    return unusable(key, messageOf(thrown));
  }
}

function unusable(key: string, why: string): CacheTrouble {
  return { kind: 'refused', message: `the entry \`${key}\` cannot be used: ${why}` };
}

/** Largest archive that is looked into, packed and unpacked; what we write stays far below it. */
const MAX_ARCHIVE_BYTES = 8 * 1024 * 1024;
const MAX_UNPACKED_BYTES = 12 * 1024 * 1024;

const ZSTD_MAGIC = 0xfd2fb528;
const BLOCK = 512;

/**
 * The memory files of a folder in a tar archive (`tar --posix`, packed by gzip or Zstandard), by
 * their paths in the folder. Throws an Error for one that is cut off, and for one that holds
 * anything else than such files and folders: nobody but us should have written it. Synchronous,
 * since whoever reads may be waiting in a call that cannot wait.
 * @internal
 */
export function readArchive(path: string, folder: string): MemoryTree {
  const { size } = statSync(path);
  if (size > MAX_ARCHIVE_BYTES) throw new Error(tooLarge(size));
  const archive = unpack(readFileSync(path));
  const tree = new Map<string, string>();
  /** Of the next member, where an extended header says it. */
  let longPath: string | undefined;
  for (let at = 0; ; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.length < BLOCK) throw new Error('it is cut off');
    if (header.every((byte) => byte === 0)) return tree;
    const bytes = Number.parseInt(textAt(header, 124, 12), 8);
    if (!(bytes >= 0)) throw new Error('it is not a POSIX archive');
    const content = archive.subarray(at + BLOCK, at + BLOCK + bytes);
    if (content.length < bytes) throw new Error('it is cut off');
    at += BLOCK + Math.ceil(bytes / BLOCK) * BLOCK;
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
