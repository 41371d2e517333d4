import { findTokens, type TextSpan } from './secrets.js';

/**
 * The text with every secret replaced by `***`: the registered ones in the forms of {@link
 * encodingsOf}, any twelve letters and digits of one in a row whatever is between them, and
 * whatever has the shape of a well-known credential, as it stands and as it will be read ({@link
 * asRead}). Redacting twice changes nothing.
 */
export function redact(text: string, secrets: readonly string[]): string {
  const search = searchFor(secrets);
  let redacted = text;
  for (let pass = 0; pass < MAX_PASSES; pass += 1) {
    const before = redacted;
    const find = (version: string) => [...findSecrets(version, search), ...findTokens(version)];
    redacted = replaceSpans(redacted, findAsRead(redacted, find));
    if (redacted === before) break;
  }
  return redacted;
}

/** The text with a mask for each registered secret; tokens of well-known shape stay. */
export function hideValues(text: string, secrets: readonly string[]): string {
  const search = searchFor(secrets);
  return replaceSpans(
    text,
    findAsRead(text, (version) => findSecrets(version, search)),
  );
}

/** Whether a text holds a registered secret, in a form that {@link redact} knows. */
export function holdsSecret(text: string, secrets: readonly string[]): boolean {
  const search = searchFor(secrets);
  return findAsRead(text, (version) => findSecrets(version, search)).length > 0;
}

/** How often a text can be written within another: an entity in JSON is two. */
const MAX_LEVELS = 2;

/**
 * What is found in a text as it stands and as it will be read, as stretches of the text as it
 * stands.
 */
function findAsRead(
  text: string,
  find: (version: string) => readonly TextSpan[],
): readonly TextSpan[] {
  let spans = find(text);
  let version = text;
  let inSource = (span: TextSpan): TextSpan => span;
  for (let level = 0; level < MAX_LEVELS; level += 1) {
    const read = asRead(version);
    if (read === undefined) break;
    const { starts, ends } = read;
    const outer = inSource;
    const inner = ({ start, end }: TextSpan) =>
      outer({ start: starts[start] ?? 0, end: ends[end - 1] ?? 0 });
    spans = [...spans, ...find(read.text).map(inner)];
    version = read.text;
    inSource = inner;
  }
  return spans;
}

/** What stands where a secret stood; GitHub's own masking writes the same. */
export const MASK = '***';

/**
 * Shorter secrets are not looked for: five characters are an ordinary word or number (`main`,
 * `8080`, `true`), and replacing them everywhere would spoil the text and tell what the secret is.
 */
export const MIN_SECRET_LENGTH = 6;

/**
 * A mask can bring a token's start in reach of its pattern; two passes are enough for all but
 * made-up secrets.
 */
const MAX_PASSES = 8;

/** Letters and digits in a row that betray a secret. */
const GRAM = 12;
/**
 * A secret with fewer letters and digits than GRAM is looked for whole, if it has at least these.
 */
const MIN_GRAM = 8;

interface Search {
  /** Forms to find as they are, by their first characters. */
  readonly exact: ReadonlyMap<string, readonly string[]>;
  readonly exactStarts: Starts;
  /** Letters and digits, in lower case, by their number. */
  readonly grams: ReadonlyMap<number, ReadonlySet<string>>;
  readonly gramStarts: Starts;
}

/** 1 for each number of {@link startAt} with which something begins that is looked for. */
type Starts = Uint8Array;

const START_NUMBERS = 0x10000;

/**
 * A number for the four characters at a place, some have the same: hardly a place of a text begins
 * with one that is looked for, and only there a piece of the text is cut out and compared.
 */
function startAt(text: string, at: number): number {
  let start = 0;
  for (let next = at; next < at + 4; next += 1) start = start * 31 + text.charCodeAt(next);
  return start % START_NUMBERS;
}

let latest: { readonly secrets: readonly string[]; readonly search: Search } | undefined;

/** A run has the same secrets for all its texts, so what they are looked for by is made once. */
function searchFor(secrets: readonly string[]): Search {
  const isLatest =
    latest?.secrets.length === secrets.length &&
    latest.secrets.every((secret, index) => secret === secrets[index]);
  if (latest === undefined || !isLatest)
    latest = { secrets: [...secrets], search: compile(secrets) };
  return latest.search;
}

function compile(secrets: readonly string[]): Search {
  const exact = new Map<string, string[]>();
  const grams = new Map<number, Set<string>>();
  for (const secret of new Set(secrets)) {
    for (const form of encodingsOf(secret)) {
      const head = form.slice(0, MIN_SECRET_LENGTH);
      exact.set(head, [...(exact.get(head) ?? []), form]);
      // Prose and files hold words that are no secret; a part of them is not looked for.
      if (!/\s/.test(secret.trim())) addGrams(grams, squeezeForm(form));
    }
  }
  return {
    exact,
    exactStarts: startsOf(exact.keys()),
    grams,
    gramStarts: startsOf(...grams.values()),
  };
}

function startsOf(...lists: readonly Iterable<string>[]): Starts {
  const starts = new Uint8Array(START_NUMBERS);
  for (const list of lists) for (const text of list) starts[startAt(text, 0)] = 1;
  return starts;
}

/**
 * Letters and digits of a form; a URL's scheme is not secret, and `https://www.` would match every
 * link.
 */
function squeezeForm(form: string): string {
  return form
    .replace(/^[a-z][a-z0-9+.-]{0,20}:\/\/(?:www\.)?/i, '')
    .replace(/[^A-Za-z0-9]+/g, '')
    .toLowerCase();
}

function addGrams(grams: Map<number, Set<string>>, letters: string): void {
  if (letters.length < MIN_GRAM) return;
  const size = Math.min(GRAM, letters.length);
  const set = grams.get(size) ?? new Set<string>();
  for (let at = 0; at + size <= letters.length; at += 1) set.add(letters.slice(at, at + size));
  grams.set(size, set);
}

function findSecrets(text: string, search: Search): readonly TextSpan[] {
  const { exact, exactStarts, grams } = search;
  const spans: TextSpan[] = [];
  if (exact.size > 0) {
    for (let at = 0; at + MIN_SECRET_LENGTH <= text.length; at += 1) {
      if (exactStarts[startAt(text, at)] !== 1) continue;
      for (const form of exact.get(text.slice(at, at + MIN_SECRET_LENGTH)) ?? []) {
        if (text.startsWith(form, at)) spans.push({ start: at, end: at + form.length });
      }
    }
  }
  if (grams.size > 0) findGrams(text, search, spans);
  return spans;
}

function findGrams(text: string, { grams, gramStarts }: Search, spans: TextSpan[]): void {
  const { letters, positions } = squeeze(text);
  for (const [size, set] of grams) {
    for (let at = 0; at + size <= letters.length; at += 1) {
      if (gramStarts[startAt(letters, at)] !== 1 || !set.has(letters.slice(at, at + size)))
        continue;
      spans.push({ start: positions[at] ?? 0, end: (positions[at + size - 1] ?? 0) + 1 });
    }
  }
}

/**
 * The text's ASCII letters and digits in lower case and where they stand; a mask stays as a wall
 * between them.
 */
function squeeze(text: string): { readonly letters: string; readonly positions: Uint32Array } {
  const positions = new Uint32Array(text.length);
  const kept: string[] = [];
  let count = 0;
  for (const match of text.matchAll(/[A-Za-z0-9]+|\*{3,}/g)) {
    const isWall = match[0].startsWith('*');
    const letters = isWall ? '*' : match[0];
    for (let offset = 0; offset < letters.length; offset += 1)
      positions[count++] = match.index + offset;
    kept.push(letters);
  }
  // ASCII alone, so no position moves.
  return { letters: kept.join('').toLowerCase(), positions };
}

/** Overlapping and touching stretches become one mask. */
function replaceSpans(text: string, spans: readonly TextSpan[]): string {
  const ordered = [...spans].sort((a, b) => a.start - b.start);
  let result = '';
  let end = 0;
  for (const span of ordered) {
    // The first letter may be in an escape (`\n`, `\u0001`), of which no backslash may be left: it
    // would spoil JSON.
    let { start } = span;
    start -= /\\u[0-9a-f]{0,3}$/i.exec(text.slice(Math.max(0, start - 5), start))?.[0].length ?? 0;
    while (text[start - 1] === '\\') start -= 1;
    if (start > end || end === 0) result += text.slice(end, Math.max(end, start)) + MASK;
    end = Math.max(end, span.end);
  }
  return result + text.slice(end);
}

/**
 * The ways in which a secret can be written that the redactor looks for: as it is, reversed, base64
 * in both alphabets and at all three alignments, hex, percent-encoded, escaped for JSON and for
 * HTML; of a secret of several lines every long line as well. Those that are too short to be looked
 * for are left out.
 */
function encodingsOf(secret: string): ReadonlySet<string> {
  const isLong = ({ length }: string) => length >= MIN_SECRET_LENGTH;
  return new Set(partsOf(secret).filter(isLong).flatMap(encodePart).filter(isLong));
}

/**
 * A line of a multi-line secret is a secret if it is at least this long; shorter ones are `}` and
 * the like.
 */
const MIN_LINE_LENGTH = 16;

function partsOf(secret: string): readonly string[] {
  const lines = secret.split(/[\r\n]+/).map((line) => line.trim());
  const longLines = lines.filter((line) => line.length >= MIN_LINE_LENGTH);
  return [secret.trim(), ...(lines.length > 1 ? longLines : [])];
}

function encodePart(part: string): readonly string[] {
  const bytes = new TextEncoder().encode(part);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'));
  const base64 = [0, 1, 2].map((alignment) => base64At(bytes, alignment));
  // A lone surrogate, which has no bytes, becomes U+FFFD as it does in UTF-8.
  const url = encodeURIComponent(part.toWellFormed());
  return [
    part,
    Array.from(part).reverse().join(''),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
    hex.join(''),
    hex.join('').toUpperCase(),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    url.replaceAll('%20', '+'),
    hex.map((byte) => `%${byte}`).join(''),
    hex.map((byte) => `%${byte.toUpperCase()}`).join(''),
    hex.map((byte) => `\\x${byte}`).join(''),
    JSON.stringify(part).slice(1, -1),
    part.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ];
}

/**
 * What base64 makes of the bytes when `alignment` other bytes stand before them and unknown ones
 * follow: the characters that depend on the secret alone.
 */
function base64At(bytes: Uint8Array, alignment: number): string {
  const padded = [...new Array<number>(alignment).fill(0), ...bytes];
  const encoded = btoa(padded.map((byte) => String.fromCharCode(byte)).join('')).replace(/=+$/, '');
  const before = alignment === 0 ? 0 : alignment + 1;
  const after = padded.length % 3 === 0 ? 0 : 1;
  return encoded.slice(before, encoded.length - after);
}

/**
 * What a reader, or a program, makes of a text: escapes of JSON and Markdown and entities are the
 * characters they stand for, tags and invisible characters are gone; and where in its source each
 * of its UTF-16 units begins and ends. Undefined for a text without any.
 */
function asRead(source: string) {
  const starts = new Uint32Array(source.length);
  const ends = new Uint32Array(source.length);
  const kept: string[] = [];
  let length = 0;
  let at = 0;
  function keep(piece: string, start: number, end: number): void {
    const isPlain = piece.length === end - start;
    for (let unit = 0; unit < piece.length; unit += 1) {
      starts[length] = isPlain ? start + unit : start;
      ends[length] = isPlain ? start + unit + 1 : end;
      length += 1;
    }
    kept.push(piece);
  }
  for (const match of source.matchAll(WRITTEN)) {
    const character = characterOf(match);
    if (character === undefined) continue;
    const end = match.index + match[0].length;
    keep(source.slice(at, match.index), at, match.index);
    keep(character, match.index, end);
    at = end;
  }
  if (at === 0) return undefined;
  keep(source.slice(at), at, source.length);
  return { text: kept.join(''), starts, ends };
}

/** Each quantifier is bounded, so that no text can make it slow. */
const WRITTEN =
  /\\u([0-9a-f]{4})|(?:\\x|%)([0-9a-f]{2})|&#x([0-9a-f]{1,6});?|&#(\d{1,7});?|&([a-z]{2,8});|\\([_.~+=/"-])|<[a-z/!?][^<>]{0,256}>|\p{Default_Ignorable_Code_Point}+/giu;

/** Empty for what is not seen; undefined for an entity that no secret is written with. */
function characterOf([, unicode, byte, hex, decimal, name, escaped]: RegExpExecArray):
  | string
  | undefined {
  if (name !== undefined) return NAMED.get(name.toLowerCase());
  if (escaped !== undefined) return escaped;
  if (decimal !== undefined) return fromCodePoint(Number(decimal));
  const digits = unicode ?? byte ?? hex;
  return digits === undefined ? '' : fromCodePoint(Number.parseInt(digits, 16));
}

function fromCodePoint(codePoint: number): string {
  return codePoint > 0x10ffff ? '\uFFFD' : String.fromCodePoint(codePoint);
}

/** Entities of HTML for signs that tokens are made of. */
const NAMED = new Map(
  Object.entries({
    lowbar: '_',
    underbar: '_',
    period: '.',
    plus: '+',
    sol: '/',
    equals: '=',
    colon: ':',
    amp: '&',
    lt: '<',
    gt: '>',
    quot: '"',
    apos: "'",
  }),
);
