import type { ContextFile } from '../agent/context-files.js';
import { MAX_DIFF_TOKENS } from '../lib/defaults.js';
import { compileGlob } from '../lib/text/glob.js';
import { createMemoryFilter } from '../safety/path-rules.js';

/** A change on this machine (`--git <range>`). */
export interface LocalChange {
  /** As git takes it; empty for a diff that was piped in. */
  readonly range: string;
  readonly diff: string;
  /**
   * Those of these files that are there, as the commit has them that the range counts from; left
   * out: none.
   */
  readonly readBase?: (paths: readonly string[]) => Promise<readonly ContextFile[]>;
}

/** How much a run is told of a change. */
export interface DiffPolicy {
  /** Tokens by estimate; 0 for no limit. */
  readonly maxTokens: number;
  /** Only files that match one of these patterns are shown; none: all files. */
  readonly paths: readonly string[];
  /** Files that match one of these are not shown: the patterns after a `!`. */
  readonly pathsIgnore: readonly string[];
  /** Folders in which memory is kept; their files are not shown either. Left out: none. */
  readonly memoryRoots?: readonly string[];
  /** The tool that gives the rest of it, where the agent has one. */
  readonly tool?: string;
}

/** All files, as much of them as fits. */
export const DEFAULT_DIFF_POLICY: DiffPolicy = {
  maxTokens: MAX_DIFF_TOKENS,
  paths: [],
  pathsIgnore: [],
};

/**
 * Says of a path whether the inputs let the model see it, which they never do of memory. Throws a
 * ConfigError for a malformed pattern.
 */
export function createPathFilter({
  paths,
  pathsIgnore,
  memoryRoots = [],
}: Pick<DiffPolicy, 'paths' | 'pathsIgnore' | 'memoryRoots'>): (path: string) => boolean {
  const included = paths.map((path) => compileGlob(path).matches);
  const ignored = [
    ...pathsIgnore.map((path) => compileGlob(path).matches),
    createMemoryFilter(memoryRoots),
  ];
  return (path) =>
    (included.length === 0 || included.some((matches) => matches(path))) &&
    !ignored.some((matches) => matches(path));
}
