import { messageOf } from '../../../core/errors.js';
import { compareFiles } from '../../../core/memory/file-order.js';
import type { BlockedPlace } from '../../../core/memory/store.js';
import { type ReadTree, readFound, type StoredFile } from '../tree-on-disk.js';
import { isTreePlace, isUnder, outsideTree } from '../tree-path.js';
import { checkedPlace, type FilePlaces, locate, reasonOf } from './file-places.js';

/**
 * The memory files of some places of a folder, exact paths and folders with a `/` at their end. No link is followed, on
 * the command line neither: what is no regular file of one name is left out with a warning (D17). Throws for a place
 * outside.
 */
export async function readPlaces(places: FilePlaces, under: readonly string[]): Promise<ReadTree> {
  const inside = { ...places, followLinks: false, paths: new Map<string, string>() };
  const found: StoredFile[] = [];
  const blocked: BlockedPlace[] = [];
  for (const place of under) {
    if (!isTreePlace(place)) throw new Error(outsideTree(place).message);
    try {
      await checkedPlace(inside, place.endsWith('/') ? `${place}any.md` : place);
      found.push(...(await findIn(inside, place)));
    } catch (thrown) {
      blocked.push({ path: place, reason: reasonOf(thrown), message: messageOf(thrown) });
    }
  }
  found.sort((left, right) => compareFiles(left.path, right.path));
  const read = await readFound(places.files, locate(inside, ''), found);
  const warnings = blocked.map(({ message }) => ({
    code: 'memory-store-notice' as const,
    message: `${message}; left out`,
  }));
  return {
    ...read,
    warnings: [...warnings.slice(0, 1), ...read.warnings],
    blocked: [...blocked, ...read.blocked],
  };
}

async function findIn(places: FilePlaces, place: string): Promise<readonly StoredFile[]> {
  const { files } = places;
  if (!place.endsWith('/')) {
    const stat = await files.stat(locate(places, place));
    return stat === undefined ? [] : [{ path: place, stat, isNamed: true }];
  }
  const entries = await files.list(locate(places, place.slice(0, -1)));
  const isOurs = (path: string): boolean => isUnder(path, [place]) || !/\.(?:md|bak)$/.test(path);
  return entries.flatMap(({ name, stat }) => {
    const path = place + name;
    return isOurs(path) && stat.kind !== 'directory' ? [{ path, stat }] : [];
  });
}
