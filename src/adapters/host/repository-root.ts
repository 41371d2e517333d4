import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** The folder of the git checkout that a folder is in; undefined where there is none. A worktree's `.git` is a file. */
export async function findRepositoryRoot(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await stat(join(at, '.git')).catch(() => undefined)) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}
