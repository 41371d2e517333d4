/** Events that only people with write access or GitHub itself cause, and `pull_request`, whose cache is its own. */
const WRITING_EVENTS = ['push', 'schedule', 'workflow_dispatch', 'repository_dispatch', 'pull_request'];

/**
 * What to do where a job does not get at the cache. On events that people without write access can cause, GitHub warns
 * against `cache-mode: write`, so its warning goes with it.
 */
export function cacheWriteRemedy(event: string | undefined): string {
  const branch = 'set `memory-store: repo` with `permissions: contents: write`';
  if (event === undefined || event === '' || WRITING_EVENTS.includes(event))
    return `Let the job say \`cache-mode: write\`, or ${branch}.`;
  return `On \`${event}\`, ${branch}. GitHub keeps the cache read-only there because people without write access can cause that event; it warns that \`cache-mode: write\` increases the risk of cache poisoning.`;
}
