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
    };

/** Memory as a store keeps it between versions: texts by path. */
export type MemoryTree = ReadonlyMap<string, string>;

/** The tree after the changes. Idempotent for appends: an entry whose id is there is not added again. */
export function applyChanges(tree: MemoryTree, changes: readonly Change[]): MemoryTree {
  const next = new Map(tree);
  for (const change of changes) next.set(change.path, applyChange(next.get(change.path) ?? '', change));
  return next;
}

/** The text after one change. */
export function applyChange(text: string, change: Change): string {
  switch (change.kind) {
    case 'append':
      return holdsEntry(text, change.id) ? text : text + separator(text) + change.text;
    case 'rewrite':
      return change.rewrite(text);
  }
}

/** Whether a text holds the entry with this id (its provenance line names it, D8). */
export function holdsEntry(text: string, id: string): boolean {
  return text.includes(` id=${id} `);
}

/**
 * What has to stand between a text and an entry, so that the entry begins a line of its own even after a write
 * that was cut off.
 */
export function separator(text: string): string {
  return text === '' || text.endsWith('\n') ? '' : '\n';
}
