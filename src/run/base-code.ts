import type { Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { fetchBaseCode } from '../github/reading/base-code.js';
import { findRepositoryRoot, readOrigin } from '../lib/checkout.js';
import type { Environment } from '../lib/environment.js';
import { codeAtHead } from '../lib/git.js';
import { createQueue } from '../lib/queue.js';
import type { BaseCode, Citation, ReadBase } from '../memory/notes/citations.js';
import { projectSlug } from '../memory/notes/place.js';

/** Files that are read, and commits that are looked for, at a time. */
const MAX_LOOKED_AT = 50;

/**
 * Reads the base that notes are held against: on an event the branch that a pull request goes into or the default branch,
 * through the API, since a checkout may have been written to by anybody. On somebody's own machine it is HEAD. Each file is
 * read once in a run.
 */
export function createBaseReader(
  trigger: Trigger,
  client: GitHubClient | undefined,
  cwd: string,
  env: Environment,
): ReadBase {
  const inTurn = createQueue();
  /** What was answered. */
  const askedPaths = new Set<string>();
  const askedCommits = new Set<string>();
  let root: string | undefined;
  let own: string | undefined;
  let base: BaseCode | undefined;

  /** Undefined where nobody can read it. */
  async function nameOfRepository(): Promise<string | undefined> {
    if (trigger.kind !== 'local') return client && `${trigger.repository.owner}/${trigger.repository.name}`;
    root = await findRepositoryRoot(cwd);
    const origin = root && (await readOrigin(root, env['GITHUB_SERVER_URL'] || 'https://github.com'));
    return origin ? `${origin.owner}/${origin.name}` : root && projectSlug(root);
  }

  async function read(lines: readonly Citation[], signal: AbortSignal): Promise<BaseCode | undefined> {
    own ??= await nameOfRepository();
    const here = lines.filter(
      ({ path, repository = own }) =>
        own !== undefined && repository?.toLowerCase() === own.toLowerCase() && isInRepository(path),
    );
    if (own === undefined || here.length === 0) return undefined;
    const newPaths = here.map(({ path }) => path).filter((path) => !askedPaths.has(path));
    const newCommits = here.flatMap(({ commit = [] }) => commit).filter((one) => !askedCommits.has(one));
    const paths = [...new Set(newPaths)].slice(0, MAX_LOOKED_AT);
    const commits = [...new Set(newCommits)].slice(0, MAX_LOOKED_AT);
    if (paths.length + commits.length === 0) return base;
    const branch = trigger.kind === 'pull_request' ? trigger.base.ref : undefined;
    const found =
      trigger.kind === 'local' || client === undefined
        ? { repository: own, ...(await codeAtHead(paths, commits, { cwd: root ?? cwd, env, signal })) }
        : await fetchBaseCode(client, trigger.repository, branch, paths, commits, signal);
    for (const path of paths) askedPaths.add(path);
    for (const commit of commits) askedCommits.add(commit);
    if (found === undefined) return base;
    const files = new Map([...(base?.files ?? []), ...found.files]);
    base = { ...found, files, history: new Set([...(base?.history ?? []), ...found.history]) };
    return base;
  }

  // In turn, since a second caller needs what the first one still waits for.
  return (lines, signal) => inTurn(() => read(lines, signal));
}

/** No part of it leads anywhere else, whoever wrote it. */
function isInRepository(path: string): boolean {
  return !/[\\\p{Cc}]/u.test(path) && path.split('/').every((part) => !['', '.', '..'].includes(part));
}
