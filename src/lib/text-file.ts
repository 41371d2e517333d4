import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { ConfigError } from './errors.js';
import { errorCode } from './file-error.js';

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

/**
 * The bytes of a regular file. What is none is refused with a system's error code: a FIFO would be waited for without end,
 * a device read without end.
 */
export async function readRegularFile(path: string): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = await handle.stat();
    if (stats.isFile()) return await handle.readFile();
    const code = stats.isDirectory() ? 'EISDIR' : 'EINVAL';
    throw Object.assign(new Error(`${path} is not a regular file`), { code });
  } finally {
    await handle.close();
  }
}

/** Bytes of an open file from a position on; fewer where it ends before. */
export async function readFully(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
