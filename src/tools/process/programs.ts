import { accessSync, constants, realpathSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isInside } from '../../lib/confine.js';
import { AxeError } from '../../lib/errors.js';

/** The programs that we start ourselves while tools may write. */
export interface Programs {
  /** Where they are looked for, as a `PATH`. */
  readonly path: string;
  /** The absolute path of one. Throws an AxeError where there is none. */
  find(name: string): string;
}

/**
 * Programs from the folders of a `PATH` that no tool can write: none in the given folders, with every link followed. The
 * jail keeps commands from writing the other folders.
 */
export function safePrograms(path: string | undefined, writable: readonly string[]): Programs {
  const written = writable.map(realOf);
  const isSafe = (real: string): boolean => !written.some((folder) => isInside(folder, real));
  const folders = pathFolders(path).filter(isSafe);
  return {
    path: folders.join(delimiter),
    find(name) {
      const files = folders.map((folder) => join(folder, name));
      const found = files.find((file) => isExecutable(file) && isSafe(realOf(file)));
      if (found !== undefined) return found;
      throw new AxeError(`\`PATH\` has no \`${name}\` in a folder that commands cannot write`);
    },
  };
}

/** The folders of a `PATH` that exist, without links. */
export function pathFolders(path = ''): readonly string[] {
  const folders = path.split(delimiter).filter(isAbsolute).map(realOf);
  return [...new Set(folders)].filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}
