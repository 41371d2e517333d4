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
 * and applies them again after a conflict.
 */
export type MemoryChange =
  | {
      readonly kind: 'append';
      /** Place in the tree, `/`-separated, for example `pr-reviewer.md`. */
      readonly path: string;
      readonly text: string;
      /** Unique id of the entry; a text that already contains it is not changed. */
      readonly id: string;
      /** An earlier save might have succeeded, at this time or later. */
      readonly again?: Date;
    }
  | {
      readonly kind: 'rewrite';
      readonly path: string;
      /** Turns the newest text into the next one; pure, since it can run more than once. */
      readonly rewrite: (text: string) => string;
      /** Ids of the entries that it removes: a repeated save of one of them adds nothing. */
      readonly removes?: readonly string[];
    }
  | {
      /** Facts of a state; a later one replaces an earlier one with the same key. */
      readonly kind: 'facts';
      readonly path: string;
      readonly text: string;
    }
  | {
      /** Removes entries from a run log and keeps them next to it as `.bak`, one generation. */
      readonly kind: 'trim';
      readonly path: string;
      readonly keeps: KeptCounts;
    }
  | NoteChange;

export interface NoteChange {
  readonly kind: 'note';
  readonly path: string;
  readonly edit: NoteEdit;
  /** Keeps the version before the run's first change next to the note, as its `.bak`. */
  readonly backup: boolean;
  /** Unique; it is not written into the note. */
  readonly id: string;
  /** `versionId` of the note after the change, as the run saw it. */
  readonly makes?: string;
  /** An earlier save might have succeeded, at this time or later. */
  readonly again?: Date;
}

/** Idempotent for appends and facts: an entry whose id is in the tree is not added again. */
export function applyChanges(tree: MemoryTree, changes: readonly MemoryChange[]): MemoryTree {
  const next = new Map(tree);
  /** Notes as they were before the first change to each. */
  const originals = new Map<string, string>();
  for (const change of changes) {
    const { path } = change;
    const before = next.get(path) ?? '';
    if (change.kind === 'trim') {
      const { removed } = trimLog(before, change.keeps);
      if (removed !== '') next.set(`${path}.bak`, removed);
    }
    if (change.kind === 'note' && !originals.has(path)) originals.set(path, before);

    const text = applyChange(before, change);
    const original = originals.get(path) ?? '';
    const isChanged = text !== before && original !== '' && original !== text;
    if (change.kind === 'note' && change.backup && isChanged) next.set(backupPath(path), original);
    if (text !== '' || next.has(path)) next.set(path, text);
  }
  return next;
}

export function applyChange(text: string, change: MemoryChange): string {
  switch (change.kind) {
    case 'append':
      return holdsEntry(text, change) ? text : text + separatorAfter(text) + change.text;
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
 * A store without a history can only tell from the note's text that an earlier save of an append
 * succeeded.
 */
export function isCarriedOut(text: string, { again, edit }: NoteChange): boolean {
  return again !== undefined && edit.kind === 'append' && holdsLines(text, edit.text);
}

/** Identifies a version of a note; '' if there is no note. */
export function versionId(text: string): string {
  return text === '' ? '' : textId(text);
}

/**
 * True if a save whose answer was lost made all changes to a note: they can be repeated, and the
 * note already is as the run saw it after its changes.
 */
export function isAlreadyMade(
  text: string,
  path: string,
  changes: readonly MemoryChange[],
): boolean {
  const last = changes.findLast((change) => change.kind === 'note' && change.path === path);
  return last?.kind === 'note' && last.again !== undefined && last.makes === versionId(text);
}

/** Whole lines in the same order without others between them; space around a line is ignored. */
function holdsLines(text: string, lines: string): boolean {
  const trimmed = (all: string) => all.split('\n').flatMap((line) => line.trim() || []);
  const joined = (all: string) => `\n${trimmed(all).join('\n')}\n`;
  return lines.trim() === '' || joined(text).includes(joined(lines));
}

/** Every path that the changes touch, each once. */
export function changedPaths(changes: readonly MemoryChange[]): readonly string[] {
  const backups = changes.flatMap((change) => {
    if (change.kind === 'trim') return [`${change.path}.bak`];
    return change.kind === 'note' && change.backup ? [backupPath(change.path)] : [];
  });
  return [...new Set([...changes.map(({ path }) => path), ...backups])];
}

/**
 * True if the text has the entry with this id, whatever people have changed in it. An entry that
 * was cut off does not count, since it has to be written again.
 */
export function holdsEntry(
  text: string,
  { id, text: entry }: { readonly id: string; readonly text: string },
): boolean {
  const mark = `${PROVENANCE_START}id=${encodeField(id)} `;
  const whole = entry.slice(entry.indexOf(mark)).trimEnd();
  for (let start = text.indexOf(mark); start >= 0; start = text.indexOf(mark, start + 1)) {
    const isLineStart = start === 0 || text[start - 1] === '\n';
    const end = text.indexOf('\n', start);
    const line = text.slice(start, end < 0 ? undefined : end);
    const next = text.indexOf('\n## ', start);
    const rest = text.slice(start, next < 0 ? undefined : next);
    const written = rest.replaceAll('\r\n', '\n').trimEnd();
    const isCutOff = written !== whole && whole.startsWith(written);
    if (isLineStart && !isCutOff && parseProvenance(line) !== undefined) return true;
  }
  return false;
}
