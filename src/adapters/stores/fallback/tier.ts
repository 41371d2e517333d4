import type { StoreKind } from '../../../core/memory/store.js';
import type { Unreadable } from '../backend.js';
import type { TreeStore } from '../store.js';

/** `auto` reads all rungs as one memory; `fixed` means the first, and the others only keep what it did not take. */
export type FallbackMode = 'auto' | 'fixed';

/** A store of a ladder and what was learnt of it in this run. */
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
export interface TierFailure {
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
