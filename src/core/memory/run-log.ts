import { MAX_RESULT_CODE_POINTS } from '../defaults.js';
import { parseProvenance } from './provenance.js';

/** What goes into an entry of the run log. */
export interface NewEntry {
  readonly timestamp: Date;
  readonly task: string;
  readonly result: string;
  /** Line made by `formatProvenance`; left out, the entry is axe's (D8). */
  readonly provenance?: string;
}

/** An entry as it stands in a run log: from a line that starts with `## ` up to the next such line. */
export interface Entry {
  /** Index of the heading in the text. */
  readonly start: number;
  /** The heading line without `## `; axe writes a timestamp, people may write anything. */
  readonly heading: string;
  /** The entry's bytes, heading and trailing blank lines included. */
  readonly text: string;
  /** Id of the last provenance line in it, if it has one (D8). */
  readonly id?: string;
}

const HEADING = '## ';
const LINE_BREAKS = /\r\n|[\n\r\u2028\u2029\u0085]/g;
const FORGED_LINE = /(?<=[\n\r\u2028\u2029\u0085])(?=## |<!-- axe-action v=)/g;
const PROVENANCE_LINE = /(?<![^\n])<!-- axe-action v=1 [^\n]*(?:\n|$)/g;

/**
 * An entry as axe writes it (axe-behaviour §10) with the deviations of D7. Beyond D7, a line
 * of a result that looks like a provenance line gets a leading space where no provenance is written, so that
 * nothing a model says is ever taken for one. Unpaired surrogates become U+FFFD, as they would in the file.
 */
export function formatEntry({ timestamp, task, result, provenance }: NewEntry): string {
  const clean = provenance === undefined ? wellFormed : withoutComments;
  const heading = timestamp.toISOString().replace(/\.\d+Z$/, 'Z');
  const taskLine = clean(task).replace(LINE_BREAKS, ' ');
  const resultLines = cut(clean(result)).replace(FORGED_LINE, ' ');
  const lines = [
    `${HEADING}${heading}`,
    `**Task:** ${taskLine === '' ? '(none)' : taskLine}`,
    `**Result:** ${resultLines === '' ? '(none)' : resultLines}`,
  ];
  if (provenance !== undefined) lines.push(provenance);
  return `${lines.join('\n')}\n\n`;
}

/** The entries of a run log in the order of the file; text before the first heading belongs to none. */
export function parseEntries(text: string): readonly Entry[] {
  const starts = entryStarts(text);
  return starts.map((start, index) => {
    const entry = text.slice(start, starts[index + 1] ?? text.length);
    const heading = (entry.split('\n', 1)[0] ?? '').slice(HEADING.length).replace(/\r$/, '');
    const id = entryId(entry);
    return { start, heading, text: entry, ...(id === undefined ? {} : { id }) };
  });
}

/**
 * The newest `n` entries as they stand in the text; 0 means the whole text, what stands before the first entry
 * included, and that part is left out otherwise (axe-behaviour §10).
 */
export function lastEntries(text: string, n: number): string {
  if (n === 0) return text;
  const starts = entryStarts(text);
  const start = starts[Math.max(0, starts.length - n)];
  return start === undefined ? '' : text.slice(start);
}

/** Lines that start with `## ` (axe-behaviour §10). */
export function countEntries(text: string): number {
  return entryStarts(text).length;
}

/** The text without provenance lines, for prompts; nothing else changes (D8). */
export function stripProvenance(text: string): string {
  return text.replace(PROVENANCE_LINE, (line) => (isProvenance(line.replace(/\n$/, '')) ? '' : line));
}

function entryStarts(text: string): readonly number[] {
  const starts = text.startsWith(HEADING) ? [0] : [];
  for (let at = text.indexOf(`\n${HEADING}`); at >= 0; at = text.indexOf(`\n${HEADING}`, at + 1)) {
    starts.push(at + 1);
  }
  return starts;
}

function entryId(entry: string): string | undefined {
  const lines = (entry.match(PROVENANCE_LINE) ?? []).map((line) => parseProvenance(line.replace(/\n$/, '')));
  return lines.findLast((line) => line !== undefined)?.id;
}

function isProvenance(line: string): boolean {
  return parseProvenance(line) !== undefined;
}

function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/**
 * The text without `<!--` and `-->`, nor any that come together once others are taken out (D7d): each is dropped
 * the moment it is complete, so one pass reaches the fixpoint however deep they are nested.
 */
function withoutComments(text: string): string {
  if (!/<!--|-->/.test(text)) return wellFormed(text);
  const kept: string[] = [];
  for (const character of wellFormed(text)) {
    kept.push(character);
    if (endsWith(kept, '-->')) kept.length -= 3;
    else if (endsWith(kept, '<!--')) kept.length -= 4;
  }
  return kept.join('');
}

function endsWith(characters: readonly string[], mark: string): boolean {
  const from = characters.length - mark.length;
  return from >= 0 && [...mark].every((character, index) => characters[from + index] === character);
}

/** At most 1000 code points, then `...`; a code point is never split (D7b). */
function cut(text: string): string {
  if (text.length <= MAX_RESULT_CODE_POINTS) return text;
  let codePoints = 0;
  let end = 0;
  for (const character of text) {
    if (codePoints === MAX_RESULT_CODE_POINTS) return `${text.slice(0, end)}...`;
    codePoints += 1;
    end += character.length;
  }
  return text;
}
