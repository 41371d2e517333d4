import { encodeField } from './field.js';
import { mergeFiles } from './merge.js';
import { parseProvenance } from './provenance.js';
import { separator } from './separator.js';
import { forgottenIds, isStatePath, statePath } from './state.js';
import type { MemoryTree } from './tree.js';
import { parseLog } from './units.js';

/**
 * A change to memory, as data: a store applies the run's changes in order to its newest version, and once more
 * after a conflict (D12).
 */
export type Change =
  | {
      readonly kind: 'append';
      /** Place in the tree, `/`-separated, for example `pr-reviewer.md`. */
      readonly path: string;
      readonly text: string;
      /** Unique id of the entry; a text that already holds it is left alone. */
      readonly id: string;
    }
  | {
      readonly kind: 'rewrite';
      readonly path: string;
      /** From the newest text to the next one; pure, since it may run more than once. */
      readonly rewrite: (text: string) => string;
    }
  | {
      /** Folds in what another place kept: entries and facts that the newest text does not have. */
      readonly kind: 'merge';
      readonly path: string;
      readonly text: string;
    };

/**
 * The tree after the changes. Idempotent for appends and merges: an entry whose id is there is not added again, and one
 * that was forgotten never comes back.
 */
export function applyChanges(tree: MemoryTree, changes: readonly Change[]): MemoryTree {
  const next = new Map(tree);
  for (const change of statesFirst(changes)) {
    const forgotten = forgottenIds(next.get(statePath(change.path)) ?? '');
    const text = applyChange(next.get(change.path) ?? '', change, forgotten);
    if (text !== '' || next.has(change.path)) next.set(change.path, text);
  }
  return next;
}

/** The changes of states before all others, whose result hangs on them; otherwise in order. */
export function statesFirst(changes: readonly Change[]): readonly Change[] {
  const states = changes.filter(({ path }) => isStatePath(path));
  return states.length === 0 ? changes : [...states, ...changes.filter(({ path }) => !isStatePath(path))];
}

/** The text after one change; `forgotten` are ids that must not come back. */
export function applyChange(text: string, change: Change, forgotten: ReadonlySet<string>): string {
  switch (change.kind) {
    case 'append':
      if (isForgotten(change, forgotten) || holdsEntry(text, change.id)) return text;
      return text + separator(text) + change.text;
    case 'rewrite':
      return change.rewrite(text);
    case 'merge':
      return mergeFiles(change.path, { base: text, other: change.text, forgotten });
  }
}

/** Every place that the changes touch or that decides about them, each once. */
export function pathsOf(changes: readonly Change[]): readonly string[] {
  return withStates(changes.map(({ path }) => path));
}

/** The run logs with the states that say what was forgotten of them, each once. */
export function withStates(paths: readonly string[]): readonly string[] {
  return [...new Set(paths.flatMap((path) => [path, statePath(path)]))];
}

/** Whether the entry that a change appends was forgotten: by the change's id or, without provenance, by its text. */
export function isForgotten(
  { id, text }: { readonly id: string; readonly text: string },
  forgotten: ReadonlySet<string>,
): boolean {
  if (forgotten.size === 0) return false;
  return forgotten.has(id) || parseLog(text).units.some((unit) => forgotten.has(unit.id));
}

/**
 * Whether a text holds the entry with this id: its provenance line names it (D8), and that line is whole, since an entry
 * that was cut off has to be written again.
 */
export function holdsEntry(text: string, id: string): boolean {
  const mark = `<!-- axe-action v=1 id=${encodeField(id)} `;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    const isLine = at === 0 || text[at - 1] === '\n';
    const end = text.indexOf('\n', at);
    if (isLine && parseProvenance(text.slice(at, end < 0 ? undefined : end)) !== undefined) return true;
  }
  return false;
}
