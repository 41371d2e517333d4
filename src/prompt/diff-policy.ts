import type { ContextFile } from '../agent/context-files.js';
import { MAX_DIFF_TOKENS } from '../lib/defaults.js';
import { compileGlob } from '../lib/text/glob.js';
import { createMemoryFilter } from '../safety/path-rules.js';

/** A change on this machine (`--git <range>`). */
export interface LocalChange {
  /** The range for git; empty for a diff that was piped in. */
  readonly range: string;
  readonly diff: string;
  /** Reads the existing ones of these files at the range's base; not set for a piped diff. */
  readonly readBase?: (paths: readonly string[]) => Promise<readonly ContextFile[]>;
}

/** Limits for the part of a change that the model is shown. */
export interface DiffPolicy {
  /** Estimated tokens; 0 for no limit. */
  readonly maxTokens: number;
  /** Only files that match one of these patterns are shown; empty means all files. */
  readonly paths: readonly string[];
  /** Files that match one of these are not shown: the patterns after a `!`. */
  readonly pathsIgnore: readonly string[];
  /** Folders of memory, whose files are not shown either. */
  readonly memoryRoots?: readonly string[];
  /** The tool that shows the rest of the change, if the agent has one. */
  readonly tool?: string;
}

/** As much of all files as fits. */
export const DEFAULT_DIFF_POLICY: DiffPolicy = {
  maxTokens: MAX_DIFF_TOKENS,
  paths: [],
  pathsIgnore: [],
};

/**
 * Makes a filter for the paths that the inputs let the model see; files of memory are never among
 * them. Throws a ConfigError for a malformed pattern.
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
