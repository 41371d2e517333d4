/** Elements that have lines of their own. */
const BLOCKS = new Set(
  'address article aside blockquote body dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section summary table tbody thead title tr ul'.split(
    ' ',
  ),
);

/** Elements whose content is not text for a reader. */
const SKIPPED = new Set('script style template svg math iframe object noembed select'.split(' '));

/**
 * The text of an HTML page for a model: paragraphs, headings (`## …`), list items (`- …`) and table
 * rows on lines of their own, `pre` as it is, links with their address behind the text. Hidden text
 * is shown with the rest, so that no page can address the model alone. No tree is built, so the
 * time is linear in the length of the page.
 */
export async function htmlToText(html: string, baseUrl: string): Promise<string> {
  const { Tokenizer, TokenizerMode } = await import('parse5');
  const writer = createWriter();
  const links: string[] = [];
  let preformatted = 0;
  let isSkipping = false;

  const write = ({ chars }: { readonly chars: string }) => {
    if (!isSkipping) writer.text(chars, preformatted > 0);
  };
  const ignore = () => undefined;
  const tokenizer = new Tokenizer(
    {},
    {
      onCharacter: write,
      onWhitespaceCharacter: write,
      onStartTag({ tagName, attrs, selfClosing }) {
        const attribute = (name: string) =>
          attrs.find((attr) => attr.name === name)?.value.trim() ?? '';
        if (SKIPPED.has(tagName) && !selfClosing) {
          isSkipping = true;
          tokenizer.state = TokenizerMode.RAWTEXT;
        } else if (tagName === 'br') writer.lineBreak();
        else if (tagName === 'img' && attribute('alt') !== '')
          writer.text(`[image: ${attribute('alt')}]`, false);
        else if (tagName === 'a') links.push(linkTarget(attribute('href'), baseUrl));
        else if (tagName === 'td' || tagName === 'th') writer.cell();
        else if (BLOCKS.has(tagName)) writer.block(prefixOf(tagName));
        if (tagName === 'pre') preformatted += 1;
      },
      onEndTag({ tagName }) {
        isSkipping = false;
        if (tagName === 'a') writer.text(links.pop() ?? '', false);
        else if (BLOCKS.has(tagName)) writer.block('');
        if (tagName === 'pre') preformatted = Math.max(0, preformatted - 1);
      },
      onComment: ignore,
      onDoctype: ignore,
      onNullCharacter: ignore,
      onEof: ignore,
    },
  );
  tokenizer.write(html, true);
  return writer.result();
}

function prefixOf(name: string): string {
  if (name === 'li') return '- ';
  return /^h[1-6]$/.test(name) ? `${'#'.repeat(Number(name.charAt(1)))} ` : '';
}

/** Longest address of a link that is shown. */
const MAX_LINK = 300;

/** The address as text, if it leads to another page. */
function linkTarget(href: string, baseUrl: string): string {
  if (href === '' || href.startsWith('#') || !URL.canParse(href, baseUrl)) return '';
  const url = new URL(href, baseUrl);
  const isPage = url.protocol === 'http:' || url.protocol === 'https:';
  return isPage && url.href.length <= MAX_LINK ? ` (${url.href})` : '';
}

/** Joins pieces of text. White space becomes one space, written only when text follows. */
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
      const words = isPreformatted ? text : text.trim().replace(/\s+/g, ' ');
      if (!isPreformatted && gap === '' && /^\s/.test(text)) gap = ' ';
      if (words === '') return;
      put(words);
      if (!isPreformatted && /\s$/.test(text)) gap = ' ';
    },
    /** Begins a new line, with a prefix for the text that follows. */
    block(newPrefix: string): void {
      gap = '\n';
      if (newPrefix !== '') prefix = newPrefix;
    },
    lineBreak(): void {
      if (gap === '\n') put('');
      gap = '\n';
    },
    cell(): void {
      if (gap === '\n') return;
      gap = ' ';
      prefix ||= '| ';
    },
    result: () =>
      pieces
        .join('')
        .replace(/\n{3,}/g, '\n\n')
        .trim(),
  };
}
