import type { Dirent } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { isInside } from '../../lib/confine.js';
import { compareBytes } from '../../lib/text/bytes.js';
import type { CompiledPattern } from '../../lib/text/glob.js';
import { isSecretPath } from './path-rules.js';

export interface WalkedFile {
  /** `/`-separated, relative to the root, under the name it was found by. */
  readonly path: string;
  /** Where it really is; inside of the root. */
  readonly realPath: string;
}

interface Folder extends WalkedFile {
  /** Those a file in here can match. */
  readonly patterns: readonly CompiledPattern[];
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
  let folders: readonly Folder[] = [{ path: '', realPath: root, patterns }];
  while (folders.length > 0) {
    const below: Folder[] = [];
    for (const folder of folders) {
      for (const entry of await readFolder(folder.realPath)) {
        const visited = await visit(root, folder, entry);
        if (visited === undefined) continue;
        if ('patterns' in visited) below.push(visited);
        else found.push(visited);
      }
    }
    folders = below;
  }
  return found.sort((a, b) => compareBytes(a.path, b.path));
}

async function readFolder(path: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(path, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** What an entry of a folder leads to, if anything. FIFOs, sockets and devices lead nowhere. */
async function visit(root: string, folder: Folder, entry: Dirent): Promise<WalkedFile | Folder | undefined> {
  const path = folder.path === '' ? entry.name : `${folder.path}/${entry.name}`;
  if (isSecretPath(path.split('/'))) return undefined;
  const isMatch = folder.patterns.some((pattern) => pattern.matches(path));
  const below = folder.patterns.filter((pattern) => pattern.mayContain(path));
  if (!isMatch && below.length === 0) return undefined;
  const place = join(folder.realPath, entry.name);
  const target = entry.isSymbolicLink() ? await followLink(root, place) : undefined;
  if (entry.isFile() || target?.kind === 'file') {
    return isMatch ? { path, realPath: target?.realPath ?? place } : undefined;
  }
  if (entry.isDirectory() && below.length > 0) {
    return { path, realPath: place, patterns: below };
  }
  const plain = below.filter((pattern) => !pattern.isRecursive);
  return target?.kind === 'folder' && plain.length > 0
    ? { path, realPath: target.realPath, patterns: plain }
    : undefined;
}

async function followLink(
  root: string,
  link: string,
): Promise<{ readonly kind: 'file' | 'folder'; readonly realPath: string } | undefined> {
  try {
    const realPath = await realpath(link);
    if (!isInside(root, realPath)) return undefined;
    if (isSecretPath(relative(root, realPath).split(sep))) return undefined;
    const target = await stat(realPath);
    if (target.isFile()) return { kind: 'file', realPath };
    return target.isDirectory() ? { kind: 'folder', realPath } : undefined;
  } catch {
    return undefined;
  }
}
