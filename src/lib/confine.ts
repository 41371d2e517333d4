import { lstat, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { ConfigError } from './errors.js';

/**
 * The absolute path of something that an input or an agent names in a workflow (D48), as `what` it is: `the input
 * \`agents-dir\``. Throws a ConfigError unless it lies inside the workspace, as it is written and with every link followed.
 * It may be missing.
 */
export async function confine(
  workspace: string,
  { path, what }: { readonly path: string; readonly what: string },
): Promise<string> {
  const absolute = resolve(workspace, path);
  if (!/\0/.test(path) && !(await leadsOut(absolute, workspace))) return absolute;
  const shown = JSON.stringify(shownPath(workspace, path));
  throw new ConfigError(`${what} leads out of the workspace: ${shown}`, {
    remedy: 'In a workflow, use a path inside the repository, and not a link that leads out of it.',
  });
}

/**
 * Whether a path lies outside of a folder, as it is written or by a link on its way; so does a link that leads
 * nowhere, since otherwise links could ask what there is outside. Both are absolute.
 */
async function leadsOut(path: string, folder: string): Promise<boolean> {
  if (!isInside(folder, path)) return true;
  const root = await realpath(folder).catch(() => folder);
  for (let at = path; relative(folder, at) !== ''; at = dirname(at)) {
    if ((await lstat(at).catch(() => undefined)) === undefined) continue;
    const real = await realpath(at).catch(() => undefined);
    return real === undefined || !isInside(root, real);
  }
  return false;
}

/** Whether a path is a folder or lies below it; both are absolute and without links. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** A path as people and annotations want it: relative to the current folder if it lies below it. */
export function shownPath(cwd: string, path: string): string {
  return path !== cwd && isInside(cwd, path) ? relative(cwd, path) : path;
}
