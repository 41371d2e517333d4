import { encodeBytes } from '../axe/memory/bytes.js';
import { mergeRunLogs, withoutEntries } from '../axe/memory/merge.js';
import { forgottenIds, statePath } from '../axe/memory/state.js';
import type { ReadRequest, RestoreResult } from '../axe/memory/store.js';
import type { MemoryTree } from '../axe/memory/tree.js';
import { type Found, readRunLog } from './read-run-log.js';
import { openBytes } from './tail.js';

/** What a store answers of run logs that it has as a tree, without what their states say was forgotten. */
export async function readLogs(tree: MemoryTree, request: ReadRequest, place: Found): Promise<RestoreResult> {
  const text = joinLogs(tree, request.paths);
  const state = tree.get(statePath(request.paths.at(-1) ?? '')) ?? '';
  const found = state === '' ? place : { ...place, state };
  if (text === undefined) return { ...found, kind: 'empty' };
  return await readRunLog(openBytes(encodeBytes(text)), request, found);
}

/**
 * The tree without entries that its states say were forgotten. No change of ours leaves one behind, but a merge with git
 * can bring one back, and two processes that write to the same files.
 */
export function withoutForgotten(tree: MemoryTree): MemoryTree {
  return new Map([...tree].map(([path, text]) => [path, withoutEntries(text, forgottenOf(tree, path))]));
}

/** The logs of several places as one in the order of time; of an entry in more than one the first place's counts. */
function joinLogs(tree: MemoryTree, paths: readonly string[]): string | undefined {
  const texts = paths.flatMap((path) => tree.get(path) ?? []);
  const forgotten = new Set(paths.flatMap((path) => [...forgottenOf(tree, path)]));
  return texts.length === 0
    ? undefined
    : texts.reduce((log, other) => mergeRunLogs(log, other, forgotten), '');
}

/** A backup forgets with its file. */
function forgottenOf(tree: MemoryTree, path: string): ReadonlySet<string> {
  return forgottenIds(tree.get(statePath(path.replace(/\.bak$/, ''))) ?? '');
}
