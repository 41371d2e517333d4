import { ConfigError } from '../../../core/errors.js';

/**
 * A path as the API takes it: relative to the repository's root, without `.` or empty parts; the empty string is the
 * root. `workspace` is the root's place on the runner. Throws a ConfigError for a path that leads outside.
 */
export function repositoryPath(path: string, workspace?: string): string {
  const relative = withoutWorkspace(path, workspace);
  const parts = relative.split('/').filter((part) => part !== '' && part !== '.');
  if (relative.startsWith('/') || parts.includes('..') || /[\\\0]/.test(relative)) {
    throw new ConfigError(`the path ${JSON.stringify(path)} does not lie in the repository`, {
      remedy: 'In a workflow, name files by their path from the root of the repository.',
    });
  }
  return parts.join('/');
}

function withoutWorkspace(path: string, workspace: string | undefined): string {
  const root = workspace?.replace(/\/+$/, '');
  if (root === undefined || root === '') return path;
  if (path === root) return '';
  return path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path;
}
