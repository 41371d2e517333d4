import type { SourceText } from '../../core/agent/agent-source.js';
import type { ValidationDependencies } from './validation.js';

/** Most patterns that are tried, over all agents: each is a walk through the repository, and anybody may have written them. */
export const MAX_PATTERNS = 300;

/** Counts files for all agents of one check, the same files once. */
export interface FileCounter {
  /** As a shelf does, or `limit` from the first pattern too many on. Throws the reason when the check is to end. */
  count(pattern: string, workdir: string): Promise<number | undefined | 'limit'>;
  /** Whether this is the first time that it is asked. */
  isFirstAtLimit(): boolean;
}

/** A counter that has tried no pattern yet. */
export function createFileCounter({
  source,
  signal,
}: Pick<ValidationDependencies, 'source' | 'signal'>): FileCounter {
  const counted = new Map<string, ReturnType<SourceText['countPaths']>>();
  let isReported = false;
  return {
    async count(pattern, workdir) {
      const key = JSON.stringify([workdir, pattern]);
      const known = counted.get(key);
      if (known !== undefined) return await known;
      signal?.throwIfAborted();
      if (counted.size >= MAX_PATTERNS) return 'limit';
      const count = source.countPaths(pattern, workdir);
      counted.set(key, count);
      return await count;
    },
    isFirstAtLimit() {
      const isFirst = !isReported;
      isReported = true;
      return isFirst;
    },
  };
}
