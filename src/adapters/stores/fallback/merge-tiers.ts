import type { Change } from '../../../core/memory/change.js';
import { untrustedPath } from '../../../core/memory/log-path.js';
import { withoutEntries } from '../../../core/memory/merge.js';
import { isNotesPath } from '../../../core/memory/notes/place.js';
import { forgottenIds, statePath } from '../../../core/memory/state.js';
import type { StoreKind } from '../../../core/memory/store.js';
import type { MemoryTree } from '../../../core/memory/tree.js';
import { parseLog } from '../../../core/memory/units.js';
import type { Unreadable } from '../backend.js';
import type { TreeStore } from '../store.js';

const UNTRUSTED = untrustedPath('');

/** Run logs in both lanes of the agents that these run logs, states and backups are of, each once. */
export function bothLanes(paths: readonly string[]): readonly string[] {
  const trusted = paths.map((path) => {
    const log = path.replace(/\.md\.bak$|\.state\.md$/, '.md');
    return log.startsWith(UNTRUSTED) ? log.slice(UNTRUSTED.length) : log;
  });
  return [...new Set(trusted)].flatMap((path) => [path, untrustedPath(path)]);
}

/**
 * The changes that bring what another place holds of the agents' files to the newest version (D14); none for what it
 * does not hold. States go first, so that nothing forgotten comes along. What the run is about to append itself is left
 * out: without provenance it has another id in the other place.
 */
export function changesFromTier(tree: MemoryTree, changes: readonly Change[]): readonly Change[] {
  return bothLanes(changes.map(({ path }) => path)).flatMap((path): readonly Change[] => {
    if (isNotesPath(path)) return foldNote(tree, path);
    const state = tree.get(statePath(path)) ?? '';
    const text = withoutEntries(tree.get(path) ?? '', appendedIds(changes, path));
    const log = { kind: 'merge', path, text } as const;
    if (state === '') return text === '' ? [] : [log];
    const facts = { kind: 'merge', path: statePath(path), text: state } as const;
    return text === '' && forgottenIds(state).size === 0 ? [facts] : [facts, log];
  });
}

/**
 * The same for notes that the run only read: nobody may ever change them again, and they are to be in one place all the
 * same.
 */
export function mergeReadNotes(held: MemoryTree, changes: readonly Change[]): readonly Change[] {
  const changed = new Set(bothLanes(changes.map(({ path }) => path)));
  const read = [...held.keys()].filter((path) => isNotesPath(path) && !changed.has(path));
  return read.flatMap((path) => foldNote(held, path));
}

function foldNote(tree: MemoryTree, path: string): readonly Change[] {
  const text = tree.get(path) ?? '';
  return text === '' ? [] : [{ kind: 'merge', path, text }];
}

function appendedIds(changes: readonly Change[], path: string): ReadonlySet<string> {
  return new Set(
    changes.flatMap((change) => {
      if (change.kind !== 'append' || change.path !== path) return [];
      return [change.id, ...parseLog(change.text).units.map(({ id }) => id)];
    }),
  );
}

/** `auto` reads all tiers as one memory; `fixed` means the first, and the others only keep what it did not take. */
export type FallbackMode = 'auto' | 'fixed';

/** One of several stores, and what this run has learnt of it. */
export interface Tier {
  readonly store: TreeStore;
  /** 0 for the one that is tried first. */
  readonly index: number;
  /** Why it could not be read. Nothing is added to it then (D14). */
  broken: Unreadable | undefined;
  /** Texts that it held when they were read, by path; empty ones too, and the folders that were read. */
  readonly held: Map<string, string>;
}

/** A store that did not do what was asked of it. */
interface TierFailure {
  readonly kind: StoreKind;
  readonly message: string;
}

/** The first store's failure, with what the others' add to it. */
export function messageOfAll([first, ...others]: readonly TierFailure[], verdict: string): string {
  const texts = others.flatMap(({ kind, message }) =>
    message === first?.message ? [] : [`${named(kind)} ${verdict}: ${message}`],
  );
  return [first?.message ?? '', ...texts].join('; ');
}

/** A store as people know it. */
export function named(kind: StoreKind): string {
  return NAMES[kind];
}

const NAMES: Record<StoreKind, string> = {
  repo: 'the memory branch',
  cache: 'the Actions cache',
  file: 'the memory file',
  none: 'no store',
};
