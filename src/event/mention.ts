import { visibleMarkdown } from '../safety/fence.js';

/**
 * What a comment asks for besides the phrase, or undefined where it does not say the phrase: as
 * words of its own, in any case, and neither in code nor in a quotation nor hidden. A phrase at the
 * beginning or the end is taken off; in the middle of a sentence it is part of it. Quotations are
 * somebody else's words and no part of what is asked.
 */
export function findMention(body: string, phrase: string): string | undefined {
  const shown = visibleMarkdown(body.replaceAll(/\r\n?/g, '\n'));
  const lines = withoutQuotations(readLines(shown));
  const written = lines.map(({ text }) => text).join('\n');
  const own = written.trim();
  const searched = withoutCode(lines).slice(written.length - written.trimStart().length);
  const at = indexOfWords(searched, phrase);
  if (at < 0) return undefined;
  const before = own.slice(0, at).trim();
  const after = own.slice(at + phrase.length).trim();
  if (before === '') return after.replace(/^[,:;.!?]+(?=\s|$)/, '').trim();
  return /^[,:;.!?]*$/.test(after) ? before.replace(/[,:;]+$/, '') : own;
}

interface Line {
  readonly text: string;
  readonly kind: 'text' | 'quote' | 'code' | 'blank';
  /** It goes on with the paragraph of the line before. */
  readonly isContinued: boolean;
}

/**
 * The lines of a markdown text, near enough: a quotation lasts until a blank line, and lists are
 * not looked into.
 */
function readLines(markdown: string): readonly Line[] {
  let fence = '';
  let kind: Line['kind'] = 'blank';
  return markdown.split('\n').map((text) => {
    const isContinued = kind === 'text' && !ITEM.test(text);
    if (fence !== '') {
      kind = 'code';
      if (FENCE_END.exec(text)?.[1]?.startsWith(fence)) fence = '';
    } else if (text.trim() === '') kind = 'blank';
    else if (kind === 'quote' || QUOTE.test(text)) kind = 'quote';
    else {
      fence = FENCE.exec(text)?.[1] ?? '';
      kind = fence !== '' || (kind !== 'text' && INDENTED.test(text)) ? 'code' : 'text';
    }
    return { text, kind, isContinued: isContinued && kind === 'text' };
  });
}

const ITEM = /^\s*(?:[-+*]|\d+[.)])(?:\s|$)/;
const QUOTE = /^\s*(?:(?:[-+*]|\d+[.)])\s+)*>/;
const FENCE = /^\s*(?:(?:[-+*]|\d+[.)])\s+)*(`{3,}(?=[^`]*$)|~{3,})/;
const FENCE_END = /^\s*(`{3,}|~{3,})\s*$/;
const INDENTED = /^(?: {4}| {0,3}\t)/;

/** A blank line takes the place of a quotation, so that what was around it stays apart. */
function withoutQuotations(lines: readonly Line[]): readonly Line[] {
  return lines.flatMap((line, index) => {
    if (line.kind !== 'quote') return [line];
    return lines[index - 1]?.kind === 'quote'
      ? []
      : [{ text: '', kind: 'blank', isContinued: false }];
  });
}

/** Stands where code stood: no character of a phrase, nor of a word. */
const MASK = '\u0000';

/**
 * The text at its full length with code blanked out: fenced, indented, between backticks, and as
 * HTML.
 */
function withoutCode(lines: readonly Line[]): string {
  const text = lines
    .map((line) => (line.kind === 'code' ? blank(line.text) : line.text))
    .join('\n');
  const shown = text.replace(/<(pre|code)\b[^<>]{0,200}>[\s\S]*?(?:<\/\1>|$)/gi, blank).split('\n');
  const paragraphs: string[][] = [];
  for (const [index, line] of shown.entries()) {
    if (lines[index]?.isContinued === true) paragraphs.at(-1)?.push(line);
    else paragraphs.push([line]);
  }
  return paragraphs.map((paragraph) => blankSpansOf(paragraph.join('\n'))).join('\n');
}

/** Blanks out code between runs of as many backticks; a run that never comes again is text. */
function blankSpansOf(paragraph: string): string {
  const parts = paragraph.split(/(`+)/);
  const lastAt = new Map(parts.map((part, at) => [part, at]));
  let open = '';
  return parts
    .map((part, at) => {
      const isRun = part.startsWith('`');
      if (open !== '') {
        if (part === open) open = '';
        return blank(part);
      }
      if (!isRun || lastAt.get(part) === at) return part;
      open = part;
      return blank(part);
    })
    .join('');
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, MASK);
}

/**
 * Where a phrase stands as words of its own: `@axe` is neither in `@axe-bot` nor in `me@axe.dev`.
 */
function indexOfWords(text: string, phrase: string): number {
  const escaped = phrase.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const words = `(?<![\\p{L}\\p{N}_@/.-])${escaped}(?![\\p{L}\\p{N}_/@-]|\\.[\\p{L}\\p{N}])`;
  return text.search(new RegExp(words, 'iu'));
}
