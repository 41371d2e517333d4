import { isAbsolute, join, relative, sep } from 'node:path';
import type { Files } from '../../../lib/files.js';
import type { Place, SaveFailure } from '../../store.js';
import { codeOf, failureOf } from '../storage-failure.js';
import { isTreePath, outsideTree } from '../tree-path.js';

export interface FilePlaces {
  readonly files: Files;
  /** Absolute path of the folder that everything stays in. */
  readonly root: string;
  /** Folder below `root` that the tree's paths count from; left out for `root` itself. */
  readonly folder?: string | undefined;
  /** Files that lie elsewhere, by their path in the tree (`memory.path` on the command line). */
  readonly paths?: ReadonlyMap<string, string> | undefined;
  /**
   * False where the folder holds what strangers wrote, as a workspace does: then neither the file nor a folder
   * between it and `root` may be a link, and a file outside `root`, or with a second name, is refused.
   */
  readonly followLinks: boolean;
  /** Of everything in the folder only what this wants is read, and warned of; left out for all. */
  readonly wants?: (path: string) => boolean;
}

/** The store refuses a path, whatever the file system would say. */
class Refused extends Error {
  constructor(
    message: string,
    readonly reason: 'error' | 'refused' = 'refused',
  ) {
    super(message);
  }
}

/** Where a file of the tree lies; '' is the tree's folder. */
export function locateFile({ root, folder = '', paths }: FilePlaces, path: string): string {
  return paths?.get(path) ?? join(root, folder, path);
}

/** The same as a place; a file that lies elsewhere is by itself. */
export function placeOfFile(places: FilePlaces, path: string): Place {
  const location = locateFile(places, path);
  if (path === '' || places.paths?.has(path) === true) return { location };
  return { location, within: { root: locateFile(places, ''), separator: sep } };
}

/**
 * Where a file of the tree lies. Throws if it is no path of the tree, or if links are refused and it does not lie in
 * the root by folders that are no links.
 */
export async function checkedPlace(places: FilePlaces, path: string): Promise<string> {
  const { files, root, paths, followLinks } = places;
  const location = locateFile(places, path);
  if (!isTreePath(path) && paths?.has(path) !== true) throw new Refused(outsideTree(path).message, 'error');
  if (followLinks) return location;
  const inside = relative(root, location);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
    throw new Refused(`open ${location}: outside ${root}`);
  }
  let folder = root;
  for (const part of inside.split(sep).slice(0, -1)) {
    folder = join(folder, part);
    const stat = await files.stat(folder);
    if (stat?.kind === 'link') throw new Refused(`open ${location}: ${folder} is a symbolic link`);
    if (stat?.kind !== 'directory') return location;
  }
  const found = await files.stat(location);
  if (found?.kind === 'file' && (found.names ?? 1) > 1) {
    throw new Refused(`open ${location}: the file has more than one name (hard links)`);
  }
  return location;
}

/**
 * The file that a rewrite replaces: where links are followed the one that a link leads to, so that the link stays and
 * nothing that was removed is left behind it. Throws what the file system throws.
 */
export async function rewritePlace({ files, followLinks }: FilePlaces, location: string): Promise<string> {
  if (!followLinks || (await files.stat(location))?.kind !== 'link') return location;
  return (await files.realPath(location)) ?? location;
}

const LINK_REMEDY = 'Memory in a workspace must be a regular file inside it; replace the link by the file.';

export function fileRemedy(thrown: unknown): string | undefined {
  return thrown instanceof Refused || codeOf(thrown) === 'ELOOP' ? LINK_REMEDY : undefined;
}

/** What an error means for a save: a place that was refused is not a failure of the file system. */
export function reasonOf(thrown: unknown): SaveFailure {
  return thrown instanceof Refused ? thrown.reason : failureOf(thrown);
}
