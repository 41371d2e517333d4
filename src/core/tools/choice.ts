import { shown } from '../text/shown.js';
import { ToolError } from '../tool-error.js';

/** One of a few words, in any case; the first where none was given. Throws a ToolError that lists them. */
export function readChoice<const Word extends string>(
  argument: string,
  given: string | undefined,
  words: readonly [Word, ...Word[]],
): Word {
  const word = given?.trim().toLowerCase() ?? '';
  if (word === '') return words[0];
  const found = words.find((one) => one === word);
  if (found !== undefined) return found;
  const listed = words.map((one) => `\`${one}\``).join(', ');
  throw new ToolError(`\`${argument}\` is one of ${listed}, not ${shown(given ?? '')}`);
}
