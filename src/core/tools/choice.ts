import { shown } from '../text/shown.js';
import { ToolError } from '../tool-error.js';

/** One of a few words, in any case; the first where none was given. Throws a ToolError that lists them. */
export function readChoice<const Word extends string>(
  argument: string,
  given: string | undefined,
  words: readonly [Word, ...Word[]],
): Word {
  return given === undefined || given.trim() === '' ? words[0] : needChoice(argument, given, words);
}

/** The same for an argument that has no default. */
export function needChoice<const Word extends string>(
  argument: string,
  given: string,
  words: readonly Word[],
): Word {
  const word = given
    .trim()
    .toLowerCase()
    .replace(/[\s_]+/g, '-');
  const found = words.find((one) => one === word);
  if (found !== undefined) return found;
  const listed = words.map((one) => `\`${one}\``).join(', ');
  throw new ToolError(`\`${argument}\` is one of ${listed}, not ${shown(given)}`);
}
