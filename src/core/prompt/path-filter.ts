import { createMemoryFilter } from '../memory/memory-roots.js';
import { compilePattern } from '../text/glob.js';
import type { DiffPolicy } from './context-policy.js';

/** Why the inputs keep a file from the model; undefined if they do not. */
export type PathFilter = (path: string) => 'paths' | 'paths-ignore' | undefined;

/** The filter that `paths` and `paths-ignore` make, with memory among what is ignored. Throws a ConfigError for a malformed pattern. */
export function createPathFilter({
  paths,
  pathsIgnore,
  memoryRoots = [],
}: Pick<DiffPolicy, 'paths' | 'pathsIgnore' | 'memoryRoots'>): PathFilter {
  const included = paths.map(compilePattern);
  const ignored = [...pathsIgnore.map(compilePattern), createMemoryFilter(memoryRoots)];
  return (path) => {
    if (included.length > 0 && !included.some((matches) => matches(path))) return 'paths';
    return ignored.some((matches) => matches(path)) ? 'paths-ignore' : undefined;
  };
}
