import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { compareBytes } from '../../lib/text/bytes.js';
import type { CompiledPattern } from '../../lib/text/glob.js';
import { isInside } from '../../lib/user-files.js';
import { isSecretPath } from './path-rules.js';

export interface WalkedFile {
  /** `/`-separated, relative to the root, under the name it was found by. */
  readonly path: string;
  /** Where it really is; inside of the root. */
  readonly realPath: string;
}

/**
 * The regular files below a root that match any of the patterns, in byte order of their paths. Only folders in which
 * a file can match are opened. Links are followed if they end inside of the root; `**` does not go through linked folders,
 * so the walk always ends. What cannot be read, and where credentials are kept, is left out without a word.
 */
export async function walkFiles(
  root: string,
  patterns: readonly CompiledPattern[],
): Promise<readonly WalkedFile[]> {
  const found: WalkedFile[] = [];

  async function enter(folder: WalkedFile, patterns: readonly CompiledPattern[]): Promise<void> {
    const entries = await readdir(folder.realPath, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
      const isMatch = patterns.some((pattern) => pattern.matches(path));
      const below = patterns.filter((pattern) => pattern.mayContain(path));
      if (isSecretPath(path.split('/')) || (!isMatch && below.length === 0)) continue;
      const isLink = entry.isSymbolicLink();
      const place = join(folder.realPath, entry.name);
      const target = isLink ? await followLink(root, place) : { realPath: place, kind: entry };
      if (target === undefined) continue;
      const { realPath, kind } = target;
      const inner = isLink ? below.filter((pattern) => !pattern.isRecursive) : below;
      if (kind.isFile() && isMatch) found.push({ path, realPath });
      if (kind.isDirectory() && inner.length > 0) await enter({ path, realPath }, inner);
    }
  }

  await enter({ path: '', realPath: root }, patterns);
  return found.sort((a, b) => compareBytes(a.path, b.path));
}

/** What a link leads to in the root; undefined where that is nothing, outside, or where credentials are kept. */
async function followLink(root: string, link: string) {
  try {
    const realPath = await realpath(link);
    if (!isInside(root, realPath) || isSecretPath(relative(root, realPath).split(sep))) return undefined;
    return { realPath, kind: await stat(realPath) };
  } catch {
    return undefined;
  }
}
