import { textId } from '../memory/units.js';

/** A line of code as it is compared: indentation and spacing count for nothing. */
export function normalizeCode(line: string): string {
  return line.replace(/\s+/g, ' ').trim();
}

/** Whether a line says which line it is, by three different words or names; `}` and `return null;` do not. */
function isTelling(line: string): boolean {
  return new Set(line.match(/[\p{L}\p{N}_]+/gu) ?? []).size >= 3;
}

/**
 * What a line of code is known by where the line itself is not kept: 16 hexadecimal digits, behind `~` for one that does
 * not say which line it is. Empty for no line.
 */
export function codeKey(line: string): string {
  const code = normalizeCode(line);
  return code === '' ? '' : `${isTelling(code) ? '' : '~'}${textId(code).slice(2)}`;
}

/** Whether the line that a key stands for says which line it is. */
export function isTellingKey(key: string): boolean {
  return key !== '' && !key.startsWith('~');
}

/** The last line of a part of a diff, without its mark: a comment is about that one. */
export function lastCode(hunk: string): string {
  const last = hunk.split(/\r?\n/).findLast((line) => !line.startsWith('\\')) ?? '';
  return last.slice(1);
}
