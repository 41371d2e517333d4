import type { Trigger } from '../event/trigger.js';
import type { GitHubClient } from '../github/client/client.js';
import { fetchBaseCode } from '../github/reading/base-code.js';
import { findRepositoryRoot, readOrigin } from '../lib/checkout.js';
import type { Environment } from '../lib/environment.js';
import { codeAtHead } from '../lib/git.js';
import type { BaseCode, ReadBase } from '../memory/notes/citations.js';
import { projectSlug } from '../memory/notes/place.js';

/** Files that a run reads, and commits that it looks for at a time. */
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
  const asked = new Set<string>();
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

  return async (lines, signal) => {
    own ??= await nameOfRepository();
    const here = lines.filter(
      ({ repository = own }) => own !== undefined && repository?.toLowerCase() === own.toLowerCase(),
    );
    const inside = new Set(
      here.flatMap(({ path }) => (isInRepository(path) && !asked.has(path) ? path : [])),
    );
    const paths = [...inside].slice(0, MAX_LOOKED_AT - asked.size);
    if (own === undefined || paths.length === 0) return base;
    for (const path of paths) asked.add(path);
    const commits = [...new Set(here.flatMap(({ commit = [] }) => commit))].slice(0, MAX_LOOKED_AT);
    const branch = trigger.kind === 'pull_request' ? trigger.base.ref : undefined;
    const found =
      trigger.kind === 'local' || client === undefined
        ? { repository: own, ...(await codeAtHead(paths, commits, { cwd: root ?? cwd, env, signal })) }
        : await fetchBaseCode(client, trigger.repository, branch, paths, commits, signal);
    if (found === undefined) return base;
    const files = new Map([...(base?.files ?? []), ...found.files]);
    base = { ...found, files, history: new Set([...(base?.history ?? []), ...found.history]) };
    return base;
  };
}

/** No part of it leads anywhere else, whoever wrote it. */
function isInRepository(path: string): boolean {
  return !/[\\\p{Cc}]/u.test(path) && path.split('/').every((part) => !['', '.', '..'].includes(part));
}
