import type { DiffPolicy } from './context-policy.js';
import { compilePattern } from './glob.js';

/** Why the inputs keep a file from the model; undefined if they do not. */
export type PathFilter = (path: string) => 'paths' | 'paths-ignore' | undefined;

/** The filter that `paths` and `paths-ignore` make. Throws a ConfigError for a malformed pattern. */
export function createPathFilter({
  paths,
  pathsIgnore,
}: Pick<DiffPolicy, 'paths' | 'pathsIgnore'>): PathFilter {
  const wanted = paths.map(compilePattern);
  const ignored = pathsIgnore.map(compilePattern);
  return (path) => {
    if (wanted.length > 0 && !wanted.some((matches) => matches(path))) return 'paths';
    return ignored.some((matches) => matches(path)) ? 'paths-ignore' : undefined;
  };
}
