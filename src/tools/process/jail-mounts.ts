import { existsSync, realpathSync } from 'node:fs';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { isInside } from '../../lib/user-files.js';
import type { JailPlaces } from './jail-places.js';

/** A step of building the jail. */
export interface JailMount {
  readonly kind: /** Commands cannot rename it. */
    | 'pin'
    | 'writable'
    /** The limits of a throw-away run; its path is the workspace. */
    | 'limits'
    /** A folder with files that lie over those of the workspace. */
    | 'additions'
    /** Commands write to a layer over a folder, which ends with them. */
    | 'layer'
    | 'read-only'
    | 'hidden-folder'
    | 'hidden-file'
    /** Keeps the view that the steps before have made, to show parts of it again. */
    | 'keep'
    /** Covers a folder with the run's own. */
    | 'private'
    /** Covers a folder with an empty one. */
    | 'empty'
    /** Covers `/dev` with the devices that every program may use. */
    | 'devices'
    /** A folder between a covered one and what is shown in it; commands cannot rename it. */
    | 'around'
    /** Shows a path in a covered folder as it was kept. */
    | 'shown'
    /** Ends all writing to a folder that was covered. */
    | 'sealed';
  /** Without links. */
  readonly path: string;
}

/** Folders in which every user leaves files and sockets, so a run has its own. */
export function sharedFolders(): readonly string[] {
  const existing = ['/tmp', '/var/tmp'].filter((path) => existsSync(path));
  return [...new Set(existing.map((path) => realpathSync(path)))];
}

/**
 * Plans the mounts. First come the places that are protected or hidden, then the folders that are
 * covered with what is shown in them, always outer folders before what lies in them. Every folder
 * that a command could rename is held in its place.
 */
export async function planMounts(places: JailPlaces): Promise<readonly JailMount[]> {
  const workspace = await realpath(places.workspace);
  const writable = [workspace, ...(await realPaths(places.writable))];
  const candidates = await coversOf(places, writable);
  const shown = [...writable, ...(await realPaths(places.shown))].filter(
    (path) =>
      !candidates.has(path) && [...candidates.keys()].some((cover) => isInside(cover, path)),
  );
  const isGoneBy = (cover: string, path: string) =>
    isInside(cover, path) &&
    !shown.some((folder) => isInside(cover, folder) && isInside(folder, path));
  // A folder that lies in another covered one needs no cover, unless it is shown there.
  const covers = new Map(
    [...candidates].filter(
      ([path]) => ![...candidates.keys()].some((cover) => cover !== path && isGoneBy(cover, path)),
    ),
  );
  const isGone = (path: string) => [...covers.keys()].some((cover) => isGoneBy(cover, path));
  const privateFolders = [...covers].flatMap(([path, kind]) =>
    kind === 'private' ? join(places.privateFolder, path) : [],
  );
  return [
    ...(await protectedMounts({ ...places, workspace, writable }, isGone)),
    ...privateFolders.map((path) => ({ kind: 'writable', path }) as const),
    { kind: 'keep', path: places.privateFolder },
    ...coveringMounts(covers, shown),
    ...[...covers].flatMap(([path, kind]) =>
      kind === 'private' ? [] : ({ kind: 'sealed', path } as const),
    ),
  ];
}

/**
 * Puts layers over the folders that commands can write. A folder inside of a layer is
 * part of it, but the workspace always has its own, because it gets `additions`. Its `.git` is not
 * there: a checkout's token is in it, and the output of a throw-away run is posted.
 */
export function planLayers(
  mounts: readonly JailMount[],
  workspace: string,
  additions: string,
): readonly JailMount[] {
  const writable = mounts.filter(({ kind }) => kind === 'writable').map(({ path }) => path);
  const hasLayer = (path: string) =>
    path === workspace || !writable.some((folder) => folder !== path && isInside(folder, path));
  const git = join(workspace, '.git');
  const layered = mounts.flatMap((mount): readonly JailMount[] => {
    if (isInside(git, mount.path)) return [];
    const isLayer = mount.kind === 'writable' && hasLayer(mount.path);
    return [isLayer ? { kind: 'layer', path: mount.path } : mount];
  });
  return [{ kind: 'limits', path: workspace }, { kind: 'additions', path: additions }, ...layered];
}

type CoverKind = 'private' | 'empty' | 'devices';

/** The folders to cover, without those that commands write as they are. */
async function coversOf(
  { empty }: JailPlaces,
  writable: readonly string[],
): Promise<ReadonlyMap<string, CoverKind>> {
  const covers = new Map<string, CoverKind>([
    ...sharedFolders().map((path) => [path, 'private'] as const),
    ...(await realPaths(empty)).map((path) => [path, 'empty'] as const),
    ['/dev', 'devices'],
  ]);
  return new Map([...covers].filter(([path]) => !writable.includes(path)));
}

/** The mounts that protect and hide places where commands see them. */
async function protectedMounts(
  { workspace, writable, readOnly, hidden, privateFolder }: JailPlaces,
  isGone: (path: string) => boolean,
): Promise<readonly JailMount[]> {
  const isWritable = (path: string) => writable.some((folder) => isInside(folder, path));
  const kinds = new Map<string, JailMount['kind']>(writable.map((path) => [path, 'writable']));
  for (const path of await realPaths([...readOnly, privateFolder]))
    if (isWritable(path)) kinds.set(path, 'read-only');
  for (const path of await realPaths(hidden)) {
    const isFolder = await stat(path).then(
      (stats) => stats.isDirectory(),
      () => false,
    );
    const isAroundWorkspace = isFolder && isInside(path, workspace);
    if (!isAroundWorkspace) kinds.set(path, isFolder ? 'hidden-folder' : 'hidden-file');
  }
  const hiddenFolders = [...kinds].flatMap(([path, kind]) =>
    kind === 'hidden-folder' ? path : [],
  );
  const isUnseen = (path: string) =>
    isGone(path) || hiddenFolders.some((folder) => folder !== path && isInside(folder, path));
  for (const path of movable([...kinds.keys()], isWritable))
    if (!kinds.has(path)) kinds.set(path, 'pin');
  return outerFirst([...kinds].flatMap(([path, kind]) => (isUnseen(path) ? [] : { kind, path })));
}

/** The mounts that cover folders and show again what the run needs of them. */
function coveringMounts(
  covers: ReadonlyMap<string, CoverKind>,
  shown: readonly string[],
): readonly JailMount[] {
  const kinds = new Map<string, JailMount['kind']>(covers);
  const isCovered = (path: string) => [...covers.keys()].some((cover) => isInside(cover, path));
  for (const path of shown) kinds.set(path, 'shown');
  for (const path of shown)
    for (let folder = dirname(path); isCovered(folder); folder = dirname(folder))
      if (!kinds.has(folder)) kinds.set(folder, 'around');
  return outerFirst([...kinds].map(([path, kind]) => ({ kind, path })));
}

function outerFirst(mounts: readonly JailMount[]): readonly JailMount[] {
  const depth = ({ path }: JailMount) => path.split(sep).length;
  return mounts.toSorted((first, second) => depth(first) - depth(second));
}

/** The paths that exist, without links. */
async function realPaths(paths: readonly string[]): Promise<readonly string[]> {
  const real = await Promise.all(paths.map((path) => realpath(path).catch(() => [])));
  return [...new Set(real.flat())];
}

/** Makes the reserved folders that are missing in the workspace; returns them, outer ones first. */
export async function makeReserved({
  reserved,
  workspace,
}: JailPlaces): Promise<readonly string[]> {
  const made: string[] = [];
  for (const reservedFolder of reserved) {
    if (reservedFolder === workspace || !isInside(workspace, reservedFolder)) continue;
    const missing: string[] = [];
    for (
      let folder = reservedFolder;
      folder !== workspace && !existsSync(folder);
      folder = dirname(folder)
    )
      missing.push(folder);
    for (const path of missing.toReversed()) {
      try {
        await mkdir(path);
        made.push(path);
      } catch {
        break;
      }
    }
  }
  return made;
}

/**
 * The paths and the folders around them that could be renamed, which would move them out from under
 * a mount.
 */
function movable(
  paths: readonly string[],
  isWritable: (path: string) => boolean,
): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    let folder = path;
    while (dirname(folder) !== folder && !folders.has(folder)) {
      if (isWritable(dirname(folder))) folders.add(folder);
      folder = dirname(folder);
    }
  }
  return folders;
}
