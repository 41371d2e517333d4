import { join } from 'node:path';
import { createFiles } from './files.js';

/**
 * The commit that is checked out in a folder, as git keeps it: its own name in `.git/HEAD`, or the branch that is named
 * there. Undefined where there is no checkout, or one that cannot be read.
 */
export async function readCheckedOut(folder: string): Promise<string | undefined> {
  const head = await readGitFile(folder, 'HEAD');
  const [, ref] = /^ref: (refs\/[^\s]+)$/m.exec(head) ?? [];
  if (ref === undefined) return commitIn(head);
  if (ref.split('/').includes('..')) return undefined;
  const loose = commitIn(await readGitFile(folder, ref));
  return loose ?? packedCommit(await readGitFile(folder, 'packed-refs'), ref);
}

/** Far more than a repository's refs take. */
const MAX_BYTES = 16 * 1024 * 1024;

/** Empty where it is not there or no plain file. */
async function readGitFile(folder: string, name: string): Promise<string> {
  try {
    const file = await createFiles().open(join(folder, '.git', name), { followLinks: false });
    if (file === undefined) return '';
    try {
      return new TextDecoder().decode(await file.read(0, Math.min(file.bytes, MAX_BYTES)));
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

function commitIn(text: string): string | undefined {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?(?=\s|$)/.exec(text)?.[0];
}

function packedCommit(packed: string, ref: string): string | undefined {
  const line = packed.split('\n').find((one) => one.endsWith(` ${ref}`));
  return line === undefined ? undefined : commitIn(line);
}
