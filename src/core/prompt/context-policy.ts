import { createMemoryFilter } from '../../memory/log-path.js';
import { MAX_DIFF_TOKENS } from '../defaults.js';
import { compilePattern } from '../text/glob.js';

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
export const DEFAULT_DIFF_POLICY: DiffPolicy = { maxTokens: MAX_DIFF_TOKENS, paths: [], pathsIgnore: [] };

/** Why the inputs keep a file from the model; undefined if they do not. */
type PathFilter = (path: string) => 'paths' | 'excluded' | undefined;

/** The filter that the input `paths` makes, with memory among what is excluded. Throws a ConfigError for a malformed pattern. */
export function createPathFilter({
  paths,
  pathsIgnore,
  memoryRoots = [],
}: Pick<DiffPolicy, 'paths' | 'pathsIgnore' | 'memoryRoots'>): PathFilter {
  const included = paths.map(compilePattern);
  const ignored = [...pathsIgnore.map(compilePattern), createMemoryFilter(memoryRoots)];
  return (path) => {
    if (included.length > 0 && !included.some((matches) => matches(path))) return 'paths';
    return ignored.some((matches) => matches(path)) ? 'excluded' : undefined;
  };
}
