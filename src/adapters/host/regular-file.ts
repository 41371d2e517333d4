import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

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
