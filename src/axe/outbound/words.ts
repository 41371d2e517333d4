/**
 * Takes the effect from words that GitHub, or a bot that reads along, acts upon: mentions, closing keywords,
 * references to other repositories, and images, which become links.
 *
 * They are put into `<code>`: GitHub looks for mentions and references in the finished page, outside `code`, `pre` and
 * links. An entity (`&#64;`) is an ordinary `@` by then; an invisible character would be stripped by our own rules;
 * backticks do nothing where a line is raw HTML. Inside `<code>` the name stays readable and can be copied.
 */
export function cleanWords(text: string): string {
  return text.replace(WORDS, (match, ...rest) => {
    const { url, image } = groupsOf(rest);
    if (image !== undefined) return '';
    if (url !== undefined) return match.replaceAll('@', '%40');
    return inCode(match);
  });
}

/** Cleans the text that begins a line; a slash command (`/deploy`), which bots look for there, goes into `<code>`. */
export function wrapCommand(text: string, clean: (text: string) => string): string {
  const [match, before = '', command = ''] = /^([\s>]*)(\/[A-Za-z][\w./-]*)/.exec(text) ?? [];
  return match === undefined ? clean(text) : before + inCode(command) + clean(text.slice(match.length));
}

/** Every alternative begins at the start of a run of its characters, so that no run is tried twice. */
const WORDS = new RegExp(
  [
    String.raw`(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[\s:]{1,20}(?:(?:[\w.-]+\/)?[\w.-]+)?\\?#\d+`,
    String.raw`(?<![\w-])(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?)[\s:]{1,20}(?:GH-\d+|https?:\/\/[\w.:-]+\/[\w./-]+\/\d+)`,
    String.raw`(?<url>https?:\/\/[^\s<>"'()[\]!]+)`,
    String.raw`(?<![A-Za-z0-9])@[A-Za-z0-9][\w-]*(?:\/[\w-]+)?`,
    String.raw`(?<![\w./-])(?:[\w.-]+\/)+[\w.-]+\\?#\d+`,
    String.raw`(?<image>(?<!!)!+(?=\[))`,
  ].join('|'),
  'gi',
);

/** The named groups are the last argument of a replacer. */
function groupsOf(rest: readonly unknown[]): {
  readonly url: string | undefined;
  readonly image: string | undefined;
} {
  const groups = rest.at(-1);
  return { url: groupIn(groups, 'url'), image: groupIn(groups, 'image') };
}

function groupIn(groups: unknown, name: 'url' | 'image'): string | undefined {
  if (typeof groups !== 'object' || groups === null) return undefined;
  const value: unknown = Reflect.get(groups, name);
  return typeof value === 'string' ? value : undefined;
}

/** Only what the inline rules take for a finished code element is let in. */
function inCode(text: string): string {
  return `<code>${text.replace(/\s+/g, ' ').replace(/[^@#\w ./:-]/g, '')}</code>`;
}
