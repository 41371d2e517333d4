import { decodeEntities } from './html-entities.js';
import { tokenizeHtml } from './html-tags.js';

/** Elements that stand on lines of their own. */
const BLOCKS = new Set(
  'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody thead title tr ul'.split(
    ' ',
  ),
);

/** Longest address of a link that is shown. */
const MAX_LINK = 300;

/**
 * The text of an HTML page for a model: paragraphs, headings (`## …`), list items (`- …`) and table rows on lines of
 * their own, `pre` as it is, links with their address behind the text. Hidden text is shown with the rest: nothing the
 * page says is for the model alone. Takes time linear in the page.
 */
export function htmlToText(html: string, baseUrl: string): string {
  const writer = createWriter();
  const links: string[] = [];
  let preformatted = 0;
  for (const token of tokenizeHtml(html)) {
    switch (token.kind) {
      case 'text':
        writer.text(decodeEntities(token.text), preformatted > 0);
        break;
      case 'open':
        if (token.name === 'br') writer.lineBreak();
        else if (token.name === 'img') writer.text(imageText(token.attributes), false);
        else if (token.name === 'a') links.push(linkTarget(token.attributes, baseUrl));
        else if (BLOCKS.has(token.name)) writer.block(prefixOf(token.name));
        else if (token.name === 'td' || token.name === 'th') writer.cell();
        if (token.name === 'pre') preformatted += 1;
        break;
      case 'close':
        if (token.name === 'a') writer.text(links.pop() ?? '', false);
        else if (BLOCKS.has(token.name)) writer.block('');
        if (token.name === 'pre') preformatted = Math.max(0, preformatted - 1);
        break;
    }
  }
  return writer.result();
}

function prefixOf(name: string): string {
  if (name === 'li') return '- ';
  return /^h[1-6]$/.test(name) ? `${'#'.repeat(Number(name.charAt(1)))} ` : '';
}

function imageText(attributes: string): string {
  const alt = attributeOf(attributes, 'alt').trim();
  return alt === '' ? '' : `[image: ${alt}]`;
}

/** The address as text, if it leads to another page. */
function linkTarget(attributes: string, baseUrl: string): string {
  const href = attributeOf(attributes, 'href').trim();
  if (href === '' || href.startsWith('#') || !URL.canParse(href, baseUrl)) return '';
  const url = new URL(href, baseUrl);
  const isPage = url.protocol === 'http:' || url.protocol === 'https:';
  return isPage && url.href.length <= MAX_LINK ? ` (${url.href})` : '';
}

const ATTRIBUTE = /([^\s"'>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+)))?/g;

/** Most characters of a tag in which attributes are looked for. */
const MAX_ATTRIBUTES = 4096;

function attributeOf(attributes: string, wanted: string): string {
  for (const [, name = '', double, single, bare] of attributes.slice(0, MAX_ATTRIBUTES).matchAll(ATTRIBUTE)) {
    if (name.toLowerCase() === wanted) return decodeEntities(double ?? single ?? bare ?? '');
  }
  return '';
}

interface Writer {
  text(text: string, isPreformatted: boolean): void;
  /** Begins a new line, with an empty one before it where there was text, and something to begin it with. */
  block(prefix: string): void;
  lineBreak(): void;
  cell(): void;
  result(): string;
}

/** Collects pieces; white space is one space, and none is written before it is known that text follows. */
function createWriter(): Writer {
  const pieces: string[] = [];
  let gap: '' | ' ' | '\n' = '';
  let prefix = '';

  function put(text: string): void {
    if (pieces.length > 0) pieces.push(gap);
    pieces.push(prefix, text);
    gap = '';
    prefix = '';
  }

  return {
    text(text, isPreformatted) {
      if (isPreformatted) {
        if (text !== '') put(text);
        return;
      }
      const words = text.split(/[ \t\r\n\f]+/);
      if (words.length > 1 && words[0] === '' && gap === '') gap = ' ';
      const joined = words.filter((word) => word !== '').join(' ');
      if (joined === '') return;
      put(joined);
      if (words.at(-1) === '') gap = ' ';
    },
    block(newPrefix) {
      gap = '\n';
      if (newPrefix !== '') prefix = newPrefix;
    },
    lineBreak() {
      if (gap === '\n') put('');
      gap = '\n';
    },
    cell() {
      if (gap !== '\n') gap = ' ';
      if (prefix === '') prefix = gap === '\n' ? '' : '| ';
    },
    result: () =>
      pieces
        .join('')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
  };
}
