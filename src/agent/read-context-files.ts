import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { isInside } from '../lib/confine.js';
import { ConfigError } from '../lib/errors.js';
import { errorCode, fileError } from '../lib/file-error.js';
import { compileGlob } from '../lib/text/glob.js';
import { readFully } from '../lib/text-file.js';
import {
  BINARY_CHECK_BYTES,
  type ContextBudget,
  type ContextFile,
  createContextBudget,
  isBinary,
} from '../prompt/context-files.js';
import { type WalkedFile, walkFiles } from '../tools/files/walk-files.js';
import type { AgentLibrary } from './agent-source.js';

/** Never waits for the other end of a FIFO, and never follows a link that was put there since the walk. */
const OPEN_FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);

/**
 * Context files of an agent from a folder on disk (axe-behaviour §7): text files that match the patterns, in byte order
 * of their paths; binary and unreadable ones are left out. A relative workdir is relative to the process's. Throws a
 * ConfigError for a malformed pattern, and for a workdir that does not exist if there are patterns. What lies in a
 * folder of `hidden`, absolute paths, matches nothing, by whatever link it is found.
 */
export async function loadContextFiles(
  patterns: readonly string[],
  workdir: string,
  hidden: readonly string[] = [],
): ReturnType<AgentLibrary['loadContextFiles']> {
  if (patterns.length === 0) return { files: [], warnings: [] };
  const root = await resolveWorkdir(resolve(workdir));
  const closed = await Promise.all(hidden.map((folder) => realpath(folder).catch(() => folder)));
  const matching = await walkFiles(root, patterns.map(compileGlob));
  const found = matching.filter(({ realPath }) => !closed.some((folder) => isInside(folder, realPath)));
  const budget = createContextBudget();
  const files: ContextFile[] = [];
  for (const file of found) {
    const content = await readText(file, budget);
    if (content !== undefined) files.push({ path: file.path, content });
  }
  return { files, warnings: budget.warnings() };
}

/** Throws a ConfigError for a folder that is not there. */
export async function resolveWorkdir(workdir: string): Promise<string> {
  try {
    return await realpath(workdir);
  } catch (thrown) {
    throw new ConfigError(`failed to resolve workdir symlinks: ${await firstMissing(workdir, thrown)}`, {
      cause: thrown,
      remedy: '`files` are looked for in the workdir: check `workdir` in the agent and `--workdir`.',
    });
  }
}

/** The error of the first folder on the way that cannot be looked at, as axe tells it. */
async function firstMissing(path: string, fallback: unknown): Promise<string> {
  if (errorCode(fallback) === 'ELOOP') return 'EvalSymlinks: too many links';
  const parent = dirname(path);
  if (parent !== path) {
    try {
      await realpath(parent);
    } catch (thrown) {
      return firstMissing(parent, thrown);
    }
  }
  try {
    await lstat(path);
    return fileError('lstat', path, fallback).message;
  } catch (thrown) {
    return fileError('lstat', path, thrown).message;
  }
}

/** The text of a file; undefined if it is binary, cannot be read or does not fit any more. */
async function readText(file: WalkedFile, budget: ContextBudget): Promise<string | undefined> {
  if (budget.isSpent()) {
    budget.take(file.path, 0);
    return undefined;
  }
  let handle: FileHandle | undefined;
  try {
    handle = await open(file.realPath, OPEN_FLAGS);
    const stats = await handle.stat();
    const { size } = stats;
    const isText =
      stats.isFile() && !isBinary(await readFully(handle, 0, Math.min(size, BINARY_CHECK_BYTES)));
    if (!isText) return undefined;
    if (!budget.take(file.path, size)) return undefined;
    // Bytes that are not UTF-8 become U+FFFD; a byte order mark is kept, as in axe.
    return new TextDecoder('utf-8', { ignoreBOM: true }).decode(await readFully(handle, 0, size));
  } catch (thrown) {
    if (errorCode(thrown) === undefined) throw thrown;
    return undefined;
  } finally {
    await handle?.close();
  }
}
