import { MAX_COMMENT_CHARACTERS, MAX_SUMMARY_BYTES } from '../lib/defaults.js';
import { cutToBytes } from '../lib/text/bytes.js';
import { stripInvisible } from './fence.js';
import { cleanInline, hasTable, type InlineOptions } from './inline.js';
import { removeMarks } from './mark.js';
import { redact } from './redact.js';
import {
  beginWords,
  CLOSING_WORD,
  disarmUrl,
  isReferenceUrl,
  type ReferencePolicy,
  type WordContext,
} from './words.js';

/**
 * Destination of a text; an `untrusted-comment` can hold words of people without write access.
 * @internal
 */
export type Channel =
  | 'comment'
  | 'untrusted-comment'
  | 'title'
  | 'summary'
  | 'log'
  | 'output'
  | 'memory';

/**
 * The one function text leaves through. Comment and summary: no secret, nothing invisible, nothing
 * that acts on GitHub, everything closed that was opened, and cut to what fits, with a note; a
 * comment refers to no thread of another repository, an `untrusted-comment` to none at all. Title: no
 * secret, nothing invisible, no closing keyword, one line without markup. Log: no secret, nothing
 * invisible, no workflow command. Output and memory: no secret. What went through once goes through
 * unchanged.
 */
export function sanitize(text: string, channel: Channel, secrets: readonly string[]): string {
  switch (channel) {
    case 'comment':
      return cleanAndCut(text, COMMENT, secrets, 'own');
    case 'untrusted-comment':
      return cleanAndCut(text, COMMENT, secrets, 'none');
    case 'title':
      return untilStable(text, (version) => cleanTitle(removeMarks(redact(version, secrets))));
    case 'summary':
      return cleanAndCut(text, SUMMARY, secrets, 'all');
    case 'log':
      return untilStable(text, (version) => cleanLog(redact(version, secrets)));
    case 'output':
    case 'memory':
      return redact(text, secrets);
  }
}

/**
 * Maximum length of a text, with room for the parts that the publisher adds: hidden marker,
 * heading, footer.
 */
interface Limit {
  readonly most: number;
  readonly cut: (text: string, most: number) => string;
  readonly note: string;
}

const COMMENT: Limit = {
  most: MAX_COMMENT_CHARACTERS - 1536,
  cut: (text, most) => text.slice(0, most).replace(/[\uD800-\uDBFF]$/, ''),
  note: '\n\n*The text is cut here: it is longer than a comment can be; the rest is in the job summary.*',
};
const SUMMARY: Limit = {
  most: MAX_SUMMARY_BYTES - 16_384,
  cut: (text, most) => cutToBytes(text, most).text,
  note: '\n\n*The text is cut here: it is longer than a job summary can be.*',
};

/**
 * Cleans, then cuts, then cleans again, since a cut can go through anything; redaction always comes
 * first.
 */
function cleanAndCut(
  text: string,
  { most, cut, note }: Limit,
  secrets: readonly string[],
  references: ReferencePolicy,
): string {
  const clean = (version: string) =>
    cleanMarkdown(removeMarks(stripInvisible(redact(version, secrets))), references);
  const isShort = (version: string) => cut(version, most) === version;
  const whole = untilStable(text, clean);
  if (isShort(whole)) return whole;
  for (let tooMuch = note.length + MARGIN; ; tooMuch *= 2) {
    const part = atLineEnd(cut(whole, Math.max(0, most - tooMuch)));
    const short = untilStable(part.trimEnd(), clean) + note;
    if (isShort(short)) return untilStable(short, clean);
  }
}

/** Room for fences and `<details>` that are closed after a cut. */
const MARGIN = 256;

/**
 * Applies a step until it changes nothing more, so that what leaves is what the rules have looked
 * at. Two or three rounds are enough for anything but a text made against the rules, of which
 * letters and digits remain.
 */
function untilStable(text: string, step: (text: string) => string): string {
  let version = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = step(version);
    if (next === version) return version;
    version = next;
  }
  return step(version.replace(/[^\p{L}\p{N}\n]+/gu, ' '));
}

const MAX_ROUNDS = 8;

/** Up to the last line break, if one is near. */
function atLineEnd(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > Math.max(0, text.length - 2000) ? text.slice(0, end) : text;
}

/**
 * The title of an issue or pull request: GitHub shows it as it was typed, so it gets no markup.
 * Mentions and references do nothing there, but a merge can make the title the message of a commit,
 * where a closing keyword works.
 */
function cleanTitle(text: string): string {
  const line = stripInvisible(text).replace(/\s+/g, ' ').trim();
  return line.replace(
    CLOSING_REFERENCE,
    (_, keyword: string, reference: string) => keyword + plainReference(reference),
  );
}

const CLOSING_REFERENCE = new RegExp(
  String.raw`(?<![A-Za-z0-9])(${CLOSING_WORD}[^A-Za-z0-9.;!?]{1,40})(https?:\/\/\S+|(?:[\w.-]{1,100}\/[\w.-]{1,100})?#\d+|GH-\d+)`,
  'gi',
);

function plainReference(reference: string): string {
  if (isReferenceUrl(reference)) return disarmUrl(reference).text;
  return reference.startsWith('http')
    ? reference
    : reference.replace(/^#/, '').replace(/[#-](?=\d+$)/, ' ');
}

/**
 * Text for the log of a step, in which nothing is a command to the runner: not `::name::` at the
 * start of a line, not `##[name]` anywhere, also not behind a carriage return (actions/runner takes
 * white space before the first, and text before the second). A space makes them plain text.
 * @internal
 */
export function cleanLog(text: string): string {
  return stripInvisible(text)
    .replace(/^[^\S\n]*:(?=:)/gm, '$& ')
    .replaceAll('##[', '## [');
}

/**
 * Markdown that GitHub shows as text, links and code only: no mention, image, hidden text, raw HTML
 * beyond a few harmless tags, foreign link scheme, closing keyword or slash command does anything,
 * and every code fence and `<details>` that is opened is closed.
 *
 * It does not guess how GitHub reads doubtful markdown, it writes markdown that can be read in one
 * way only: fences begin at the left margin after a blank line, backticks that make no code span
 * within their line are entities, and so is every `<` that begins no tag of ours. The result is
 * final once cleaning it changes nothing.
 * @internal
 */
export function cleanMarkdown(text: string, references: ReferencePolicy): string {
  const source = text.split('\n');
  const state: State = {
    lines: [],
    fence: undefined,
    isInComment: false,
    details: 0,
    needsBlank: false,
    words: beginWords(references),
  };
  const hasTables = source.some(hasTable);
  for (const line of source) readLine(state, line, hasTables);
  if (state.fence !== undefined) state.lines.push(state.fence.run);
  for (let open = state.details; open > 0; open -= 1) pushBlock(state, '</details>');
  return state.lines.join('\n');
}

interface State {
  readonly lines: string[];
  fence: Fence | undefined;
  isInComment: boolean;
  /** `<details>` that are open. */
  details: number;
  /** The last line is raw HTML, which only a blank line ends. */
  needsBlank: boolean;
  words: WordContext;
}

interface Fence {
  readonly run: string;
  /** Depth of block quotes the fence was in; a line without their mark ends it. */
  readonly quotes: number;
  readonly indent: number;
  /** GitHub offers to commit these lines, so none of them may change. */
  readonly isSuggestion: boolean;
}

/** Marks of block quotes and list items, with white space. */
const CONTAINER = String.raw`[\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s[\s>]*)*`;
const FENCE = new RegExp(`^(${CONTAINER})(\`{3,}(?=[^\`]*$)|~{3,})(.*)$`);
const ONLY_BREAKS = new RegExp(`^(${CONTAINER})(?:<br>\\s*)+$`);
const OPEN_DETAILS = /^<details(?: open)?>$/i;
const CLOSE_DETAILS = /^<\/details>$/i;
const SUMMARY_LINE = /^(<details(?: open)?>)?[ \t]*<summary>(.*)<\/summary>$/i;

function readLine(state: State, line: string, hasTables: boolean): void {
  if (state.fence !== undefined && readCode(state, state.fence, line)) return;
  const visible = afterComment(state, line);
  if (visible === undefined) return;
  const fence = FENCE.exec(visible);
  if (fence !== null) openFence(state, fence);
  else if (!readDetails(state, visible.trim(), hasTables))
    readText(state, visible, { hasTables, words: state.words });
}

/**
 * Takes a line of code; false if the line does not belong to the fence any more, which is then
 * closed.
 */
function readCode(state: State, fence: Fence, line: string): boolean {
  if (fence.quotes > 0 && !/^\s*>/.test(line)) {
    state.lines.push(fence.run);
    state.fence = undefined;
    return false;
  }
  const code = outdent(line, fence);
  const [, closing = ''] = /^ {0,3}(`+|~+)[ \t]*$/.exec(code) ?? [];
  if (closing.startsWith(fence.run)) {
    state.lines.push(fence.run);
    state.fence = undefined;
  } else {
    state.lines.push(fence.isSuggestion ? code : code.replace(COMMAND_LINE, ' $&'));
  }
  return true;
}

/**
 * Bots that take `/deploy` for a command read the source, fences or not; a path goes on with a
 * slash.
 */
const COMMAND_LINE = /^\/[A-Za-z][\w-]*(?=\s|$)/;

function outdent(line: string, { quotes, indent }: Fence): string {
  let rest = line;
  for (let quote = 0; quote < quotes; quote += 1) rest = rest.replace(/^[ \t]*> ?/, '');
  return rest.replace(/^[ \t]*/, (space) => space.slice(indent));
}

/**
 * The part of a line behind the end of an HTML comment that was opened on a line before; undefined
 * if it goes on.
 */
function afterComment(state: State, line: string): string | undefined {
  if (!state.isInComment) return line;
  const end = line.indexOf('-->');
  if (end < 0) return undefined;
  state.isInComment = false;
  return line.slice(end + 3);
}

function openFence(state: State, [, prefix = '', run = '', info = '']: RegExpExecArray): void {
  const language = cleanLanguage(info);
  const quotes = prefix.split('>').length - 1;
  const inner = prefix.slice(prefix.lastIndexOf('>') + 1);
  const indent = quotes > 0 ? inner.replace(/^ /, '').length : inner.length;
  pushBlock(state, run + language);
  state.fence = { run, quotes, indent, isSuggestion: language === 'suggestion' };
}

/**
 * Languages that GitHub draws as a picture are shown as their source: a diagram can name an image
 * to load.
 */
function cleanLanguage(info: string): string {
  const [word = ''] = /^[\w+#.-]{1,40}/.exec(info.trim()) ?? [];
  return /^(?:mermaid|geojson|topojson|stl|math)$/i.test(word) ? 'text' : word;
}

/**
 * Takes a line that is nothing but `<details>`, its end or its summary; false for any other line.
 */
function readDetails(state: State, line: string, hasTables: boolean): boolean {
  if (OPEN_DETAILS.test(line) && state.details < MAX_DEPTH) openDetails(state, line);
  else if (CLOSE_DETAILS.test(line) && state.details > 0) {
    state.details -= 1;
    pushBlock(state, '</details>');
    state.needsBlank = true;
  } else return readSummary(state, line, hasTables);
  return true;
}

/** Nobody opens more; each one that is left open needs room for its end. */
const MAX_DEPTH = 8;

function openDetails(state: State, tag: string): void {
  state.details += 1;
  pushBlock(state, tag.toLowerCase());
  state.needsBlank = true;
}

function readSummary(state: State, line: string, hasTables: boolean): boolean {
  const [match, open, title = ''] = SUMMARY_LINE.exec(line) ?? [];
  if (match === undefined || title.includes('<!--')) return false;
  if (open !== undefined && state.details >= MAX_DEPTH) return false;
  if (open === undefined && !OPEN_DETAILS.test(state.lines.findLast((above) => above !== '') ?? ''))
    return false;
  if (open !== undefined) openDetails(state, open);
  const words = beginWords(state.words.references);
  state.lines.push(
    `<summary>${cleanInline(title, { hasTables, isRaw: true, words }).text}</summary>`,
  );
  state.needsBlank = true;
  return true;
}

function readText(state: State, line: string, options: InlineOptions): void {
  const { text, endsInComment } = cleanInline(line, options);
  state.isInComment = endsInComment;
  const cleaned = text.replace(ONLY_BREAKS, '$1').replace(FENCE, '$1\\$2$3');
  if (cleaned.trim() === '') {
    state.lines.push('');
    state.needsBlank = false;
    state.words = beginWords(state.words.references);
  } else {
    pushLine(state, cleaned);
  }
}

/** Adds a line that needs a blank line before it. */
function pushBlock(state: State, line: string): void {
  state.needsBlank = true;
  pushLine(state, line);
}

function pushLine(state: State, line: string): void {
  const last = state.lines.at(-1) ?? '';
  if (state.needsBlank && last !== '') state.lines.push('');
  state.needsBlank = false;
  state.lines.push(line);
}
