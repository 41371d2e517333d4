import { type Clock, createClock } from '../../../lib/clock.js';
import type { Environment } from '../../../lib/environment.js';
import { messageOf } from '../../../lib/errors.js';
import { grouped } from '../../../lib/text/number.js';
import { type ArchiveRefusal, MAX_ARCHIVE_BYTES, refuseArchive } from './archive.js';
import { cacheWriteRemedy } from './cache-key.js';
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

export type CacheLibrary = Pick<
  typeof import('@actions/cache'),
  'isFeatureAvailable' | 'restoreCache' | 'saveCache'
>;

interface CacheClientOptions {
  /** Environment of the step; the library itself reads the process's own. */
  readonly env: Environment;
  /** Current folder of the process. */
  readonly cwd: string;
  /** What the library prints to: the process's standard output. */
  readonly output: Output;
  readonly load?: () => Promise<CacheLibrary>;
  readonly clock?: Pick<Clock, 'sleep'> | undefined;
}

/** Part of an entry's identity: without it entries of Windows runners are found on Windows only. */
const CROSS_OS = true;

/**
 * How long an answer is waited for, in milliseconds. Left alone, the library tries five times in 24 to 35 s when the
 * service is down, and waits for ever when it says nothing; its first three tries are in time.
 */
const RESTORE_LIMIT_MS = 20_000;

/** The same for a service that has answered before in this run: a save among many is worth the wait for a slow machine. */
const LATER_RESTORE_LIMIT_MS = 60_000;

/** Longer than the library's own attempts take, and than a megabyte does on a slow line. */
const SAVE_LIMIT_MS = 60_000;

/** Texts that the library prints where an error ends the call; others it prints from timers. */
const STOPPING_POINT = /^(?:Cache Size: |Attempt \d|::debug::\[Request\] )/;

/**
 * The Actions cache through `@actions/cache`, loaded at the first call. The library looks for `paths` in the current
 * folder when saving and unpacks in `GITHUB_WORKSPACE`, so both have to be the same. Its annotations are kept back
 * and returned in the outcome's message. Archives are looked into before they are unpacked.
 */
export function createCacheClient(options: CacheClientOptions): CacheClient {
  const { env, cwd, output, load = () => import('@actions/cache'), clock = createClock() } = options;
  const capture = createCapture(output);
  let opened: Promise<CacheLibrary> | undefined;
  let hasAnswered = false;

  return {
    async restore({ paths, keys: [key = '', ...others] }, signal) {
      const trouble = await unavailable('read');
      if (trouble !== undefined) return trouble;
      const [folder = ''] = paths;
      const gate = createUnpackGate((archive) => refuseArchive(archive, folder), MAX_ARCHIVE_BYTES);
      const call = (library: CacheLibrary) => library.restoreCache([...paths], key, others, {}, CROSS_OS);
      const limitMs = hasAnswered ? LATER_RESTORE_LIMIT_MS : RESTORE_LIMIT_MS;
      const end = await run(call, limitMs, signal, gate.see);
      if ('kind' in end) return end;
      const { result, lines } = end;
      const outcome =
        result.kind === 'threw' ? failedCall(result.error) : restoreOutcome(result.value, lines);
      hasAnswered ||= outcome.kind === 'hit' || outcome.kind === 'miss';
      return gate.judge(outcome);
    },
    async save({ paths, key }, signal) {
      const trouble = await unavailable('write');
      if (trouble !== undefined) return cacheMode(env) === 'read' ? { ...trouble, kind: 'denied' } : trouble;
      const call = (library: CacheLibrary) => library.saveCache([...paths], key, {}, CROSS_OS);
      const end = await run(call, SAVE_LIMIT_MS, signal);
      if ('kind' in end) return end;
      const { result, lines } = end;
      return result.kind === 'threw' ? failedCall(result.error) : saveOutcome(result.value, lines);
    },
  };

  /** Nothing stops the library but an error where it prints: a call that is given up ends at its next such line. */
  async function run<T>(
    call: (library: CacheLibrary) => Promise<T>,
    limitMs: number,
    signal: AbortSignal,
    see?: (text: string) => void,
  ): Promise<Captured<T> | GivenUp> {
    if (signal.aborted) return { kind: 'given-up', message: STOPPED, ended: Promise.resolve() };
    let isOver = false;
    const pending = capture(
      async () => await call(await library()),
      (text) => {
        if (isOver && STOPPING_POINT.test(text)) throw new Error('nobody waits for it any more');
        see?.(text);
      },
    );
    const captured = await waitInTime(pending, limitMs, signal, clock);
    if (captured !== undefined) return captured;
    isOver = true;
    const message = `the cache service gave no usable answer within ${limitMs / 1000} s`;
    return { kind: 'given-up', message: signal.aborted ? STOPPED : message, ended: pending.then(() => {}) };
  }

  function library(): Promise<CacheLibrary> {
    opened ??= load();
    return opened;
  }

  /** Why the cache cannot be used for this, before the service is asked. */
  async function unavailable(access: 'read' | 'write'): Promise<CacheTrouble | undefined> {
    const forbidden = checkAccess(access, env, cwd);
    if (forbidden !== undefined) return forbidden;
    const { result } = await capture(async () => (await library()).isFeatureAvailable());
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
  limitMs: number,
  signal: AbortSignal,
  clock: Pick<Clock, 'sleep'>,
): Promise<T | undefined> {
  const answered = new AbortController();
  const timeUp = clock.sleep(limitMs, AbortSignal.any([signal, answered.signal])).then(() => undefined);
  try {
    return await Promise.race([pending, timeUp]);
  } finally {
    answered.abort();
  }
}

/** Modes of `ACTIONS_CACHE_MODE` that let a job in; unset or unknown means both (the library's own rule). */
const ALLOWED = {
  read: new Set(['', 'read', 'write']),
  write: new Set(['', 'write', 'write-only']),
} as const;

const MODES = ['none', 'read', 'write', 'write-only'];

/** Why a job must not read or write the cache, before anybody is asked; undefined if nothing speaks against it. */
export function checkAccess(
  access: 'read' | 'write',
  env: Environment,
  cwd: string,
): CacheTrouble | undefined {
  const mode = cacheMode(env);
  if (!ALLOWED[access].has(mode))
    return {
      kind: 'unavailable',
      message: `\`cache-mode: ${mode}\` does not let this job ${access} the cache`,
      remedy: cacheWriteRemedy(env['GITHUB_EVENT_NAME']),
    };
  const workspace = env['GITHUB_WORKSPACE'];
  if (workspace === undefined || workspace === '' || workspace === cwd) return undefined;
  return {
    kind: 'unavailable',
    message: `the cache unpacks in ${workspace}, but the step runs in ${cwd}`,
  };
}

/** The mode of a job as the runner tells it; empty if it tells none that is known. */
function cacheMode(env: Environment): string {
  const mode = (env['ACTIONS_CACHE_MODE'] ?? '').trim().toLowerCase();
  return MODES.includes(mode) ? mode : '';
}

/**
 * Stands between the download of an entry and its unpacking. `refuse` says why an archive must not be unpacked. `@actions/cache` unpacks with `tar -P`, which writes wherever an archive says. It prints where the archive is before
 * it downloads it and how large it is before it unpacks it (`lib/cache.js`, `lib/internal/downloadUtils.js` of 6.3.0),
 * and an error thrown from there ends the restore.
 */
export function createUnpackGate(refuse: (archive: string) => ArchiveRefusal | undefined, maxBytes: number) {
  let key = '';
  let archive: string | undefined;
  let refusal: ArchiveRefusal | undefined;
  let hasPassed = false;
  return {
    /** Takes what the library prints as it prints it. Throws where it must not go on. */
    see(text: string): void {
      const line = plainLine(text.trimEnd());
      key = /^Cache hit for(?: restore-key)?: (.+)$/.exec(line)?.[1] ?? key;
      archive = /^Archive path: (.+)$/i.exec(line)?.[1] ?? archive;
      const announced = /^Downloading segment at offset 0 with length (\d+)/.exec(line)?.[1];
      if (Number(announced ?? 0) > maxBytes)
        stop({
          kind: 'suspect',
          reason: `it has ${grouped(Number(announced))} bytes, and at most ${grouped(maxBytes)} are downloaded`,
        });
      if (!line.startsWith('Cache Size: ')) return;
      const found = archive === undefined ? UNKNOWN_PLACE : refuse(archive);
      if (found !== undefined) stop(found);
      hasPassed = true;
    },
    /** What became of the restore, seen from here. */
    judge(outcome: CacheRestore): CacheRestore {
      if (refusal !== undefined) {
        const name = key === '' ? 'an entry' : `the entry \`${key}\``;
        const message = `${name} was not unpacked: ${refusal.reason}`;
        return refusal.kind === 'suspect'
          ? { kind: 'refused', message }
          : { kind: 'error', message, remedy: DAMAGED_REMEDY };
      }
      if (outcome.kind !== 'hit' || hasPassed) return outcome;
      return { kind: 'error', message: `\`${outcome.key}\` was unpacked before it could be inspected` };
    },
  };

  function stop(found: ArchiveRefusal): never {
    refusal = found;
    throw new Error(found.reason);
  }
}

const UNKNOWN_PLACE = { kind: 'suspect', reason: 'no path was reported for it' } as const;

const DAMAGED_REMEDY =
  'Its upload or download was interrupted. Run it again; if that does not help, delete the entry under Actions → Caches.';
