/** A piece of an HTML page. */
export type HtmlToken =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'open'; readonly name: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly name: string };

/** Elements whose content is no text for a reader. */
const SKIPPED = new Set([
  'script',
  'style',
  'template',
  'svg',
  'math',
  'iframe',
  'object',
  'noembed',
  'select',
]);

const NAME = /[A-Za-z][A-Za-z0-9:-]*/y;

/**
 * The tags and the text of a page, without comments, declarations and what is inside of scripts and the like. What is
 * never closed goes on to the end, as in a browser. Takes time linear in the page: every search that fails ends it.
 */
export function* tokenizeHtml(html: string): Generator<HtmlToken> {
  let at = 0;
  while (at < html.length) {
    const start = html.indexOf('<', at);
    const textEnd = start < 0 ? html.length : start;
    if (textEnd > at) yield { kind: 'text', text: html.slice(at, textEnd) };
    if (start < 0) return;
    const token = readTag(html, start);
    if (token.kind !== 'nothing') yield token;
    at = token.kind === 'open' && SKIPPED.has(token.name) ? skipElement(html, token) : token.end;
  }
}

type ReadTag = (HtmlToken | { readonly kind: 'nothing' }) & { readonly end: number };

function readTag(html: string, start: number): ReadTag {
  if (html.startsWith('<!--', start)) return { kind: 'nothing', end: after(html, '-->', start + 4) };
  const next = html.charAt(start + 1);
  if (next === '!' || next === '?') return { kind: 'nothing', end: after(html, '>', start + 2) };
  NAME.lastIndex = next === '/' ? start + 2 : start + 1;
  const name = NAME.exec(html)?.[0].toLowerCase();
  if (name === undefined) return { kind: 'text', text: '<', end: start + 1 };
  const nameEnd = NAME.lastIndex;
  const end = tagEnd(html, nameEnd);
  if (next === '/') return { kind: 'close', name, end };
  return { kind: 'open', name, attributes: html.slice(nameEnd, Math.max(nameEnd, end - 1)), end };
}

/** Behind the `>` that closes a tag; one in a quoted value closes nothing. */
function tagEnd(html: string, from: number): number {
  let at = from;
  while (at < html.length) {
    const character = html.charAt(at);
    if (character === '>') return at + 1;
    at = character === '"' || character === "'" ? after(html, character, at + 1) : at + 1;
  }
  return html.length;
}

function skipElement(html: string, { name, attributes, end }: ReadTag & { kind: 'open' }): number {
  if (attributes.trimEnd().endsWith('/') && (name === 'svg' || name === 'math')) return end;
  const close = new RegExp(`</${name}(?=[\\s/>]|$)`, 'gi');
  close.lastIndex = end;
  return close.exec(html) === null ? html.length : tagEnd(html, close.lastIndex);
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from);
  return found < 0 ? html.length : found + text.length;
}
