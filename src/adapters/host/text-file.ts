import { ConfigError } from '../../core/errors.js';
import { errorCode } from './file-error.js';
import { readRegularFile } from './regular-file.js';

/** What a file is read for, so that its errors can say it. */
interface TextFilePurpose {
  /** For the message: `event file`, `prompt file`. */
  readonly what: string;
  /** What to do if it cannot be read. */
  readonly remedy: string;
}

/** The text of a small file that the user named. Throws a ConfigError. */
export async function readTextFile(path: string, { what, remedy }: TextFilePurpose): Promise<string> {
  try {
    return (await readRegularFile(path)).toString('utf8');
  } catch (thrown) {
    const code = errorCode(thrown) ?? String(thrown);
    throw new ConfigError(`cannot read the ${what} ${path}: ${REASONS.get(code) ?? code}`, {
      remedy,
      cause: thrown,
    });
  }
}

const REASONS = new Map([
  ['ENOENT', 'no such file'],
  ['EISDIR', 'it is a folder'],
  ['EINVAL', 'it is not a regular file'],
  ['EACCES', 'permission denied'],
  ['ENOTDIR', 'a part of the path is not a folder'],
]);
