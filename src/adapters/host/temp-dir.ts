import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A fresh folder of this account's own, and how it is removed. */
export async function createTempDir(): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'axe-action-'));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/** Does the work with a fresh folder that is gone afterwards, whatever happens. */
export async function withTempDir<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await createTempDir();
  try {
    return await work(folder.path);
  } finally {
    await folder.remove();
  }
}
