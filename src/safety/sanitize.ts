import { MAX_COMMENT_CHARACTERS, MAX_SUMMARY_BYTES } from '../lib/defaults.js';
import { cutToBytes } from '../lib/text/cut.js';
import { stripInvisible } from './hidden.js';
import { removeMarks } from './mark.js';
import { cleanMarkdown } from './markdown.js';
import { redact } from './redact.js';
import { CLOSING_WORD, disarmUrl, isReferenceUrl, type ReferencePolicy } from './words.js';

/** Where a text goes; an `untrusted-comment` may hold words of people without write access. */
export type Channel = 'comment' | 'untrusted-comment' | 'title' | 'summary' | 'log' | 'output' | 'memory';

/**
 * The one function text leaves through (D24, D11). Comment and summary: no secret, nothing invisible, nothing that
 * acts on GitHub, everything closed that was opened, and cut to what fits, with a note; a comment refers to no thread of
 * another repository, an untrusted one to none at all. Title: no secret, nothing invisible, no closing keyword, one line
 * without markup. Log: no secret, nothing invisible, no workflow command. Output and memory: no secret. What went through
 * once goes through unchanged.
 */
export function sanitize(text: string, channel: Channel, secrets: readonly string[]): string {
  switch (channel) {
    case 'comment':
      return cleanAndCut(text, { ...COMMENT, secrets, references: 'own' });
    case 'untrusted-comment':
      return cleanAndCut(text, { ...COMMENT, secrets, references: 'none' });
    case 'title':
      return defer(text, (version) => cleanTitle(removeMarks(redact(version, secrets))));
    case 'summary':
      return cleanAndCut(text, { ...SUMMARY, secrets, references: 'all' });
    case 'log':
      return defer(text, (version) => cleanLog(redact(version, secrets)));
    case 'output':
    case 'memory':
      return redact(text, secrets);
  }
}

/** Left free for what the publisher puts around the text: hidden marker, heading, footer. */
const COMMENT_FRAME = 1536;
const SUMMARY_FRAME_BYTES = 16_384;

const COMMENT_LIMIT = MAX_COMMENT_CHARACTERS - COMMENT_FRAME;
const SUMMARY_LIMIT_BYTES = MAX_SUMMARY_BYTES - SUMMARY_FRAME_BYTES;

const COMMENT_NOTE =
  '\n\n*The text is cut here: it is longer than a comment may be; the rest is in the job summary.*';
const SUMMARY_NOTE = '\n\n*The text is cut here: it is longer than a job summary may be.*';

interface Limit {
  readonly hasRoom: (text: string) => boolean;
  /** The text without its last `tooMuch` units beyond the limit. */
  readonly cut: (text: string, tooMuch: number) => string;
  readonly note: string;
}

const COMMENT: Limit = { hasRoom: hasRoomInComment, cut: cutToComment, note: COMMENT_NOTE };
const SUMMARY: Limit = { hasRoom: hasRoomInSummary, cut: cutToSummary, note: SUMMARY_NOTE };

interface Cleaning extends Limit {
  readonly secrets: readonly string[];
  readonly references: ReferencePolicy;
}

/** Cleans, then cuts, then cleans again, since a cut can go through anything; redaction always comes first. */
function cleanAndCut(text: string, { secrets, references, hasRoom, cut, note }: Cleaning): string {
  const clean = (version: string) =>
    cleanMarkdown(removeMarks(stripInvisible(redact(version, secrets))), references);
  const whole = defer(text, clean);
  if (hasRoom(whole)) return whole;
  for (let tooMuch = note.length + MARGIN; ; tooMuch *= 2) {
    const short = defer(cut(whole, tooMuch).trimEnd(), clean) + note;
    if (hasRoom(short)) return defer(short, clean);
  }
}

/** Room for fences and `<details>` that are closed after a cut. */
const MARGIN = 256;

/**
 * Applies a step until it changes nothing more, so that what leaves is what the rules have looked at. Two or three
 * rounds are enough for anything but a text made against the rules, of which letters and digits remain.
 */
function defer(text: string, step: (text: string) => string): string {
  let version = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const next = step(version);
    if (next === version) return version;
    version = next;
  }
  return step(version.replace(/[^\p{L}\p{N}\n]+/gu, ' '));
}

const MAX_ROUNDS = 8;

function hasRoomInComment(text: string): boolean {
  return text.length <= COMMENT_LIMIT;
}

function hasRoomInSummary(text: string): boolean {
  return cutToBytes(text, SUMMARY_LIMIT_BYTES).leftOutBytes === 0;
}

function cutToComment(text: string, tooMuch: number): string {
  return atLineEnd(text.slice(0, Math.max(0, COMMENT_LIMIT - tooMuch)).replace(/[\uD800-\uDBFF]$/, ''));
}

function cutToSummary(text: string, tooMuch: number): string {
  return atLineEnd(cutToBytes(text, Math.max(0, SUMMARY_LIMIT_BYTES - tooMuch)).text);
}

/** Up to the last line break, if one is near. */
function atLineEnd(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > Math.max(0, text.length - 2000) ? text.slice(0, end) : text;
}

/**
 * The title of an issue or pull request: GitHub shows it as it was typed, so it gets no markup. Mentions and references
 * do nothing there, but a merge can make the title the message of a commit, where a closing keyword works.
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
  return reference.startsWith('http') ? reference : reference.replace(/^#/, '').replace(/[#-](?=\d+$)/, ' ');
}

/**
 * Text for the log of a step, in which nothing is a command to the runner: not `::name::` at the start of a line, not
 * `##[name]` anywhere, also not behind a carriage return (memory-and-security C8 94; actions/runner takes white space
 * before the first, and text before the second). A space makes them plain text.
 */
export function cleanLog(text: string): string {
  return stripInvisible(text)
    .replace(/^[^\S\n]*:(?=:)/gm, '$& ')
    .replaceAll('##[', '## [');
}
