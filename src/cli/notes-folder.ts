import type { Change } from '../core/memory/change.js';
import { isNotesPath } from '../core/memory/notes/place.js';
import type { BlockedPlace, FailedSave, MemoryStore, SaveResult, TreeResult } from '../core/memory/store.js';

/** A store whose notes lie in a folder of their own (`memory.dir`), and all else where it was. */
export function withNotesFolder(store: MemoryStore, notes: MemoryStore): MemoryStore {
  return {
    ...store,
    async readTree(signal, under) {
      const forNotes = under?.filter(isOfNotes);
      const others = under?.filter((place) => !isOfNotes(place));
      const own = forNotes?.length === 0 ? undefined : await notes.readTree(signal, forNotes);
      if (own === undefined) return await store.readTree(signal, others);
      if (own.kind === 'failed' || others?.length === 0) return own;
      return joined(await store.readTree(signal, others), onlyNotes(own));
    },
    async write(changes, signal) {
      const own = changes.filter(({ path }) => isOfNotes(path));
      const others = changes.filter(({ path }) => !isOfNotes(path));
      const first = others.length === 0 ? undefined : await store.write(others, signal);
      if (own.length === 0) return first ?? (await store.write([], signal));
      if (first?.kind === 'failed') return first;
      return together(await notes.write(own, signal), first, own);
    },
  };
}

/** Whether a place of the tree is a note's, its state or its former version, or a folder of notes. */
export function isOfNotes(place: string): boolean {
  if (/(?:^|\/)(?:notes|projects\/[^/]+\/daily)\/$/.test(place)) return true;
  return isNotesPath(place.replace(/(?:\.md)?\.bak$|\.state\.md$/, '.md'));
}

type Tree = Extract<TreeResult, { readonly kind: 'tree' }>;

function onlyNotes(found: Tree): Tree {
  return { ...found, tree: new Map([...found.tree].filter(([path]) => isOfNotes(path))) };
}

/** Notes beside the other files are not this agent's. */
function joined(rest: TreeResult, notes: Tree): TreeResult {
  if (rest.kind === 'failed') return rest;
  const others = [...rest.tree].filter(([path]) => !isOfNotes(path));
  return {
    ...notes,
    tree: new Map([...others, ...notes.tree]),
    warnings: [...rest.warnings, ...notes.warnings],
    blocked: [...(rest.blocked ?? []), ...(notes.blocked ?? [])],
  };
}

/** Notes that could not be saved do not make what is saved before them unsaved. */
function together(result: SaveResult, first: SaveResult | undefined, own: readonly Change[]): SaveResult {
  if (first?.kind !== 'saved') return result;
  const notices = [...(first.notices ?? []), ...(result.kind === 'saved' ? (result.notices ?? []) : [])];
  const unsaved = result.kind === 'saved' ? (result.unsaved ?? []) : unsavedNotes(own, result);
  return {
    ...first,
    ...(notices.length === 0 ? {} : { notices }),
    ...(unsaved.length === 0 ? {} : { unsaved }),
  };
}

function unsavedNotes(
  own: readonly Change[],
  { reason, message, remedy }: FailedSave,
): readonly BlockedPlace[] {
  const failure = { reason, message, ...(remedy === undefined ? {} : { remedy }) };
  return [...new Set(own.map(({ path }) => path))].map((path) => ({ path, ...failure }));
}
