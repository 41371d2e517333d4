import { CHINESE } from './reply-phrases/chinese.js';
import { ENGLISH } from './reply-phrases/english.js';
import { FRENCH } from './reply-phrases/french.js';
import { GERMAN } from './reply-phrases/german.js';
import { JAPANESE } from './reply-phrases/japanese.js';
import { PORTUGUESE } from './reply-phrases/portuguese.js';
import type { ReplyLanguage } from './reply-phrases/reply-language.js';
import { SPANISH } from './reply-phrases/spanish.js';

/** The languages whose set phrases are understood; one counts only with the words of its own language around it. */
export const REPLY_LANGUAGES: readonly ReplyLanguage[] = [
  ENGLISH,
  GERMAN,
  SPANISH,
  FRENCH,
  PORTUGUESE,
  CHINESE,
  JAPANESE,
];

/** What a reply says of the finding it answers, as far as it is one of a few set phrases. */
type ParsedReply = 'withdraws' | 'agrees';

/**
 * Reads a reply without a model: only its first paragraph, and only by the phrases of {@link REPLY_LANGUAGES}, which are
 * all of it or stand before a reason. Whatever it says beyond them is nobody's business here, so no reply can do more than
 * these two words can. Undefined for all others.
 */
export function parseReply(body: string): ParsedReply | undefined {
  const text = openingOf(body);
  for (const language of languageReaders()) {
    const said = readIn(language, text);
    if (said !== undefined) return said;
  }
  return undefined;
}

const MAX_READ = 400;

/** The first paragraph without what was quoted, as {@link fold} makes it. */
function openingOf(body: string): string {
  const own = body
    .slice(0, MAX_READ * 10)
    .split(/\r?\n/)
    .filter((line) => !/^\s{0,3}>/.test(line))
    .join('\n')
    .trim();
  const [paragraph = ''] = own.split(/\n\s*\n/);
  return fold(paragraph.slice(0, MAX_READ)).replace(/^(?:@[\w-]+[\s,.:;!]+)+/, '');
}

/** Lower case, without accents, emoji and marks of markdown; a hyphen inside of a word is a space. */
function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(
      /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]|\u200d|\ufe0f|:[a-z0-9_+-]+:/gu,
      ' ',
    )
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[*_`~"\u201c\u201d\u00ab\u00bb\u300c\u300d\u00a1\u00bf]/g, '')
    .replace(/(?<=\p{L})-(?=\p{L})/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/ (?=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}])|(?<=[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}]) /gu, '')
    .trim();
}

/** A language's table as patterns over folded text. */
interface LanguageReader {
  readonly withdraws: RegExp;
  readonly withdrawsAlone: RegExp;
  readonly agrees: RegExp;
  /** The one thing before a phrase that says nothing. */
  readonly opening: RegExp;
  readonly turn: RegExp;
}

function createReader(language: ReplyLanguage): LanguageReader {
  const { withdraws, withdrawsAlone, agrees, yesOrNo, fillers, endings = [], reasons, turns } = language;
  // Chinese and Japanese write no space between words.
  const isSpaced = endings.length === 0;
  const gap = isSpaced ? `[\\s${POINTS}]+` : `[\\s${POINTS}]*`;
  const ending = isSpaced ? '' : `(?:${anyOf(endings)})?`;
  const reason = `${isSpaced ? '\\s+' : '\\s*'}(?:${anyOf(reasons)})${isSpaced ? '(?![\\p{L}\\p{N}])' : ''}`;
  const end = `(?:$|(?=\\s*[)${POINTS}])|(?=${reason})|(?=\\s+(?:in|by|en|em|dans|mit) [0-9a-f]{7,40}(?![\\p{L}\\p{N}])))`;
  const phrase = (phrases: readonly string[], after: string) =>
    new RegExp(`^(?:${anyOf(phrases)})${ending}${after}`, 'u');
  const turn = anyOf(turns);
  return {
    withdraws: phrase(withdraws, end),
    withdrawsAlone: phrase(withdrawsAlone, `[\\s)${POINTS}]*$`),
    agrees: phrase(agrees, end),
    opening: new RegExp(
      `^(?:(?:${anyOf(yesOrNo)})\\s*[${POINTS}][\\s${POINTS}]*|(?:${anyOf(fillers)})${gap})`,
      'u',
    ),
    turn: new RegExp(isSpaced ? `(?<![\\p{L}\\p{N}])(?:${turn})(?![\\p{L}\\p{N}])|\\?` : `${turn}|\\?`, 'u'),
  };
}

/** What ends a sentence or clause; the hyphen last, as a class of characters has it. */
const POINTS = '.,;:!\u2026\u3002\u3001\u2013\u2014-';

/** Longer ones first, so that no phrase hides one that goes on. */
function anyOf(phrases: readonly string[]): string {
  return phrases
    .map(fold)
    .toSorted((a, b) => b.length - a.length)
    .map((phrase) => phrase.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('|');
}

let readers: readonly LanguageReader[] | undefined;

/** Made when the first reply is read: most runs read none. */
function languageReaders(): readonly LanguageReader[] {
  readers ??= REPLY_LANGUAGES.map(createReader);
  return readers;
}

function readIn(language: LanguageReader, text: string): ParsedReply | undefined {
  let rest = text;
  for (;;) {
    if (language.withdrawsAlone.test(rest)) return 'withdraws';
    for (const [pattern, said] of [
      [language.withdraws, 'withdraws'],
      [language.agrees, 'agrees'],
    ] as const) {
      const [phrase] = pattern.exec(rest) ?? [];
      if (phrase !== undefined && !language.turn.test(rest.slice(phrase.length))) return said;
    }
    const shorter = rest.replace(language.opening, '');
    if (shorter === rest) return undefined;
    rest = shorter;
  }
}
