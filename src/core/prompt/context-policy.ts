import { MAX_DIFF_TOKENS } from '../defaults.js';
import { createMemoryFilter } from '../memory/log-path.js';
import { compilePattern } from '../text/glob.js';

/** What a run can be told besides the event and the diff. */
export const CONTEXT_PARTS = ['commits', 'comments', 'issues', 'checks'] as const;

/** Commits, what people said, linked issues, checks that failed. */
export type ContextPart = (typeof CONTEXT_PARTS)[number];

/** How much a run is told of a change. */
export interface DiffPolicy {
  /** Tokens by estimate; 0 for no limit. */
  readonly maxTokens: number;
  /** Only files that match one of these patterns are shown; none: all files. */
  readonly paths: readonly string[];
  /** Files that match one of these are not shown. */
  readonly pathsIgnore: readonly string[];
  /** Folders in which memory is kept; their files are not shown either. Left out: none. */
  readonly memoryRoots?: readonly string[];
  /** The tool that gives the rest of it, where the agent has one. */
  readonly tool?: string;
}

/** What a run is told of its trigger. */
export interface ContextPolicy {
  readonly parts: readonly ContextPart[];
  /** Whether somebody asked for these parts, and misses what cannot be read; otherwise they are what there is. */
  readonly isNamed: boolean;
  readonly diff: DiffPolicy;
}

/** Everything, as much of it as fits. */
export const DEFAULT_CONTEXT_POLICY: ContextPolicy = {
  parts: CONTEXT_PARTS,
  isNamed: false,
  diff: { maxTokens: MAX_DIFF_TOKENS, paths: [], pathsIgnore: [] },
};

/** Why the inputs keep a file from the model; undefined if they do not. */
type PathFilter = (path: string) => 'paths' | 'paths-ignore' | undefined;

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
