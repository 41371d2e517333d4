import { hostname } from 'node:os';
import type { Clock } from '../../../core/clock.js';
import type { Files, OpenFile } from '../../../core/files.js';
import { decodeBytes, readWhole } from '../../../core/text/bytes.js';
import { separator } from '../../run-log.js';

/** What comes of a file. */
export interface NextVersion {
  readonly text: string | AsyncIterable<string>;
  /** What is kept of the old text next to it; undefined for nothing. */
  readonly backup: string | AsyncIterable<string> | undefined;
}

/** What rewriting a file needs. */
interface RewriteOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly followLinks: boolean;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** From the newest version to the next one, undefined if they are the same; may run more than once. */
  readonly rewrite: (old: OpenFile) => Promise<NextVersion | undefined>;
  /** Where it is kept: `<file>.bak` unless said otherwise, nowhere for ''. */
  readonly backupPath?: string | undefined;
  /** Whether a file whose next text is empty is removed. */
  readonly removes?: boolean | undefined;
}

/** How a rewrite ended. */
export type Rewritten = 'done' | 'locked' | 'busy';

/** Most that is carried over at once; far more than anybody appends in the moment between look and rename. */
const LATE_BYTES = 4 * 1024 * 1024;

/**
 * Rewrites a file under its lock and keeps the old content next to it, one generation. Appending takes no
 * lock: what was appended since the file was read is seen before the new one is put in place, and the
 * rewrite starts again; what was appended in between is found in the old file afterwards and carried over. Left is
 * a program that opened the old file before the rename and writes to it after that last look.
 * Throws what the file system throws.
 */
export async function rewriteFile(path: string, options: RewriteOptions): Promise<Rewritten> {
  const lock = await takeLock(path, options);
  if (lock === undefined) return 'locked';
  try {
    for (;;) {
      if (options.signal.aborted || options.clock.now().getTime() > options.deadlineMs) return 'busy';
      if (!(await lock.isHeld())) return 'locked';
      if (await rewriteOnce(path, options, lock.isHeld)) return 'done';
      await options.clock.sleep(1, options.signal);
    }
  } finally {
    await lock.release();
  }
}

/** A rewrite of the whole text; of the old one all is kept unless said otherwise. */
export function rewriteText(
  rewrite: (text: string) => Promise<string> | string,
  backup: (text: string) => Promise<string | undefined> = async (text) => text,
): RewriteOptions['rewrite'] {
  return async (old) => {
    const text = decodeBytes(await old.read(0, old.bytes));
    const next = await rewrite(text);
    return next === text ? undefined : { text: next, backup: await backup(text) };
  };
}

/** False if the file changed meanwhile, and nothing was put in its place. */
async function rewriteOnce(
  path: string,
  options: RewriteOptions,
  isHeld: () => Promise<boolean>,
): Promise<boolean> {
  const { files, followLinks, rewrite, backupPath = `${path}.bak` } = options;
  const old = await files.open(path, { followLinks });
  if (old === undefined) return await isNothing(files, path, await rewrite(EMPTY));
  try {
    const next = await rewrite(old);
    if (next === undefined) return true;
    if (backupPath !== '' && old.bytes > 0 && next.backup !== undefined)
      await files.replace(backupPath, next.backup, { modeOf: path });
    if (!(await isHeld()) || !(await isStill(files, path, { old, followLinks }))) return false;
    const end = { isLine: true };
    if (next.text === '' && options.removes === true) await files.remove(path);
    else await files.replace(path, watchEnd(next.text, end));
    await carryOver(files, path, { old, end });
    return true;
  } finally {
    await old.close();
  }
}

const EMPTY: OpenFile = { bytes: 0, read: async () => new Uint8Array(), close: async () => {} };

/** Notes on the way whether a text ends a line. */
function watchEnd(text: NextVersion['text'], end: { isLine: boolean }): NextVersion['text'] {
  if (typeof text !== 'string') return watchPieces(text, end);
  end.isLine = separator(text) === '';
  return text;
}

async function* watchPieces(pieces: AsyncIterable<string>, end: { isLine: boolean }): AsyncGenerator<string> {
  for await (const piece of pieces) {
    if (piece !== '') end.isLine = separator(piece) === '';
    yield piece;
  }
}

/**
 * A file that does not exist begins as an empty one, which is then rewritten as any other. A whole one could be put in
 * place by a second name only, and as long as both names exist readers take the file for a hard link from elsewhere.
 */
async function isNothing(files: Files, path: string, next: NextVersion | undefined): Promise<boolean> {
  if (next !== undefined) await files.append(path, '', { followLinks: false });
  return next === undefined;
}

/** Whether the path still names a file of that size: it may have grown, or another program put a new one there. */
async function isStill(
  files: Files,
  path: string,
  { old, followLinks }: { readonly old: OpenFile; readonly followLinks: boolean },
): Promise<boolean> {
  const now = await files.open(path, { followLinks });
  await now?.close();
  return now?.bytes === old.bytes;
}

/** Appends to the new file what came into the old one between the last look and the rename. */
async function carryOver(
  files: Files,
  path: string,
  { old, end }: { readonly old: OpenFile; readonly end: { readonly isLine: boolean } },
): Promise<void> {
  let position = old.bytes;
  let isLine = end.isLine;
  for (
    let late = await old.read(position, LATE_BYTES);
    late.length > 0;
    late = await old.read(position, LATE_BYTES)
  ) {
    const text = decodeBytes(late);
    await files.append(path, isLine ? text : `\n${text}`, { followLinks: false });
    position += late.length;
    isLine = separator(text) === '';
  }
}

/** A lock that is held. */
interface Lock {
  /** Whether it is still ours: another process may have taken it for stale. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/** What taking a lock needs. */
interface LockOptions {
  readonly files: Files;
  readonly clock: Clock;
  /** Time by which it has to be taken, in milliseconds since 1970. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
}

const STALE_AFTER_MS = 60_000;
const MAX_WAIT_MS = 500;

/**
 * Takes the lock of a file: a file next to it, `<file>.lock`, created exclusively, that says who holds it since
 * when. One older than 60 s was left by a process that died. Undefined if it could not be taken in time.
 */
async function takeLock(
  path: string,
  { files, clock, deadlineMs, signal }: LockOptions,
): Promise<Lock | undefined> {
  const lockPath = `${path}.lock`;
  for (;;) {
    const content = `${process.pid} ${hostname()} ${clock.now().toISOString()} ${clock.newId()}\n`;
    if (await files.createExclusive(lockPath, content)) {
      return {
        isHeld: async () => (await readLock(files, lockPath)) === content,
        release: async () => {
          if ((await readLock(files, lockPath)) === content) await files.remove(lockPath);
        },
      };
    }
    const held = await readLock(files, lockPath);
    const isStale = held !== undefined && isOld(held, clock.now().getTime());
    if (isStale && (await readLock(files, lockPath)) === held) await files.remove(lockPath);
    else await clock.sleep(Math.max(1, clock.random() * MAX_WAIT_MS), signal);
    if (signal.aborted || clock.now().getTime() > deadlineMs) return undefined;
  }
}

async function readLock(files: Files, path: string): Promise<string | undefined> {
  return await readWhole(files, path, { followLinks: false });
}

/** A lock from the future, by more than any clock skew, is as dead as an old one; so is one that is not ours. */
function isOld(content: string, nowMs: number): boolean {
  const sinceMs = Date.parse(content.trim().split(' ').at(-2) ?? '');
  return Number.isNaN(sinceMs) || Math.abs(nowMs - sinceMs) >= STALE_AFTER_MS;
}
