import { TomlError } from 'smol-toml';
import { createLocator, type KeyPosition } from './locate.js';

interface TomlProblem {
  readonly message: string;
  readonly remedy: string;
  readonly line: number;
  readonly column: number;
}

interface Wording {
  /** How the parser's message begins. */
  readonly parser: string;
  readonly message: string;
  readonly remedy: string;
}

const QUOTES = 'Strings must be quoted: `name = "reviewer"`.';
const LONG_TEXT = 'A text over several lines begins and ends with `"""`.';

const WORDINGS: readonly Wording[] = [
  { parser: 'invalid value', message: 'expected a value', remedy: `${QUOTES} A value cannot be left out.` },
  { parser: 'unfinished string', message: 'the text is not closed', remedy: LONG_TEXT },
  {
    parser: 'control characters are not allowed in strings',
    message: 'the text is not closed on its line, or holds a control character',
    remedy: LONG_TEXT,
  },
  {
    parser: 'unrecognised escape',
    message: 'unknown escape after `\\`',
    remedy: 'Write `\\\\` for a backslash, or put the text in single quotes.',
  },
  {
    parser: 'each key-value declaration',
    message: 'something follows the value',
    remedy: `Each key needs a line of its own. ${QUOTES}`,
  },
  {
    parser: 'incomplete key-value',
    message: 'expected `key = value` or `[table]`',
    remedy: 'Each line is a key, an equals sign and a value, or the name of a table in brackets.',
  },
  {
    parser: 'illegal character in key',
    message: 'a key contains a character that is not allowed there',
    remedy: 'Keys are letters, digits, `_` and `-`; anything else must be quoted.',
  },
  {
    parser: 'document contains excessively nested',
    message: 'values are nested too deeply',
    remedy: 'An agent needs no more than a few levels.',
  },
  {
    parser: 'unfinished',
    message: 'a list or table is not closed',
    remedy: 'Close it with `]` or `}`.',
  },
  {
    parser: 'expected comma or end of structure',
    message: 'expected a comma, or the end of the list or table',
    remedy: 'Separate the values with commas and close the list with `]`, the table with `}`.',
  },
];

const FALLBACK = 'An agent file is TOML: `key = value` lines under `[table]` names.';

/**
 * The parser's error in our words, without the lines of the file, which may hold a secret; undefined for anything
 * else that was thrown.
 */
export function tomlProblem(thrown: unknown, text: string): TomlProblem | undefined {
  if (!(thrown instanceof TomlError)) return undefined;
  const { line, column } = thrown;
  const parser = thrown.message.replace(/^Invalid TOML document: /, '').replace(/\n[\s\S]*$/, '');
  if (parser.startsWith('trying to redefine'))
    return { ...repeatedKey(text, { line, column }), line, column };
  const { message, remedy } = WORDINGS.find((wording) => parser.startsWith(wording.parser)) ?? {
    message: parser,
    remedy: FALLBACK,
  };
  return { message, remedy, line, column };
}

function repeatedKey(text: string, position: KeyPosition): Pick<TomlProblem, 'message' | 'remedy'> {
  const { line } = position;
  const { path, first = line } = createLocator(text).keyAt(position) ?? {};
  const name = path?.findLast((part) => typeof part === 'string');
  return {
    message: `${name === undefined ? 'a key' : `Key '${name}'`} has already been defined`,
    remedy:
      first >= line
        ? 'Leave one of the two out.'
        : `It is already on line ${first}; leave one of the two out.`,
  };
}
