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
        else if (token.name === 'img') writer.text(imageText(token.text), false);
        else if (token.name === 'a') links.push(linkTarget(token.text, baseUrl));
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

function attributeOf(attributes: string, requested: string): string {
  for (const [, name = '', double, single, bare] of attributes.slice(0, MAX_ATTRIBUTES).matchAll(ATTRIBUTE)) {
    if (name.toLowerCase() === requested) return decodeEntities(double ?? single ?? bare ?? '');
  }
  return '';
}

/** Collects pieces; white space is one space, and none is written before it is known that text follows. */
function createWriter() {
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
    text(text: string, isPreformatted: boolean): void {
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
    /** Begins a new line, and something to begin it with. */
    block(newPrefix: string): void {
      gap = '\n';
      if (newPrefix !== '') prefix = newPrefix;
    },
    lineBreak(): void {
      if (gap === '\n') put('');
      gap = '\n';
    },
    cell(): void {
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

/** The named references of HTML's own signs; others stay as they are written, and a model knows them. */
const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

const REFERENCE = /&(?:#(\d{1,8})|#[xX]([0-9a-fA-F]{1,8})|(amp|lt|gt|quot|apos|nbsp));/g;

/** Text with its character references replaced, once: `&amp;lt;` becomes `&lt;`. */
function decodeEntities(text: string): string {
  return text.replace(REFERENCE, (reference, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return NAMED[name] ?? reference;
    return fromCodePoint(decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal));
  });
}

/** As HTML has it: what is not a character is U+FFFD. */
function fromCodePoint(codePoint: number): string {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  return codePoint === 0 || codePoint > 0x10ffff || isSurrogate ? '\uFFFD' : String.fromCodePoint(codePoint);
}

/** A piece of an HTML page; where the rest begins. */
interface HtmlToken {
  readonly kind: 'text' | 'open' | 'close' | 'nothing';
  /** Of a tag, in lower case; else empty. */
  readonly name: string;
  /** The text, or the attributes of a tag. */
  readonly text: string;
  readonly end: number;
}

/** Elements whose content is not text for a reader. */
const SKIPPED = new Set('script style template svg math iframe object noembed select'.split(' '));

const NAME = /[A-Za-z][A-Za-z0-9:-]*/y;

/**
 * The tags and the text of a page, without comments, declarations and what is inside of scripts and the like. What is
 * never closed goes on to the end, as in a browser. Takes time linear in the page: every search that fails ends it.
 */
function* tokenizeHtml(html: string): Generator<HtmlToken> {
  for (let at = 0; at < html.length; ) {
    const token = readToken(html, at);
    yield token;
    at = token.kind === 'open' && SKIPPED.has(token.name) ? skipElement(html, token) : token.end;
  }
}

function readToken(html: string, start: number): HtmlToken {
  if (html[start] !== '<') {
    const end = html.indexOf('<', start);
    return textToken(html, start, end < 0 ? html.length : end);
  }
  const next = html.charAt(start + 1);
  if (next === '!' || next === '?') {
    const end = html.startsWith('<!--', start) ? after(html, '-->', start + 4) : after(html, '>', start + 2);
    return { kind: 'nothing', name: '', text: '', end };
  }
  NAME.lastIndex = next === '/' ? start + 2 : start + 1;
  const name = NAME.exec(html)?.[0].toLowerCase();
  if (name === undefined) return textToken(html, start, start + 1);
  const nameEnd = NAME.lastIndex;
  const end = tagEnd(html, nameEnd);
  const text = html.slice(nameEnd, Math.max(nameEnd, end - 1));
  return { kind: next === '/' ? 'close' : 'open', name, text, end };
}

function textToken(html: string, start: number, end: number): HtmlToken {
  return { kind: 'text', name: '', text: html.slice(start, end), end };
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

function skipElement(html: string, { name, text, end }: HtmlToken): number {
  if (text.trimEnd().endsWith('/') && (name === 'svg' || name === 'math')) return end;
  const close = new RegExp(`</${name}(?=[\\s/>]|$)`, 'gi');
  close.lastIndex = end;
  return close.exec(html) === null ? html.length : tagEnd(html, close.lastIndex);
}

function after(html: string, text: string, from: number): number {
  const found = html.indexOf(text, from);
  return found < 0 ? html.length : found + text.length;
}
