/**
 * Rule for live references to an issue, pull request, discussion or commit, each of which GitHub
 * reports in the other thread. `own` keeps short ones, which are within the repository, and no
 * address; `none` keeps neither, `all` keeps both.
 */
export type ReferencePolicy = 'all' | 'own' | 'none';

/** Context of a word: the words before it in its paragraph. */
export interface WordContext {
  readonly references: ReferencePolicy;
  /**
   * The last word was one that closes an issue (`fixes`); emphasis, brackets and line breaks change
   * nothing.
   */
  isAfterClosing: boolean;
  /** The text of the link that is open began after such a word. */
  isLinkAfterClosing: boolean;
}

/** The context at the beginning of a paragraph. */
export function beginWords(references: ReferencePolicy): WordContext {
  return { references, isAfterClosing: false, isLinkAfterClosing: false };
}

/**
 * Takes the effect from words that GitHub, or a bot that reads along, acts upon: mentions,
 * references after a closing keyword or to other repositories, and images, which become links.
 *
 * They are put into `<code>`: GitHub looks for mentions and references in the finished page,
 * outside `code`, `pre` and links. An entity (`&#64;`) is an ordinary `@` by then; an invisible
 * character would be stripped by our own rules; backticks do nothing where a line is raw HTML.
 * Inside `<code>` the name stays readable and can be copied.
 */
export function cleanWords(text: string, context: WordContext): string {
  return text.replace(WORDS, (match, ...groups) => cleanWord(match, kindOf(groups), context));
}

/**
 * Cleans the text that begins a line; a slash command (`/deploy`), which bots look for there, goes
 * into `<code>`.
 */
export function wrapCommand(text: string, clean: (text: string) => string): string {
  const [match, before = '', command = ''] = /^([\s>]*)(\/[A-Za-z][\w./-]*)/.exec(text) ?? [];
  return match === undefined
    ? clean(text)
    : before + inCode(command) + clean(text.slice(match.length));
}

/**
 * The end of a link: `](destination)`, without a destination that GitHub would take for a
 * reference.
 */
export function cleanLinkEnd(destination: string, context: WordContext): string {
  const isClosing = context.isLinkAfterClosing || context.isAfterClosing;
  context.isLinkAfterClosing = false;
  if (!isReferenceUrl(destination)) {
    // Without an opened link this is text, in which an address becomes a link, and `octo/repo#7` a
    // reference to another repository.
    const isElsewhere = /\/[^/#]+#\d/.test(destination);
    const mayRefer = context.references !== 'none' && !isClosing && !isElsewhere;
    const isText = !mayRefer && !/^https?:/i.test(destination);
    return `](${isText ? withoutNumbers(destination) : destination})`;
  }
  if (context.references === 'all' && !isClosing) return `](${destination})`;
  const disarmed = disarmUrl(destination);
  return disarmed.isLink ? `](${disarmed.text})` : `]\\(${inCode(disarmed.text)})`;
}

/** A word that closes the issue named behind it, as the source of a pattern. */
export const CLOSING_WORD = '(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)(?![A-Za-z0-9])';

/** Behind an address that ends so, marks that do not end a sentence change nothing either. */
const ENDS_IN_CLOSING = new RegExp(`(?<![A-Za-z0-9])${CLOSING_WORD}[^A-Za-z0-9.;!?]*$`, 'i');

/**
 * The rest of a word, up to an address that begins in it: GitHub makes a link of `#1https://…` from
 * the `h` on.
 */
const TAIL = '(?:(?!https?:|www\\.)[A-Za-z0-9])*';

/**
 * Every alternative begins at the start of a run of its characters or is bounded, so that no run is
 * tried twice. A group for each of {@link KINDS}, in that order: named ones would cost an object a
 * word.
 */
const WORDS = new RegExp(
  [
    // GitHub makes no link of an address without a proper host, so its parts count as text.
    String.raw`(https?:\/\/[A-Za-z0-9][A-Za-z0-9.-]*(?!\w)[^\s<>"'()[\]!]*`,
    String.raw`(?<![A-Za-z0-9])www\.[\w.-]{0,100}(?:\/[\w.-]{1,100}){2}\/(?:issues|pulls?|discussions|commits?)\/[\w.-]+)`,
    String.raw`((?<![A-Za-z0-9])@[A-Za-z0-9][\w-]*(?:\/[\w-]+)?)`,
    String.raw`((?<![A-Za-z0-9])[A-Za-z0-9][\w.\\-]{0,80}\/[\w.\\-]{1,200}#\d+)`,
    `(\\\\?#\\d${TAIL}|(?<![A-Za-z0-9])GH\\\\?-\\d${TAIL})`,
    `((?<=[\\w.-])@[0-9a-f]{7}${TAIL})`,
    String.raw`((?<!!)!+(?=\[))`,
    String.raw`(\[)`,
    `(${CLOSING_WORD})`,
    // Any other word, or the end of a sentence.
    String.raw`[A-Za-z]+|\d+|[.;!?]`,
  ].join('|'),
  'gi',
);

const KINDS = [
  'url',
  'mention',
  'elsewhere',
  'own',
  'commit',
  'image',
  'opening',
  'closing',
] as const;

type WordKind = (typeof KINDS)[number] | 'other';

function cleanWord(word: string, kind: WordKind, context: WordContext): string {
  const mayRefer = context.references !== 'none' && !context.isAfterClosing;
  switch (kind) {
    case 'url': {
      context.isAfterClosing = ENDS_IN_CLOSING.test(word);
      const plain = word.replaceAll('@', '%40');
      if (!isReferenceUrl(word)) return mayRefer ? plain : withoutNumbers(plain);
      if (mayRefer && context.references === 'all') return plain;
      const disarmed = disarmUrl(word);
      return disarmed.isLink ? disarmed.text : inCode(disarmed.text);
    }
    case 'mention':
    case 'elsewhere':
      return inCode(word);
    case 'own':
      return mayRefer ? word : inCode(word);
    case 'commit':
      return context.references === 'none' ? inCode(word) : word;
    case 'image':
      return '';
    case 'opening':
      context.isLinkAfterClosing ||= context.isAfterClosing;
      return word;
    case 'closing':
    case 'other':
      context.isAfterClosing = kind === 'closing';
      return word;
  }
}

/**
 * Rewrites an address so that nothing in it looks like a reference. After an unclosed bracket, for
 * example, GitHub reads an address as text, and `#7` at its end would count.
 */
function withoutNumbers(url: string): string {
  return url.replace(/(#|GH-)(\d)/gi, (_, mark: string, digit: string) => `${mark}%3${digit}`);
}

/** The groups are the first arguments of a replacer after the match. */
function kindOf(groups: readonly unknown[]): WordKind {
  return KINDS.find((_, index) => groups[index] !== undefined) ?? 'other';
}

/** Only what the inline rules take for a finished code element is let in. */
function inCode(text: string): string {
  return `<code>${text.replace(/\s+/g, ' ').replace(/[^@#\w ./:?=%+-]/g, '')}</code>`;
}

/**
 * From the bracket that ends a link's text to the link's end: the destination is caught, a title,
 * which is only seen under a pointer, is not. No bracket may lie inside, so that no two attempts
 * read the same characters.
 */
export const LINK_TAIL =
  /\]\( {0,16}([^\s()[\]<>]*(?:\([^\s()[\]<>]*\)[^\s()[\]<>]*){0,8})(?: {1,16}(?:"[^"]*"|'[^']*'))? {0,16}\)/y;

/**
 * A link destination that leads to the web, to a mail address or to a place in the repository, with
 * everything that could end it or mean something else percent-encoded; undefined for any other
 * scheme.
 */
export function cleanDestination(destination: string): string | undefined {
  if (!/^(?:https?:\/\/|mailto:|#|\.{0,2}\/|[\w.-]+(?:[/#?]|$))/i.test(destination))
    return undefined;
  return destination
    .replace(/[@`|\\<>]/g, encodeURIComponent)
    .replace(/&(?=#|[a-z][a-z0-9]*;)/gi, '%26');
}

/**
 * True if GitHub could take an address for an issue, pull request, discussion or commit. Addresses
 * on other servers are treated alike. Escapes count as the characters they represent.
 */
export function isReferenceUrl(url: string): boolean {
  const plain = url.replace(ESCAPED, (escaped) => decodeURIComponent(escaped));
  return REFERENCE.test(plain) && !REDIRECT.test(plain);
}

const ESCAPED = /%[2-7][0-9a-f]/gi;
const REFERENCE = /\/(?:issues|pulls?|discussions|commits?)\/+[^/\s]/i;
const REDIRECT = /^https?:\/\/redirect\.github\.com\//i;

/**
 * Rewrites an address so that GitHub reports it in no thread. An address on github.com is linked
 * through `redirect.github.com`, GitHub's own host for that; an address on another server becomes
 * text, without the parts that would make it a link.
 */
export function disarmUrl(url: string): { readonly text: string; readonly isLink: boolean } {
  const plain = url.replaceAll('@', '%40');
  const [, path] = /^(?:https?:\/\/)?(?:www\.)?github\.com(\/.*)$/i.exec(plain) ?? [];
  if (path !== undefined) return { text: `https://redirect.github.com${path}`, isLink: true };
  return { text: plain.replace(/^(?:(?:https?:)?\/\/)?(?:www\.)?/i, ''), isLink: false };
}
