import { readFile } from 'node:fs/promises';
import { ConfigError } from '../axe/errors.js';

/** What a file is read for, so that its errors can say it. */
export interface TextFilePurpose {
  /** For the message: `event file`, `prompt file`. */
  readonly what: string;
  /** What to do if it cannot be read. */
  readonly remedy: string;
}

/** The text of a small file that the user named. Throws a ConfigError. */
export async function readTextFile(path: string, { what, remedy }: TextFilePurpose): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    throw new ConfigError(`cannot read the ${what} ${path}: ${REASONS.get(code) ?? String(code)}`, {
      remedy,
      cause: thrown,
    });
  }
}

const REASONS = new Map<unknown, string>([
  ['ENOENT', 'no such file'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission denied'],
  ['ENOTDIR', 'a part of the path is not a folder'],
]);
