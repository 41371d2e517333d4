import type { Files } from '../files.js';
import { decodeBytes } from './bytes.js';

/** The text of a file, bad bytes kept; undefined if there is none. Throws what the file system throws. */
export async function readWhole(
  files: Files,
  path: string,
  options: { readonly followLinks: boolean },
): Promise<string | undefined> {
  const file = await files.open(path, options);
  if (file === undefined) return undefined;
  try {
    return decodeBytes(await file.read(0, file.bytes));
  } finally {
    await file.close();
  }
}
