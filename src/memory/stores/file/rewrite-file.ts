import { hostname } from 'node:os';
import type { Clock } from '../../../lib/clock.js';
import { type Files, type OpenFile, readWhole } from '../../../lib/files.js';
import { decodeBytes } from '../../../lib/text/bytes.js';
import { separatorAfter } from '../../run-log.js';
import { type FailedSave, saveFailed } from '../../store.js';

export interface NextVersion {
  readonly text: string;
  /** Text for the backup next to the file; undefined to write none. */
  readonly backup: string | undefined;
}

interface RewriteOptions {
  readonly files: Files;
  readonly clock: Clock;
  readonly followLinks: boolean;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /**
   * Turns the newest version into the next one, undefined if they are equal; can run more than
   * once.
   */
  readonly rewrite: (old: string) => NextVersion | undefined;
  /** Path of the backup; '' for no backup. */
  readonly backupPath: string;
  readonly removes?: boolean;
}

/**
 * Largest block that is carried over at once; far more than anybody appends between the last look
 * and the rename.
 */
const LATE_BYTES = 4 * 1024 * 1024;

/**
 * Rewrites a file under its lock and keeps the old content next to it, one generation. Appending
 * takes no lock. If the file has grown before the rename, the rewrite starts again; text appended
 * between that check and the rename is found in the old file and carried over. Text is lost only if
 * a program opened the old file before the rename and writes to it after the carry-over. Throws
 * what the file system throws.
 */
export async function rewriteFile(
  path: string,
  options: RewriteOptions,
): Promise<FailedSave | undefined> {
  const { files, clock, deadlineMs, signal } = options;
  const lockPath = `${path}.lock`;
  const lock = await takeLock(lockPath, options);
  const isLocked = saveFailed(
    'conflict',
    `another process holds ${lockPath}`,
    'If no other run is active, delete that file.',
  );
  if (lock === undefined) return isLocked;
  // Another process may have taken it for stale.
  const isHeld = async () => (await readLock(files, lockPath)) === lock;
  try {
    for (;;) {
      if (signal.aborted || clock.now().getTime() > deadlineMs)
        return saveFailed('conflict', `other processes kept writing to ${path}`);
      if (!(await isHeld())) return isLocked;
      if (await rewriteOnce(path, options, isHeld)) return undefined;
      await clock.sleep(1, signal);
    }
  } finally {
    if (await isHeld()) await files.remove(lockPath);
  }
}

/** False if the file changed meanwhile, and nothing was put in its place. */
async function rewriteOnce(
  path: string,
  options: RewriteOptions,
  isHeld: () => Promise<boolean>,
): Promise<boolean> {
  const { files, followLinks, rewrite, backupPath, removes } = options;
  const old = await files.open(path, { followLinks });
  if (old === undefined) {
    // It begins as an empty file: a whole one could be put in place by a second name only, and as
    // long as both names exist readers take the file for a hard link from elsewhere.
    const isNothing = rewrite('') === undefined;
    if (!isNothing) await files.append(path, '', { followLinks: false });
    return isNothing;
  }
  try {
    const next = rewrite(decodeBytes(await old.read(0, old.bytes)));
    if (next === undefined) return true;
    if (backupPath !== '' && old.bytes > 0 && next.backup !== undefined)
      await files.replace(backupPath, next.backup, { modeOf: path });
    if (!(await isHeld())) return false;
    // It may have grown, or another program put a new one there.
    const now = await files.open(path, { followLinks });
    await now?.close();
    if (now?.bytes !== old.bytes) return false;
    if (next.text === '' && removes === true) await files.remove(path);
    else await files.replace(path, next.text);
    await carryOver(files, path, old, separatorAfter(next.text) === '');
    return true;
  } finally {
    await old.close();
  }
}

/** Appends to the new file what came into the old one between the last look and the rename. */
async function carryOver(
  files: Files,
  path: string,
  old: OpenFile,
  endsLine: boolean,
): Promise<void> {
  let isLine = endsLine;
  for (let position = old.bytes; ; ) {
    const late = await old.read(position, LATE_BYTES);
    if (late.length === 0) return;
    const text = decodeBytes(late);
    await files.append(path, isLine ? text : `\n${text}`, { followLinks: false });
    position += late.length;
    isLine = separatorAfter(text) === '';
  }
}

const STALE_AFTER_MS = 60_000;
const EMPTY_AFTER_MS = 10_000;
const MAX_WAIT_MS = 500;

/**
 * Takes the lock of a file: a file next to it, created exclusively, that says who holds it since
 * when. One older than 60 s was left by a process that died. Returns what is in it, or undefined if
 * it could not be taken in time.
 */
async function takeLock(
  lockPath: string,
  { files, clock, deadlineMs, signal }: RewriteOptions,
): Promise<string | undefined> {
  let emptySinceMs: number | undefined;
  for (;;) {
    const content = `${process.pid} ${hostname()} ${clock.now().toISOString()} ${clock.newId()}\n`;
    if (await files.createExclusive(lockPath, content)) return content;
    const current = await readLock(files, lockPath);
    const nowMs = clock.now().getTime();
    // An empty one is just being written, unless it stays so.
    emptySinceMs = current === '' ? (emptySinceMs ?? nowMs) : undefined;
    const isStale =
      emptySinceMs === undefined
        ? current !== undefined && isOld(current, nowMs)
        : nowMs - emptySinceMs > EMPTY_AFTER_MS;
    if (isStale && (await readLock(files, lockPath)) === current) await files.remove(lockPath);
    else await clock.sleep(Math.max(1, clock.random() * MAX_WAIT_MS), signal);
    if (signal.aborted || clock.now().getTime() > deadlineMs) return undefined;
  }
}

async function readLock(files: Files, path: string): Promise<string | undefined> {
  return await readWhole(files, path, { followLinks: false });
}

/**
 * A lock from the future, by more than any clock skew, is as dead as an old one; so is one that is
 * not ours.
 */
function isOld(content: string, nowMs: number): boolean {
  const sinceMs = Date.parse(content.trim().split(' ').at(-2) ?? '');
  return Number.isNaN(sinceMs) || Math.abs(nowMs - sinceMs) >= STALE_AFTER_MS;
}
