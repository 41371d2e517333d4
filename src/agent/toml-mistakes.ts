import { earlierLine } from './positions.js';

/** A mistake that a line shows, and what to write. */
const MISTAKES: readonly (readonly [shown: RegExp, remedy: string])[] = [
  [/[“”„‟]/, 'The line has curly quotes: write straight ones, `"`.'],
  [/=\s*(?:True|TRUE|yes|Yes|on|On)\s*(?:#.*)?$/, 'Write `true`, in small letters.'],
  [/=\s*(?:False|FALSE|no|No|off|Off)\s*(?:#.*)?$/, 'Write `false`, in small letters.'],
  [/=\s*(?:None|null|nil|undefined)\s*(?:#.*)?$/, 'TOML has no such value: leave the key out.'],
  [/^\s*(?:- )?[\w-]+\s*:(?:\s|$)|^---/, 'This looks like YAML: TOML writes `key = "value"`.'],
  [/^\s*[{}]/, 'This looks like JSON: TOML writes `key = "value"`, each on a line of its own.'],
  [/=\s*\d+,\d+\s*(?:#.*)?$/, 'Write a decimal point: `0.3`.'],
  [/"[A-Za-z]:\\/, "Write the path in single quotes, which keep a backslash: `'C:\\new'`."],
];

const GENERAL =
  'An agent file is TOML: `key = value` lines under `[table]` names. Strings are in double quotes, or in single quotes, which keep a backslash; over several lines in three of them.';

/**
 * The message and remedy for a line that is not TOML, without its text, which can hold a secret.
 * `reason` is the parser's.
 */
export function explainToml(
  toml: string,
  line: number,
  reason: string,
): { readonly message: string; readonly remedy: string } {
  if (reason.startsWith('trying to redefine')) {
    const first = earlierLine(toml, line);
    const message = 'a key or table is written twice';
    if (first === undefined) return { message, remedy: 'Leave one of the two out.' };
    return {
      message: `${message}, in line ${first} and in line ${line}`,
      remedy: `Keep one of the two, with everything that belongs to it.`,
    };
  }

  const message = reason.replace(
    /^control characters are not allowed in strings$/,
    'a string has no closing quote on its line, or holds a control character',
  );
  const text = toml.split('\n')[line - 1] ?? '';
  const remedy = MISTAKES.find(([shown]) => shown.test(text))?.[1] ?? GENERAL;
  return { message, remedy };
}
