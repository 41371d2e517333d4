import { COMMITTED_FOLDER } from '../../core/defaults.js';
import type { MemoryInputs } from '../inputs/memory-inputs.js';

/**
 * Folders of the run's own repository in which memory lies, or lay under other inputs, relative to its root: the whole
 * `memory-path`, since what is next to `memory-scope` is memory of other jobs. At the top of a branch of its own memory
 * lies next to no code.
 */
export function memoryRoots({
  path,
  repository,
}: Pick<MemoryInputs, 'path' | 'repository'>): readonly string[] {
  const own = repository === undefined && path !== undefined && path !== '' ? [path] : [];
  return [...new Set([COMMITTED_FOLDER, ...own])];
}
