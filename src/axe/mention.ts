import { stripInvisible } from './outbound/invisible.js';
import { removeHidden } from './prompt/comments.js';

/**
 * What a comment asks for beside the phrase, or undefined where it does not say the phrase: as words of its own, in any
 * case, and neither in code nor in a quotation nor hidden. A phrase at the beginning or the end is taken off; in the
 * middle of a sentence it is part of it. Quotations are somebody else's words and no part of what is asked.
 */
export function findMention(body: string, phrase: string): string | undefined {
  const shown = removeHidden(stripInvisible(body.replaceAll(/\r\n?/g, '\n')));
  const own = withoutQuotations(shown).trim();
  const at = indexOfWords(withoutCode(own), phrase);
  if (at < 0) return undefined;
  const before = own.slice(0, at).trim();
  const after = own.slice(at + phrase.length).trim();
  if (before === '') return after.replace(/^[,:;.!?]+(?=\s|$)/, '').trim();
  return /^[,:;.!?]*$/.test(after) ? before.replace(/[,:;]+$/, '') : own;
}

/**
 * Whether a text was written by a run of ours: a line of it begins with the hidden mark that all of them carry. What is
 * posted is cleaned first, so the mark is never an answer's own.
 */
export function isOwnText(body: string): boolean {
  return /^<!-- axe-action[ :]/m.test(body);
}

function withoutQuotations(text: string): string {
  const fences = fencedLines(text);
  return text
    .split('\n')
    .filter((line, index) => fences.has(index) || !/^ {0,3}>/.test(line))
    .join('\n');
}

/** Stands where code stood: no character of a phrase, nor of a word. */
const MASK = '\u0000';

/** The text at its full length with code blanked out: fenced, indented, between backticks, and as HTML. */
function withoutCode(text: string): string {
  const fences = fencedLines(text);
  let wasText = false;
  const lines = text.split('\n').map((line, index) => {
    // Four spaces make code of a line unless it goes on with a paragraph.
    const isCode = fences.has(index) || (!wasText && /^(?: {4}|\t)/.test(line));
    wasText = !isCode && line.trim() !== '';
    return isCode ? blank(line) : line;
  });
  return blankSpans(lines.join('\n').replace(/<(pre|code)\b[^<>]{0,200}>[\s\S]*?(?:<\/\1>|$)/gi, blank));
}

/** Code between runs of as many backticks, which no blank line may part. Every run is looked at once. */
function blankSpans(text: string): string {
  return text.split('\n\n').map(blankSpansOf).join('\n\n');
}

function blankSpansOf(paragraph: string): string {
  const runs = [...paragraph.matchAll(/`+/g)].map(({ 0: { length }, index }) => ({ length, index }));
  const later = new Map<number, number>();
  const closing = runs.map(() => runs.length);
  for (let at = runs.length - 1; at >= 0; at -= 1) {
    const length = runs[at]?.length ?? 0;
    closing[at] = later.get(length) ?? runs.length;
    later.set(length, at);
  }
  const parts: string[] = [];
  let done = 0;
  for (let at = 0; at < runs.length; at += 1) {
    const open = runs[at];
    const close = runs[closing[at] ?? runs.length];
    if (open === undefined || close === undefined) continue;
    const end = close.index + close.length;
    parts.push(paragraph.slice(done, open.index), blank(paragraph.slice(open.index, end)));
    done = end;
    at = closing[at] ?? at;
  }
  return parts.join('') + paragraph.slice(done);
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, MASK);
}

/** Numbers of the lines of fenced code, from 0; a fence that is never closed goes to the end. */
function fencedLines(text: string): ReadonlySet<number> {
  const found = new Set<number>();
  let open = '';
  for (const [index, line] of text.split('\n').entries()) {
    const [, run = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
    if (open !== '') {
      found.add(index);
      if (run.startsWith(open) && rest.trim() === '') open = '';
    } else if (run !== '' && !(run.startsWith('`') && rest.includes('`'))) {
      found.add(index);
      open = run;
    }
  }
  return found;
}

/** Where a phrase stands as words of its own: `@axe` is neither in `@axe-bot` nor in `me@axe.dev`. */
function indexOfWords(text: string, phrase: string): number {
  const escaped = phrase.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  return (
    new RegExp(`(?<![\\p{L}\\p{N}_@/.-])${escaped}(?![\\p{L}\\p{N}_/@-]|\\.[\\p{L}\\p{N}])`, 'iu').exec(text)
      ?.index ?? -1
  );
}
