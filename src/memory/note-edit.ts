import { utf8Bytes } from '../lib/text/bytes.js';
import { normalizeCode } from '../lib/text/code.js';
import { withoutPlaces } from './citations.js';
import { separatorAfter } from './run-log.js';

/**
 * What is done to one note, as plain JSON: a store carries it out on its newest version, and a
 * journal can keep it.
 */
export type NoteEdit =
  | {
      readonly kind: 'append';
      readonly text: string;
      /** Leaves out plain lines that the note or the text before them has. */
      readonly dedup: boolean;
      /** What a note that is empty begins with. */
      readonly head?: string;
    }
  | { readonly kind: 'overwrite'; readonly text: string }
  | { readonly kind: 'delete' };

type NoteResult =
  /**
   * `addedBytes` counts what came of the text that was given, without line breaks put in between.
   */
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
  const before = text === '' ? (edit.head ?? '') : text + separatorAfter(text);
  const after = added.endsWith('\n') ? added : `${added}\n`;
  return { kind: 'written', text: before + after, addedBytes: utf8Bytes(added), skippedLines };
}

/**
 * Lines that the note has, white space aside, are left out (D53), but only of a text that is all
 * plain lines and items of lists: any other line may be part of something larger, and means what is
 * around it.
 */
function withoutKnown(
  text: string,
  added: string,
): { readonly text: string; readonly skippedLines: number } {
  const lines = added.split('\n');
  if (!lines.every((line) => line.trim() === '' || isPlain(line)))
    return { text: added, skippedLines: 0 };
  const known = new Set(text.split('\n').map(normalize));
  const kept = lines.filter((line) => {
    const key = normalize(line);
    if (key !== '' && known.has(key)) return false;
    known.add(key);
    return true;
  });
  return { text: kept.join('\n'), skippedLines: lines.length - kept.length };
}

/** No heading, code, table, quote, data, rule, nor anything indented. */
function isPlain(line: string): boolean {
  const isPart = /^(?: {2}| ?(?:[\t#>{}[\]<]|```|~~~|"[^"]*"\s*:))|\|/.test(line);
  return !isPart && /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(line);
}

function normalize(line: string): string {
  return normalizeCode(withoutPlaces(line));
}
