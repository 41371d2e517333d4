import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { dirname, isAbsolute, join, relative } from 'node:path';
import { isInside } from '../../lib/user-files.js';

/**
 * The sockets with a path on this machine: behind each is a program that runs outside of the jail.
 * The kernel keeps the name that a program has bound, which can be relative, or changed later, so
 * every socket in the folder of such a name counts, by each path that leads to it. `proc` is another
 * folder in tests.
 */
export function machineSockets(proc = '/proc'): readonly string[] {
  const bound = boundNames(readFileSync(join(proc, 'net/unix'), 'utf8'));
  const isRelative = bound.some((name) => !isAbsolute(name));
  const folders = isRelative ? workingFolders(proc) : [];
  const named = bound.flatMap((name) =>
    isAbsolute(name) ? name : folders.map((folder) => join(folder, name)),
  );
  const neighbours = [...new Set(named.map((path) => dirname(path)))].flatMap(socketsIn);
  const mounts = mountsIn(readFileSync(join(proc, 'self/mountinfo'), 'utf8'));
  const sockets = [...named, ...mounts.map(({ point }) => point), ...neighbours].filter(isSocket);
  return [...new Set(sockets.flatMap((path) => [path, ...otherPaths(path, mounts)]))];
}

/** The names in the kernel's list of sockets, without those that have no path (abstract). */
function boundNames(list: string): readonly string[] {
  return list.split('\n').flatMap((line) => /^\S+: (?:\S+ +){6}([^@\s].*)$/.exec(line)?.[1] ?? []);
}

interface Mount {
  readonly device: string;
  /** The folder or file of the device that is mounted. */
  readonly root: string;
  readonly point: string;
}

/** The mounts in a `mountinfo` file, which writes blanks and the like as octal numbers. */
function mountsIn(list: string): readonly Mount[] {
  return list.split('\n').flatMap((line) => {
    const [, , device, root, point] = line
      .split(' ')
      .map((word) =>
        word.replace(/\\([0-7]{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8))),
      );
    return device && root && point ? { device, root, point } : [];
  });
}

/** The paths of a socket through other mounts of the same device. */
function otherPaths(path: string, mounts: readonly Mount[]): readonly string[] {
  const around = mounts.filter(({ point }) => isInside(point, path));
  const mount = around.toSorted((first, second) => first.point.length - second.point.length).at(-1);
  if (mount === undefined) return [];

  const onDevice = join(mount.root, relative(mount.point, path));
  return mounts
    .filter(({ device, root }) => device === mount.device && isInside(root, onDevice))
    .map(({ root, point }) => join(point, relative(root, onDevice)))
    .filter((alias) => alias !== path && isSocket(alias));
}

/** The folders that programs work in, as far as this user can read them. */
function workingFolders(proc: string): readonly string[] {
  const ids = readdirSync(proc).filter((name) => /^\d+$/.test(name));
  const folders = ids.flatMap((id) => {
    try {
      return readlinkSync(join(proc, id, 'cwd'));
    } catch {
      return [];
    }
  });
  return [...new Set(folders)];
}

function socketsIn(folder: string): readonly string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isSocket()).map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

function isSocket(path: string): boolean {
  try {
    return lstatSync(path).isSocket();
  } catch {
    return false;
  }
}
