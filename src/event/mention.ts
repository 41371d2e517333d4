import { visibleMarkdown } from '../safety/fence.js';

/**
 * The request in a comment that mentions the phrase; undefined if it does not. The phrase counts as
 * separate words, in any case, and neither in code nor in a quotation nor in hidden text. A phrase
 * at the beginning or the end is removed; in the middle of a sentence it is part of the request.
 * Quotations are somebody else's words, so they are left out.
 */
export function findMention(body: string, phrase: string): string | undefined {
  const shown = visibleMarkdown(body.replaceAll(/\r\n?/g, '\n'));
  const lines = withoutQuotations(readLines(shown));
  const written = lines.map(({ text }) => text).join('\n');
  const request = written.trim();

  const searched = withoutCode(lines).slice(written.length - written.trimStart().length);
  const phraseIndex = indexOfWords(searched, phrase);
  if (phraseIndex < 0) return undefined;

  const before = request.slice(0, phraseIndex).trim();
  const after = request.slice(phraseIndex + phrase.length).trim();
  if (before === '') return after.replace(/^[,:;.!?]+(?=\s|$)/, '').trim();
  return /^[,:;.!?]*$/.test(after) ? before.replace(/[,:;]+$/, '') : request;
}

interface Line {
  readonly text: string;
  readonly kind: 'text' | 'quote' | 'code' | 'blank';
  /** Continues the paragraph of the line before. */
  readonly isContinued: boolean;
}

/**
 * The lines of a markdown text, approximately: a quotation lasts until a blank line, and lists are
 * not parsed.
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

/** Replaces a quotation with a blank line, so that the text around it stays in two paragraphs. */
function withoutQuotations(lines: readonly Line[]): readonly Line[] {
  return lines.flatMap((line, index) => {
    if (line.kind !== 'quote') return [line];
    return lines[index - 1]?.kind === 'quote'
      ? []
      : [{ text: '', kind: 'blank', isContinued: false }];
  });
}

/** Replaces each character of code: it occurs neither in a phrase nor in a word. */
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

/** Blanks out code between two runs of equally many backticks; a run without a second is text. */
function blankSpansOf(paragraph: string): string {
  const parts = paragraph.split(/(`+)/);
  const lastIndex = new Map(parts.map((part, index) => [part, index]));
  let open = '';

  return parts
    .map((part, index) => {
      const isRun = part.startsWith('`');
      if (open !== '') {
        if (part === open) open = '';
        return blank(part);
      }
      if (!isRun || lastIndex.get(part) === index) return part;
      open = part;
      return blank(part);
    })
    .join('');
}

function blank(text: string): string {
  return text.replaceAll(/[^\n]/g, MASK);
}

/** The phrase must be separate words: `@axe` is neither in `@axe-bot` nor in `me@axe.dev`. */
function indexOfWords(text: string, phrase: string): number {
  const escaped = phrase.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
  const words = `(?<![\\p{L}\\p{N}_@/.-])${escaped}(?![\\p{L}\\p{N}_/@-]|\\.[\\p{L}\\p{N}])`;
  return text.search(new RegExp(words, 'iu'));
}
