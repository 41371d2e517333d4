import { safePrograms } from '../tools/process/programs.js';
import type { Runner } from './runner.js';

/** What libraries start by `PATH` (`tar`, `zstd`) comes from folders that no tool can write. */
export function useSafePath({ env, workspace }: Runner): void {
  process.env['PATH'] = safePrograms(env['PATH'], [workspace]).path;
}
