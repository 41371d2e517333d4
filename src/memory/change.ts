import { textId } from '../lib/text/text-id.js';
import { editedText, type NoteEdit } from './note-edit.js';
import { backupPath } from './paths.js';
import { encodeField, PROVENANCE_START, parseProvenance, separatorAfter } from './run-log.js';
import { mergeStates } from './state.js';
import { type KeptCounts, trimLog } from './units.js';

/** Memory as a store keeps it between versions: texts by `/`-separated path. */
export type MemoryTree = ReadonlyMap<string, string>;

/**
 * A change to memory, as data: a store applies the run's changes in order to its newest version,
 * and once more after a conflict (D12).
 */
export type MemoryChange =
  | {
      readonly kind: 'append';
      /** Place in the tree, `/`-separated, for example `pr-reviewer.md`. */
      readonly path: string;
      readonly text: string;
      /** Unique id of the entry; a text that already holds it is left alone. */
      readonly id: string;
      /** It may have been saved already, at this time or later. */
      readonly again?: Date;
    }
  | {
      readonly kind: 'rewrite';
      readonly path: string;
      /** From the newest text to the next one; pure, since it may run more than once. */
      readonly rewrite: (text: string) => string;
      /**
       * Ids of the entries that it takes out: a save of one of them that comes again adds nothing.
       */
      readonly removes?: readonly string[];
    }
  | {
      /** Facts of a state; of the same kind and key the later one holds. */
      readonly kind: 'facts';
      readonly path: string;
      readonly text: string;
    }
  | {
      /**
       * Takes entries out of a run log; what is taken out is kept next to it as `.bak`, one
       * generation.
       */
      readonly kind: 'trim';
      readonly path: string;
      readonly keeps: KeptCounts;
    }
  | NoteChange;

export interface NoteChange {
  readonly kind: 'note';
  readonly path: string;
  readonly edit: NoteEdit;
  /** Whether the version before the run's first change is kept next to it, as its `.bak`. */
  readonly backup: boolean;
  /** Unique; no note holds it. */
  readonly id: string;
  /** What the run saw the note become, see `versionId`. */
  readonly makes?: string;
  /** It may have been saved already, at this time or later. */
  readonly again?: Date;
}

/**
 * The tree after the changes. Idempotent for appends and facts: an entry whose id is there is not
 * added again.
 */
export function applyChanges(tree: MemoryTree, changes: readonly MemoryChange[]): MemoryTree {
  const next = new Map(tree);
  /** Notes as they were before the first change to each. */
  const found = new Map<string, string>();
  for (const change of changes) {
    const { path } = change;
    const before = next.get(path) ?? '';
    if (change.kind === 'trim') {
      const { removed } = trimLog(before, change.keeps);
      if (removed !== '') next.set(`${path}.bak`, removed);
    }
    if (change.kind === 'note' && !found.has(path)) found.set(path, before);
    const text = applyChange(before, change);
    const old = found.get(path) ?? '';
    if (change.kind === 'note' && change.backup && text !== before && old !== '' && old !== text)
      next.set(backupPath(path), old);
    if (text !== '' || next.has(path)) next.set(path, text);
  }
  return next;
}

export function applyChange(text: string, change: MemoryChange): string {
  switch (change.kind) {
    case 'append':
      return holdsEntry(text, change.id) ? text : text + separatorAfter(text) + change.text;
    case 'rewrite':
      return change.rewrite(text);
    case 'trim':
      return trimLog(text, change.keeps).kept;
    case 'facts':
      return mergeStates(text, change.text);
    case 'note':
      return editedText(text, change.edit);
  }
}

/**
 * Whether an append that may have been made already was made, as far as the note says; for a place
 * without a history.
 */
export function isCarriedOut(text: string, { again, edit }: NoteChange): boolean {
  return again !== undefined && edit.kind === 'append' && holdsLines(text, edit.text);
}

/** What a version of a note is known by; '' for no note. */
export function versionId(text: string): string {
  return text === '' ? '' : textId(text);
}

/**
 * Whether all changes to a note were made before, by a save of which nobody learnt how it ended:
 * they may come again, and the note is what the run saw it become.
 */
export function isAlreadyMade(
  text: string,
  path: string,
  changes: readonly MemoryChange[],
): boolean {
  const last = changes.findLast((change) => change.kind === 'note' && change.path === path);
  return last?.kind === 'note' && last.again !== undefined && last.makes === versionId(text);
}

/**
 * Whether a text has these lines, one below the other and each whole; space around them does not
 * count.
 */
function holdsLines(text: string, lines: string): boolean {
  const trimmed = (all: string) => all.split('\n').flatMap((line) => line.trim() || []);
  const joined = (all: string) => `\n${trimmed(all).join('\n')}\n`;
  return lines.trim() === '' || joined(text).includes(joined(lines));
}

/** Every place that the changes touch, each once. */
export function changedPaths(changes: readonly MemoryChange[]): readonly string[] {
  const backups = changes.flatMap((change) => {
    if (change.kind === 'trim') return [`${change.path}.bak`];
    return change.kind === 'note' && change.backup ? [backupPath(change.path)] : [];
  });
  return [...new Set([...changes.map(({ path }) => path), ...backups])];
}

/**
 * Whether a text holds the entry with this id: its provenance line names it (D8), and that line is
 * whole, since an entry that was cut off has to be written again.
 */
export function holdsEntry(text: string, id: string): boolean {
  const mark = `${PROVENANCE_START}id=${encodeField(id)} `;
  for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, at + 1)) {
    const isLine = at === 0 || text[at - 1] === '\n';
    const end = text.indexOf('\n', at);
    if (isLine && parseProvenance(text.slice(at, end < 0 ? undefined : end)) !== undefined)
      return true;
  }
  return false;
}
