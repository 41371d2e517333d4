import { cacheWriteRemedy } from '../../adapters/stores/cache/cache-write-remedy.js';

/** Why the cache cannot be used. */
export interface NoAccess {
  readonly message: string;
  readonly remedy?: string;
}

/** What decides about it. */
export interface Job {
  /** Environment of the step. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Current folder of the process. */
  readonly cwd: string;
}

/** Modes of `ACTIONS_CACHE_MODE` that let a job in; unset or unknown means both (the library's own rule). */
const ALLOWED = {
  read: new Set(['', 'read', 'write']),
  write: new Set(['', 'write', 'write-only']),
} as const;

const MODES = ['none', 'read', 'write', 'write-only'];

/** Why a job must not read or write the cache, before anybody is asked; undefined if nothing speaks against it. */
export function checkAccess(access: 'read' | 'write', { env, cwd }: Job): NoAccess | undefined {
  const mode = cacheMode(env);
  if (!ALLOWED[access].has(mode))
    return {
      message: `\`cache-mode: ${mode}\` does not let this job ${access} the cache`,
      remedy: cacheWriteRemedy(env['GITHUB_EVENT_NAME']),
    };
  const workspace = env['GITHUB_WORKSPACE'];
  if (workspace === undefined || workspace === '' || workspace === cwd) return undefined;
  return { message: `the cache unpacks in ${workspace}, but the step runs in ${cwd}` };
}

/** The mode of a job as the runner tells it; empty if it tells none that is known. */
export function cacheMode(env: Job['env']): string {
  const mode = (env['ACTIONS_CACHE_MODE'] ?? '').trim().toLowerCase();
  return MODES.includes(mode) ? mode : '';
}
