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

/** How long a text may be; room is left for what the publisher puts around it: hidden marker, heading, footer. */
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

/** Cleans, then cuts, then cleans again, since a cut can go through anything; redaction always comes first. */
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
 * Applies a step until it changes nothing more, so that what leaves is what the rules have looked at. Two or three
 * rounds are enough for anything but a text made against the rules, of which letters and digits remain.
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
