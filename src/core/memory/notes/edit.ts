import { utf8Bytes } from '../../text/cut.js';
import { separator } from '../run-log.js';
import { textId } from '../units.js';
import { type NoteLine, readNoteLines } from './note-lines.js';

/** What is done to one note, as plain JSON: a store carries it out on its newest version, and a journal can keep it. */
export type NoteEdit =
  | {
      readonly kind: 'append';
      readonly text: string;
      /** Leaves out plain lines that the note or the text before them has under the same heading. */
      readonly dedup: boolean;
      /** What a note that is empty begins with. */
      readonly head?: string;
    }
  | { readonly kind: 'overwrite'; readonly text: string }
  | { readonly kind: 'delete' };

/** What becomes of a note. */
export type NoteResult =
  /** `addedBytes` counts what came of the text that was given, without line breaks put in between. */
  | {
      readonly kind: 'written';
      readonly text: string;
      readonly addedBytes: number;
      readonly skippedLines: number;
    }
  /** Every line was there already. */
  | { readonly kind: 'duplicate'; readonly skippedLines: number };

/** What an edit makes of a note; '' stands for a note that is not there (memory-tools 1.2). */
export function editNote(text: string, edit: NoteEdit): NoteResult {
  if (edit.kind === 'append') return append(text, edit);
  const next = edit.kind === 'overwrite' ? edit.text : '';
  return { kind: 'written', text: next, addedBytes: utf8Bytes(next), skippedLines: 0 };
}

/** The note after the edit, '' if it is deleted; as it was if the edit does nothing. */
export function editedText(text: string, edit: NoteEdit): string {
  const result = editNote(text, edit);
  return result.kind === 'written' ? result.text : text;
}

function append(text: string, edit: Extract<NoteEdit, { readonly kind: 'append' }>): NoteResult {
  const { text: added, skippedLines } = edit.dedup
    ? withoutKnown(text, edit.text)
    : { text: edit.text, skippedLines: 0 };
  if (skippedLines > 0 && normalize(added) === '') return { kind: 'duplicate', skippedLines };
  const before = text === '' ? (edit.head ?? '') : text + separator(text);
  const after = added.endsWith('\n') ? added : `${added}\n`;
  return { kind: 'written', text: before + after, addedBytes: utf8Bytes(added), skippedLines };
}

/**
 * Of lines that are the same under the same heading, white space aside, only the first stays (D53): plain lines and items
 * of lists alone, since any other line may be part of something larger. A heading stays unless it repeats the one that
 * the text is under already, or all that is under it is left out.
 */
function withoutKnown(text: string, added: string): { readonly text: string; readonly skippedLines: number } {
  const old = text === '' ? [] : (text + separator(text)).split('\n').slice(0, -1);
  const lines = readNoteLines([...old, ...added.split('\n')], 'is-code');
  const known = new Set(lines.slice(0, old.length).flatMap(keyOf));
  let above = lines[old.length - 1]?.under ?? '';
  const judged = lines.slice(old.length).map((line) => {
    const [key] = keyOf(line);
    const isRepeated = line.kind === 'heading' && line.under === above;
    const isKept = key === undefined ? !isRepeated : line.kind === 'parent' || !known.has(key);
    if (key !== undefined) known.add(key);
    above = line.under;
    return { line, isKept };
  });
  const left = withoutEmptied(judged);
  return { text: left.map((line) => line.text).join('\n'), skippedLines: judged.length - left.length };
}

/** What a line is known by; none for one that is never left out. */
function keyOf({ kind, text, under }: NoteLine): readonly [] | readonly [string] {
  return kind === 'plain' || kind === 'parent' ? [`${under}\n\n${normalize(text)}`] : [];
}

interface Judged {
  readonly line: NoteLine;
  readonly isKept: boolean;
}

/** The lines that are kept, but for headings that have lost all that was under them. */
function withoutEmptied(judged: readonly Judged[]): readonly NoteLine[] {
  const said = judged.filter(({ line }) => line.kind !== 'heading' && line.kind !== 'blank');
  const had = headingsOver(said);
  const have = headingsOver(said.filter(({ isKept }) => isKept));
  return judged.flatMap(({ line, isKept }) => {
    const isEmptied = line.kind === 'heading' && had.has(line.under) && !have.has(line.under);
    return isKept && !isEmptied ? [line] : [];
  });
}

/** Every heading that one of the lines is under, near or far. */
function headingsOver(lines: readonly Judged[]): ReadonlySet<string> {
  const paths = new Set(lines.map(({ line }) => line.under));
  return new Set(
    [...paths].flatMap((path) => {
      const titles = path.split('\n');
      return titles.map((_, index) => titles.slice(0, index + 1).join('\n'));
    }),
  );
}

function normalize(line: string): string {
  return line.replace(/\p{White_Space}+/gu, ' ').trim();
}

/** What a version of a note is known by; '' for no note. */
export function versionId(text: string): string {
  return text === '' ? '' : textId(text);
}

/** Of a change, what says whether it was made before; only changes of notes say it. */
interface Replayed {
  readonly kind: string;
  readonly path: string;
  /** What the run saw the note become, as {@link versionId}. */
  readonly makes?: string;
  readonly again?: true;
}

/**
 * Whether all changes to a note were made before, by a save of which nobody learnt how it ended: they may come again, and
 * the note is what the run saw it become.
 */
export function isMade(text: string, path: string, changes: readonly Replayed[]): boolean {
  const last = changes.findLast((change) => change.kind === 'note' && change.path === path);
  return last?.again === true && last.makes === versionId(text);
}
