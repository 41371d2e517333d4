import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

/**
 * What a reader and GitHub's filters find in a text, once a GFM parser and an HTML parser have read
 * it.
 */
interface Rendered {
  /**
   * The text of each block: code is one {@link CODE} each, a link to an issue or the like one
   * {@link REFERENCE}.
   */
  readonly blocks: readonly string[];
  /**
   * Each stretch of text outside of code and links: GitHub looks for mentions and references in one
   * at a time.
   */
  readonly texts: readonly string[];
  readonly elements: readonly string[];
  readonly links: readonly string[];
}

/** Replaces code, which no filter reads. */
export const CODE = '\u0001';
/** Replaces a link to an issue, pull request, discussion or commit. */
export const REFERENCE = '\u0002';

/**
 * Reads markdown as CommonMark with GitHub's extensions, raw HTML let through for the HTML parser
 * to judge.
 */
export function renderMarkdown(markdown: string): Rendered {
  const html = micromark(markdown, {
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
  });
  const rendered: Reading = { blocks: [''], texts: [], elements: [], links: [] };
  for (const node of parseFragment(html).childNodes) read(node, rendered);
  return rendered;
}

interface Reading extends Rendered {
  readonly blocks: string[];
  readonly texts: string[];
  readonly elements: string[];
  readonly links: string[];
}

const INLINE = new Set('a b br code del em i ins kbd s strong sub sup input'.split(' '));

function read(node: Node, into: Reading, isInLink = false): void {
  if (node.nodeName === '#text' && 'value' in node) {
    if (!isInLink) into.texts.push(node.value);
    add(node.value, into);
    return;
  }
  if (!('tagName' in node)) {
    into.elements.push(node.nodeName);
    return;
  }
  const { tagName: name } = node;
  into.elements.push(name);
  const href = node.attrs.find((attribute) => attribute.name === 'href')?.value;
  if (href !== undefined) into.links.push(href);
  if (name === 'code' || name === 'pre') {
    for (const inner of elementsIn(node)) into.elements.push(inner);
    add(CODE, into);
    return;
  }
  if (href !== undefined && isReference(href)) {
    into.texts.push(REFERENCE);
    add(REFERENCE, into);
    return;
  }
  if (!INLINE.has(name)) into.blocks.push('');
  for (const child of node.childNodes) read(child, into, isInLink || name === 'a');
  if (!INLINE.has(name)) into.blocks.push('');
}

function add(text: string, { blocks }: Reading): void {
  blocks[blocks.length - 1] = `${blocks.at(-1) ?? ''}${text}`;
}

/** Elements in code, of which a link is the one that GitHub looks at. */
function elementsIn(node: Node): readonly string[] {
  if (!('childNodes' in node)) return [];
  return node.childNodes.flatMap((child) => [
    ...('tagName' in child && child.tagName !== 'code' ? [child.tagName] : []),
    ...elementsIn(child),
  ]);
}

/** What GitHub makes a reference of, on its own server or on one for enterprises. */
function isReference(href: string): boolean {
  if (/^https?:\/\/redirect\.github\.com\//.test(href)) return false;
  return /^(?:(?:https?:)?\/\/[\w.:-]+(?:\/[\w.-]+){2}|\.\.|(?:\/[\w.-]+){2})\/(?:issues|pull|discussions|commit)\/\w/.test(
    href,
  );
}

/** Pieces of markdown and HTML that break cleaners, to be put together at random. */
export const MARKDOWN_PIECES: readonly string[] = [
  ...[
    '@octocat',
    '@octo-org/team',
    '@',
    'octocat',
    'x',
    ' ',
    '  ',
    '\u00A0',
    '&nbsp;',
    '#1',
    '#',
    '1',
  ],
  ...['fixes ', 'Closes: ', '_resolves_', '**close**', 'fix', 'GH-7', 'octo/repo#2'],
  'octo/repo@0123456789ab',
  ...['/deploy', '`', '``', '```', '````', '~~~', '~~', '\n', '\n', '\n\n', '    ', '\t'],
  ...[
    '> ',
    '- ',
    '1. ',
    '2) ',
    '+ ',
    '[ ] ',
    '# ',
    '---',
    '===',
    '|',
    '|---|---|\n',
    '|a|b|\n|-|-|\n',
  ],
  ...['\\', '\\\\', '<', '>', '</', '<b>', '</b>', '<code>', '</code>', '<br>', '<pre>', '</pre>'],
  ...['<details>', '</details>', '<details>\n<summary>x</summary>\n', '<summary>', '</summary>'],
  ...['<!--', '-->', '<!', '--', '<div>', '<p>', '<script>', '<style>', '<?', ']]>', '<![CDATA['],
  ...[
    '<img src="https://e.example/a">',
    '<a href="`">',
    '<a href="https://github.com/octo/repo/issues/1">',
  ],
  ...[
    '![a](https://e.example/@octocat)',
    '![',
    '[',
    '](',
    ']:',
    ']',
    '[]',
    '(',
    ')',
    '[^1]',
    '[^1]: x\n',
  ],
  ...[
    '[a](javascript:x)',
    '[r]: https://e.example\n',
    '[r]',
    '![r]',
    '[r][]',
    '"',
    "'",
    '!',
    '$',
    '*',
    '_',
  ],
  ...[
    'https://e.example/@octocat',
    'www.e.example',
    '<https://e.example>',
    'https://',
    'http',
    'www.',
  ],
  ...['https://github.com/octo/repo/issues/1', 'https://ghes.example/octo/repo/pull/2'],
  ...['/octo/repo/issues/3', '[x](https://github.com/octo/repo/pull/1)', '[x](../issues/4)'],
  '<https://github.com/octo/repo/commit/0a1>',
  ...[
    'www.github.com/octo/repo/issues/1',
    '&#64;',
    '&#35;1',
    '&commat;',
    '&',
    '&lt;',
    '&amp;',
    '\u200B',
  ],
];

/** Texts of such pieces. */
export const hostileMarkdown = fc
  .array(fc.constantFrom(...MARKDOWN_PIECES), { maxLength: 30 })
  .map((pieces) => pieces.join(''));

/**
 * What markdown and the harmless tags make; `section` and `img` would be among them only by a
 * definition or an image.
 */
const ELEMENTS = new Set(
  'p h1 h2 h3 h4 h5 h6 blockquote ul ol li hr br pre code em strong del a table thead tbody tr th td input b i ins kbd s sub sup details summary'.split(
    ' ',
  ),
);

/** What acts on GitHub although the text was cleaned; empty for nothing. */
export function liveIn({ blocks, texts, elements, links }: Rendered): readonly string[] {
  const strange = elements.filter((name) => !ELEMENTS.has(name));
  const mentions = texts.flatMap((text) => text.match(/(?<![A-Za-z0-9])@[A-Za-z0-9][\w-]*/g) ?? []);
  const closing = blocks.flatMap((text) => text.match(CLOSING) ?? []);
  const schemes = links.filter(
    (link) => /^[a-z][a-z\d+.-]*:/i.test(link) && !/^(?:https?|mailto):/i.test(link),
  );
  return [...strange, ...mentions, ...closing, ...schemes];
}

const CLOSING = new RegExp(
  String.raw`(?<![A-Za-z0-9])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[\s:]+(?:(?:[\w.-]+\/[\w.-]+)?#\d+|GH-\d+|${REFERENCE})`,
  'gi',
);

/** What makes GitHub write into another thread. */
export function referencesIn({ texts }: Rendered): readonly string[] {
  const pattern = new RegExp(
    String.raw`${REFERENCE}|(?<![A-Za-z0-9&])#\d+(?![A-Za-z0-9_])|(?<![A-Za-z0-9])GH-\d+(?![A-Za-z0-9_])|[\w-]@[0-9a-f]{7,40}(?![A-Za-z0-9])`,
    'gi',
  );
  return texts.flatMap((text) => text.match(pattern) ?? []);
}
