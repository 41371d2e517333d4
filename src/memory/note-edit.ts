import { utf8Bytes } from '../lib/text/bytes.js';
import { normalizeCode } from '../lib/text/code.js';
import { withoutPlaces } from './citations.js';
import { separatorAfter } from './run-log.js';

/**
 * A change to one note, as plain JSON: a store applies it to its newest version, and a journal can
 * keep it.
 */
export type NoteEdit =
  | {
      readonly kind: 'append';
      readonly text: string;
      /** Leaves out plain lines that the note, or this text above them, already has. */
      readonly dedup: boolean;
      /** The beginning of a new note. */
      readonly head?: string;
    }
  | { readonly kind: 'overwrite'; readonly text: string }
  | { readonly kind: 'delete' };

type NoteResult =
  /** `addedBytes` counts the bytes from the edit's text, without line breaks put in between. */
  | {
      readonly kind: 'written';
      readonly text: string;
      readonly addedBytes: number;
      readonly skippedLines: number;
    }
  /** Every line was there already. */
  | { readonly kind: 'duplicate'; readonly skippedLines: number };

/** Applies an edit to a note; '' means that there is no note. */
export function editNote(text: string, edit: NoteEdit): NoteResult {
  if (edit.kind === 'append') return append(text, edit);
  const next = edit.kind === 'overwrite' ? edit.text : '';
  return { kind: 'written', text: next, addedBytes: utf8Bytes(next), skippedLines: 0 };
}

/** The note after the edit: '' if it is deleted, unchanged if the edit does nothing. */
export function editedText(text: string, edit: NoteEdit): string {
  const result = editNote(text, edit);
  return result.kind === 'written' ? result.text : text;
}

function append(text: string, edit: Extract<NoteEdit, { readonly kind: 'append' }>): NoteResult {
  const { text: added, skippedLines } = edit.dedup
    ? withoutKnown(text, edit.text)
    : { text: edit.text, skippedLines: 0 };
  if (skippedLines > 0 && normalize(added) === '') return { kind: 'duplicate', skippedLines };

  const before = text === '' ? (edit.head ?? '') : text + separatorAfter(text);
  const after = added.endsWith('\n') ? added : `${added}\n`;
  return { kind: 'written', text: before + after, addedBytes: utf8Bytes(added), skippedLines };
}

/**
 * Leaves out lines that the note has, ignoring white space, but only if the text consists of plain
 * lines and list items: any other line can be part of something larger, such as a table, and does
 * not make sense alone.
 */
function withoutKnown(
  text: string,
  added: string,
): { readonly text: string; readonly skippedLines: number } {
  const lines = added.split('\n');
  if (!lines.every((line) => line.trim() === '' || isPlain(line)))
    return { text: added, skippedLines: 0 };

  const knownLines = new Set(text.split('\n').map(normalize));
  const newLines = lines.filter((line) => {
    const key = normalize(line);
    if (key !== '' && knownLines.has(key)) return false;
    knownLines.add(key);
    return true;
  });
  return { text: newLines.join('\n'), skippedLines: lines.length - newLines.length };
}

/** Excludes headings, code, tables, quotes, data, rules and anything indented. */
function isPlain(line: string): boolean {
  const isPart = /^(?: {2}| ?(?:[\t#>{}[\]<]|```|~~~|"[^"]*"\s*:))|\|/.test(line);
  return !isPart && /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(line);
}

function normalize(line: string): string {
  return normalizeCode(withoutPlaces(line));
}
