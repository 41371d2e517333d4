import { compareBytes } from '../../text/bytes.js';
import { dateOf } from '../../text/dates.js';
import type { Warning } from '../../warning.js';
import { applyChanges, type NoteChange } from '../change.js';
import type { TreeResult } from '../store.js';
import type { MemoryTree } from '../tree.js';
import { flatDailyPath, type NotesPlaces, type NoteTarget, noteKind, notesUnder, pathOf } from './place.js';

/** Where the notes of a run come from. */
interface ViewOptions {
  readonly places: NotesPlaces;
  readonly runLogs: readonly string[];
  /** Whether every call reads anew, since changes are saved at once. */
  readonly isLive: boolean;
  load(under: readonly string[] | undefined): Promise<TreeResult>;
  now(): Date;
  warn(warning: Warning): void;
}

/** The notes as a run sees them. */
interface View {
  /** What there is, at the least at the wanted paths, with the changes of the run. */
  tree(paths?: readonly string[]): Promise<TreeResult>;
  /** Carries a change out on what was read. */
  apply(change: NoteChange): void;
}

/** Reads of the store what a run may ask for: once, and later only what is asked for besides it; or each time. */
export function createView({ places, runLogs, isLive, load, now, warn }: ViewOptions): View {
  let current: Loaded | undefined;
  const requested = new Set<string>();

  async function ask(under: readonly string[] | undefined): Promise<TreeResult> {
    const loaded = await load(under);
    if (loaded.kind === 'tree') for (const warning of loaded.warnings) warn(warning);
    return loaded;
  }

  async function tree(paths?: readonly string[]): Promise<TreeResult> {
    if (isLive) return await ask(paths ?? everything());
    const first = current ?? (await readFirst());
    if (first.kind === 'failed') return first;
    // A store that left something out of a folder may have it anyway, under its name.
    const isKnown = (path: string) =>
      first.warnings.length === 0 || first.tree.has(path)
        ? isRequested(path, requested)
        : requested.has(path);
    const missing = places.scope === 'shared' ? [] : (paths ?? []).filter((path) => !isKnown(path));
    return missing.length === 0 ? first : await readMore(first, missing);
  }

  async function readFirst(): Promise<TreeResult> {
    const under = everything();
    const loaded = await ask(under);
    if (loaded.kind === 'failed') return loaded;
    for (const path of under ?? []) requested.add(path);
    current = loaded;
    return loaded;
  }

  async function readMore(first: Loaded, paths: readonly string[]): Promise<TreeResult> {
    const more = await ask(paths);
    if (more.kind === 'failed') return more;
    for (const path of paths) requested.add(path);
    const blocked = [...(first.blocked ?? []), ...(more.blocked ?? [])];
    current = { ...first, tree: new Map([...more.tree, ...first.tree]), blocked };
    return current;
  }

  function everything(): readonly string[] | undefined {
    return everythingUnder({ places, runLogs, now: now() });
  }

  return {
    tree,
    apply(change) {
      if (current !== undefined) current = { ...current, tree: applyChanges(current.tree, [change]) };
    },
  };
}

/**
 * The places that a run may ask for. Where everybody shares, days stand between the run logs and no folder can be asked
 * for: undefined, which means all.
 */
export function everythingUnder({
  places,
  runLogs,
  now,
}: Pick<ViewOptions, 'places' | 'runLogs'> & { readonly now: Date }): readonly string[] | undefined {
  if (places.scope === 'shared') return undefined;
  const days = [now, new Date(now.getTime() - DAY_MS)].map(dateOf).map(flatDailyPath);
  return [...days, ...notesUnder(places), ...runLogs];
}

type Loaded = Extract<TreeResult, { readonly kind: 'tree' }>;

const DAY_MS = 24 * 60 * 60 * 1000;

function isRequested(path: string, requested: ReadonlySet<string>): boolean {
  return requested.has(path) || requested.has(path.slice(0, path.lastIndexOf('/') + 1));
}

/**
 * Paths of long-term memory, daily logs and notes of a run, in byte order; empty files, scratchpads, run logs and former
 * versions are left out, as memory-tools 1.4 has it.
 */
export function listNotes(tree: MemoryTree, places: NotesPlaces): readonly string[] {
  const paths = [...tree].flatMap(([path, text]) => (text !== '' && isListed(path, places) ? [path] : []));
  return paths.sort(compareBytes);
}

function isListed(path: string, places: NotesPlaces): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/, '');
  const target = targetOf(path, name);
  if (target === undefined) return false;
  return path === pathOf(target, places) || (target.kind === 'daily' && path === flatDailyPath(name));
}

function targetOf(path: string, name: string): NoteTarget | undefined {
  const kind = noteKind(path);
  switch (kind) {
    case 'long_term':
      return { kind };
    case 'daily':
      return { kind, date: name };
    case 'note':
      return { kind, name };
    case 'scratchpad':
    case undefined:
      return undefined;
  }
}
