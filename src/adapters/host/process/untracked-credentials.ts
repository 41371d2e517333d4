import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../../../core/environment.js';
import { isSecretPath } from '../../../core/tools/files/path-rules.js';
import { runGit } from '../run-git.js';

/** Folders of package managers: certificates for everybody. */
const PACKAGES = /(?:^|\/)(?:node_modules|site-packages|vendor)\//;

/**
 * Files with credentials that an earlier step put in the workspace, absolute. What git tracks is no secret in its
 * repository, and is needed to build it; without git the names at the top are looked at.
 */
export async function untrackedCredentials(workspace: string, env: Environment): Promise<readonly string[]> {
  const signal = new AbortController().signal;
  const end = await runGit(['ls-files', '--others', '-z'], { cwd: workspace, env, signal });
  const paths =
    end.kind === 'ok' ? end.stdout.toString('utf8').split('\0') : await readdir(workspace).catch(() => []);
  return paths
    .filter((path) => path !== '' && path !== '.git' && !PACKAGES.test(path) && isSecretPath(path.split('/')))
    .map((path) => join(workspace, path));
}
