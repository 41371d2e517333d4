import { isAbsolute, join, relative, sep } from 'node:path';
import { messageOf } from '../../../lib/errors.js';
import { errorCode, type Files, readWhole } from '../../../lib/files.js';
import { isAmongPlaces, isTreePath, isTreePlace, outsideTreeProblem } from '../../paths.js';
import { lastEntries } from '../../run-log.js';
import { statePath } from '../../state.js';
import type {
  BlockedPlace,
  FailedRead,
  MemoryLocation,
  ReadRequest,
  RestoreResult,
  SaveFailure,
  TreeResult,
} from '../../store.js';
import { countEntriesIn, filteredTree, readEnd, readLog, readLogIn } from '../read-log.js';
import { listFiles, readStoredFiles, type StoredFile, saveFailureOf } from '../tree-on-disk.js';

export interface FilePlaces {
  readonly files: Files;
  /** Absolute path of the folder that everything stays in. */
  readonly root: string;
  /** Folder below `root` that the tree's paths count from; left out for `root` itself. */
  readonly folder?: string;
  /** Files that lie elsewhere, by their path in the tree (`memory.path` on the command line). */
  readonly paths?: ReadonlyMap<string, string>;
  /**
   * False where the folder holds what strangers wrote, as a workspace does: then neither the file
   * nor a folder between it and `root` may be a link, and a file outside `root`, or with a second
   * name, is refused.
   */
  readonly followLinks: boolean;
  /** Selects the files of the folder that are read and warned about; left out for all. */
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

/** Returns the path of a file of the tree on disk; '' is the tree's folder. */
function locateFile({ root, folder = '', paths }: FilePlaces, path: string): string {
  return paths?.get(path) ?? join(root, folder, path);
}

/** Locates a file of the tree for people; a file listed in `paths` has no prefix. */
export function placeOfFile(places: FilePlaces, path: string): MemoryLocation {
  const location = locateFile(places, path);
  if (path === '' || places.paths?.has(path) === true) return { location };
  return { location, prefix: locateFile(places, '') + sep };
}

/**
 * Returns the path of a file of the tree on disk. Throws if it is not a path of the tree, or if
 * links are refused and the file is outside the root or below a link.
 */
export async function checkedPlace(places: FilePlaces, path: string): Promise<string> {
  const { files, root, paths, followLinks } = places;
  const location = locateFile(places, path);
  if (!isTreePath(path) && paths?.has(path) !== true)
    throw new Refused(outsideTreeProblem(path).message, 'error');
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
  const target = await files.stat(location);
  if (target?.kind === 'file' && (target.names ?? 1) > 1) {
    throw new Refused(`open ${location}: the file has more than one name (hard links)`);
  }
  return location;
}

/**
 * The file that a rewrite replaces: a link's target where links are followed, so that the link
 * stays and no removed text remains behind it. Throws what the file system throws.
 */
export async function rewritePlace(
  { files, followLinks }: FilePlaces,
  location: string,
): Promise<string> {
  if (!followLinks || (await files.stat(location))?.kind !== 'link') return location;
  return (await files.realPath(location)) ?? location;
}

const LINK_REMEDY =
  'Memory in a workspace must be a regular file inside it; replace the link with the file.';

export function fileRemedy(thrown: unknown): string | undefined {
  return thrown instanceof Refused || errorCode(thrown) === 'ELOOP' ? LINK_REMEDY : undefined;
}

/** Maps an error to a save's failure; a refused place is not a failure of the file system. */
export function reasonOf(thrown: unknown): SaveFailure {
  return thrown instanceof Refused ? thrown.reason : saveFailureOf(thrown);
}

/** Reads the end of a run log, and the state next to it. Nothing here throws. */
export async function readFileLog(
  places: FilePlaces,
  request: ReadRequest,
): Promise<RestoreResult> {
  const { path } = request;
  const place = { location: locateFile(places, path), warnings: [] };
  try {
    const file = await places.files.open(await checkedPlace(places, path), places);
    const state = await readText(places, statePath(path));
    if (file === undefined) return readLogIn(new Map([[statePath(path), state]]), request, place);
    try {
      const { text, isWhole } = await readEnd(file, request);
      const log = { text, isWhole, bytes: file.bytes };
      if (isWhole) return readLog(log, state, request, place);
      const entries = lastEntries(text, Number.POSITIVE_INFINITY);
      const total = request.isCounted === true ? await countEntriesIn(file) : undefined;
      return readLog({ ...log, text: entries, total }, state, request, place);
    } finally {
      await file.close();
    }
  } catch (thrown) {
    return failedRead(thrown, place.location);
  }
}

/** Every memory file but those in `without`, or those of some places. Nothing here throws. */
export async function readFileTree(
  places: FilePlaces,
  under?: readonly string[],
  without: readonly string[] = [],
): Promise<TreeResult> {
  const location = locateFile(places, '');
  try {
    await checkedPlace(places, 'any.md');
    const isElsewhere = (path: string): boolean => places.paths?.has(path) === true;
    const { files, wants = () => true } = places;

    const listAll = async () => ({
      found: (await listFiles(files, location)).filter(
        ({ path }) => wants(path) && !without.includes(path),
      ),
      blocked: [],
    });
    const inside = under?.filter((path) => !isElsewhere(path));
    const listing = inside === undefined ? await listAll() : await findPlaces(places, inside);
    const stored = await readStoredFiles(files, location, listing.found, listing.blocked);
    const { tree, warnings, left, blocked } = stored;

    const allElsewhere = [...(places.paths?.keys() ?? [])];
    const elsewhere =
      under?.filter(isElsewhere) ?? allElsewhere.filter((path) => !without.includes(path));
    const all = new Map(tree);
    const unread = [...blocked];
    for (const path of elsewhere) {
      const textOrBlock = await readElsewhere(places, path);
      if (typeof textOrBlock !== 'string') unread.push(textOrBlock);
      else if (textOrBlock !== '') all.set(path, textOrBlock);
    }
    return {
      kind: 'tree',
      tree: filteredTree(all, under),
      warnings,
      location,
      left: left.length === 0 ? undefined : left,
      blocked: unread.length === 0 ? undefined : unread,
    };
  } catch (thrown) {
    return failedRead(thrown, location);
  }
}

/** The run log itself, read with the notes; its trouble is reported where it is loaded. */
async function readElsewhere(places: FilePlaces, path: string): Promise<string | BlockedPlace> {
  try {
    return await readText(places, path);
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOTDIR') return '';
    return { path, reason: reasonOf(thrown), message: messageOf(thrown) };
  }
}

/** The text of a file; empty where there is none. */
async function readText(places: FilePlaces, path: string): Promise<string> {
  return (await readWhole(places.files, await checkedPlace(places, path), places)) ?? '';
}

function failedRead(thrown: unknown, location: string): FailedRead {
  return { kind: 'failed', message: messageOf(thrown), location, remedy: fileRemedy(thrown) };
}

/**
 * Finds the files at some places of a folder (exact paths, and folders with a `/` at their end),
 * and the places that cannot be used. No link is followed, not even on the command line. Throws for
 * a place outside the folder.
 */
async function findPlaces(
  places: FilePlaces,
  under: readonly string[],
): Promise<{ readonly found: readonly StoredFile[]; readonly blocked: readonly BlockedPlace[] }> {
  const inside = { ...places, followLinks: false, paths: new Map<string, string>() };
  const storedFiles: StoredFile[] = [];
  const blocked: BlockedPlace[] = [];
  for (const place of under) {
    if (!isTreePlace(place)) throw new Error(outsideTreeProblem(place).message);
    try {
      await checkedPlace(inside, place.endsWith('/') ? `${place}any.md` : place);
      storedFiles.push(...(await findIn(inside, place)));
    } catch (thrown) {
      blocked.push({ path: place, reason: reasonOf(thrown), message: messageOf(thrown) });
    }
  }
  return { found: storedFiles, blocked };
}

async function findIn(places: FilePlaces, place: string): Promise<readonly StoredFile[]> {
  const { files } = places;
  if (!place.endsWith('/')) {
    const stat = await files.stat(locateFile(places, place));
    return stat === undefined ? [] : [{ path: place, stat, isNamed: true }];
  }
  const entries = await files.list(locateFile(places, place.slice(0, -1)));
  const isOurs = (path: string): boolean =>
    isAmongPlaces(path, [place]) || !/\.(?:md|bak)$/.test(path);
  return entries.flatMap(({ name, stat }) => {
    const path = place + name;
    return isOurs(path) && stat.kind !== 'directory' ? [{ path, stat }] : [];
  });
}
