import { lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, sep } from 'node:path';
import { isInside } from '../../lib/confine.js';

/** What a command sees differently. All paths are absolute; what does not exist is left out. */
export interface JailPlaces {
  /** The folder commands work in. It stays visible where it lies in `temporary`. */
  readonly workspace: string;
  /** What can be written besides `workspace` and `temporary`; everything else is read-only. */
  readonly writable: readonly string[];
  /** A folder that is empty and can be written. Undefined for none. */
  readonly temporary: string | undefined;
  /** Variables that commands have besides what is let through, or in its place. */
  readonly env: Readonly<Record<string, string>>;
  /** Files and folders that look empty. */
  readonly hidden: readonly string[];
  /** Files and folders that cannot be written although they lie where commands write. */
  readonly readOnly: readonly string[];
  /** Folders of `hidden` and `readOnly` that are made for as long as a command runs, so that it cannot make them. */
  readonly reserved: readonly string[];
}

/** A step of building the jail: a mount, or for `hold` the folder that a later `keep` shows again. */
export interface JailMount {
  readonly kind:
    | 'pin'
    | 'writable'
    | 'read-only'
    | 'hidden-folder'
    | 'hidden-file'
    | 'temporary'
    | 'keep'
    | 'hold';
  /** Without links. */
  readonly path: string;
}

/** Plans the mounts: outer folders before what lies in them, and every folder that could be renamed held in its place. */
export async function planMounts(places: JailPlaces): Promise<readonly JailMount[]> {
  const workspace = await realpath(places.workspace);
  const mountsByPath = new Map<string, JailMount['kind']>();
  const add = async (paths: readonly string[], kindOf: (isFolder: boolean) => JailMount['kind']) => {
    for (const path of paths) {
      const found = await look(path);
      if (found !== undefined) mountsByPath.set(found.real, kindOf(found.isFolder));
    }
  };
  await add([...places.writable, workspace], () => 'writable');
  const writable = [...mountsByPath.keys()];
  const isWritable = (path: string) => writable.some((folder) => isInside(folder, path));
  await add(places.readOnly, () => 'read-only');
  await add(places.hidden, (isFolder) => (isFolder ? 'hidden-folder' : 'hidden-file'));
  if (places.temporary !== undefined) await add([places.temporary], () => 'temporary');
  const isNeeded = ([path, kind]: [string, JailMount['kind']]) =>
    !isHidden(path, mountsByPath, workspace) &&
    !(kind === 'hidden-folder' && isInside(path, workspace)) &&
    !(kind === 'read-only' && !isWritable(path));
  const mounts = new Map([...mountsByPath].filter(isNeeded));
  for (const path of movable([...mounts.keys()], isWritable)) {
    if (!mounts.has(path) && !isHidden(path, mountsByPath, workspace)) mounts.set(path, 'pin');
  }
  const sorted = [...mounts].map(([path, kind]) => ({ kind, path })).sort(byDepth);
  return keepWorkspace(sorted, workspace);
}

/** Makes the reserved folders that are missing in the workspace; returns them, outer ones first. */
export async function makeReserved({ reserved, workspace }: JailPlaces): Promise<readonly string[]> {
  const made: string[] = [];
  for (const folder of reserved) {
    if (folder === workspace || !isInside(workspace, folder)) continue;
    const missing: string[] = [];
    for (let at = folder; at !== workspace && !(await exists(at)); at = dirname(at)) missing.push(at);
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

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch {
    return false;
  }
}

async function look(
  path: string,
): Promise<{ readonly real: string; readonly isFolder: boolean } | undefined> {
  try {
    const real = await realpath(path);
    return { real, isFolder: (await stat(real)).isDirectory() };
  } catch {
    return undefined;
  }
}

const HIDES = new Set<JailMount['kind']>(['hidden-folder', 'temporary']);

/** Whether a path lies in a folder that looks empty, and not in the workspace that is shown again there. */
function isHidden(
  path: string,
  mountsByPath: ReadonlyMap<string, JailMount['kind']>,
  workspace: string,
): boolean {
  return [...mountsByPath].some(([folder, kind]) => {
    if (!HIDES.has(kind) || path === folder || !isInside(folder, path)) return false;
    return !(isInside(folder, workspace) && isInside(workspace, path));
  });
}

/** The paths and the folders around them that could be renamed, which would move them out from under a mount. */
function movable(paths: readonly string[], isWritable: (path: string) => boolean): ReadonlySet<string> {
  const found = new Set<string>();
  for (const path of paths) {
    for (let at = path; dirname(at) !== at && !found.has(at); at = dirname(at)) {
      if (isWritable(dirname(at))) found.add(at);
    }
  }
  return found;
}

function byDepth(one: JailMount, other: JailMount): number {
  return one.path.split(sep).length - other.path.split(sep).length;
}

/** Shows the workspace again after the folder around it was hidden, before anything in it is mounted. */
function keepWorkspace(mounts: readonly JailMount[], workspace: string): readonly JailMount[] {
  const at = mounts.findIndex(({ kind, path }) => kind === 'temporary' && isInside(path, workspace));
  if (at < 0) return mounts;
  return [
    { kind: 'hold', path: workspace },
    ...mounts.slice(0, at + 1),
    { kind: 'keep', path: workspace },
    ...mounts.slice(at + 1).filter(({ kind, path }) => path !== workspace || kind === 'read-only'),
  ];
}
