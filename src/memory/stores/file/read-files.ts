import { messageOf } from '../../../lib/errors.js';
import { readWhole } from '../../../lib/files.js';
import { statePath } from '../../state.js';
import type { BlockedPlace, FailedRead, ReadRequest, RestoreResult, TreeResult } from '../../store.js';
import { readRunLog, shownTree, withState } from '../read-log.js';
import { codeOf } from '../storage-failure.js';
import { type ReadTree, readFound, readTree, type StoredFile } from '../tree-on-disk.js';
import { compareFiles, isTreePlace, isUnder, outsideTree } from '../tree-path.js';
import { checkedPlace, type FilePlaces, fileRemedy, locateFile, reasonOf } from './file-places.js';

/** Reads a run log from its end. Nothing here throws. */
export async function readFileLog(places: FilePlaces, request: ReadRequest): Promise<RestoreResult> {
  const { path } = request;
  const place = { location: locateFile(places, path), warnings: [] };
  try {
    await checkedPlace(places, path);
    const file = await places.files.open(place.location, places);
    const found = withState(place, await readText(places, statePath(path)));
    if (file === undefined) return { ...found, kind: 'empty' };
    try {
      return await readRunLog(file, request, found);
    } finally {
      await file.close();
    }
  } catch (thrown) {
    return failedRead(thrown, place.location);
  }
}

/** Every memory file, or those of some places. Nothing here throws. */
export async function readFileTree(places: FilePlaces, under?: readonly string[]): Promise<TreeResult> {
  const location = locateFile(places, '');
  try {
    await checkedPlace(places, 'any.md');
    const isElsewhere = (path: string): boolean => places.paths?.has(path) === true;
    const { tree, warnings, left, blocked } =
      under === undefined
        ? await readTree(places.files, location, places.wants)
        : await readPlaces(
            places,
            under.filter((path) => !isElsewhere(path)),
          );
    const named = under?.filter(isElsewhere) ?? [...(places.paths?.keys() ?? [])];
    const elsewhere = await Promise.all(named.map((path) => readElsewhere(places, path)));
    const texts = elsewhere.flatMap((file) =>
      file.kind === 'text' ? [[file.path, file.text] as const] : [],
    );
    const unread = elsewhere.flatMap((file) => (file.kind === 'blocked' ? [file.place] : []));
    const all = new Map([...tree, ...texts.filter(([, text]) => text !== '')]);
    return {
      kind: 'tree',
      tree: shownTree(all, under),
      warnings,
      location,
      left: left.length === 0 ? undefined : left,
      ...(blocked.length + unread.length === 0 ? {} : { blocked: [...blocked, ...unread] }),
    };
  } catch (thrown) {
    return failedRead(thrown, location);
  }
}

type Elsewhere =
  | { readonly kind: 'text'; readonly path: string; readonly text: string }
  | { readonly kind: 'blocked'; readonly place: BlockedPlace };

/** The run log itself, read with the notes; its trouble is reported where it is loaded. */
async function readElsewhere(places: FilePlaces, path: string): Promise<Elsewhere> {
  try {
    return { kind: 'text', path, text: await readText(places, path) };
  } catch (thrown) {
    return { kind: 'blocked', place: { path, reason: reasonOf(thrown), message: messageOf(thrown) } };
  }
}

/** The text of a file; empty where there is none. */
async function readText(places: FilePlaces, path: string): Promise<string> {
  const location = await checkedPlace(places, path);
  try {
    return (await readWhole(places.files, location, places)) ?? '';
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOTDIR') return '';
    throw thrown;
  }
}

function failedRead(thrown: unknown, location: string): FailedRead {
  return { kind: 'failed', message: messageOf(thrown), location, remedy: fileRemedy(thrown) };
}

/**
 * The memory files of some places of a folder, exact paths and folders with a `/` at their end. No link is followed, on
 * the command line neither: what is no regular file of one name is left out with a warning (D17). Throws for a place
 * outside.
 */
async function readPlaces(places: FilePlaces, under: readonly string[]): Promise<ReadTree> {
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
  const read = await readFound(places.files, locateFile(inside, ''), found);
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
    const stat = await files.stat(locateFile(places, place));
    return stat === undefined ? [] : [{ path: place, stat, isNamed: true }];
  }
  const entries = await files.list(locateFile(places, place.slice(0, -1)));
  const isOurs = (path: string): boolean => isUnder(path, [place]) || !/\.(?:md|bak)$/.test(path);
  return entries.flatMap(({ name, stat }) => {
    const path = place + name;
    return isOurs(path) && stat.kind !== 'directory' ? [{ path, stat }] : [];
  });
}
