import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createFiles, readWhole } from './files.js';

/** The folder of the git checkout that a folder is in; undefined where there is none. A worktree's `.git` is a file. */
export async function findRepositoryRoot(folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await stat(join(at, '.git')).catch(() => undefined)) !== undefined) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** The repository of a checkout's remote `origin`, on any server or on that one alone; undefined where it names none. */
export async function readOrigin(root: string, serverUrl?: string) {
  const config = await readFile(join(root, '.git', 'config'), 'utf8').catch(() => '');
  const [, section = ''] = /^\[remote "origin"\]\n((?:[\t ].*\n?)*)/m.exec(config) ?? [];
  const [, named, owner = '', name = ''] = ORIGIN.exec(section) ?? [];
  const host = named === 'ssh.github.com' ? 'github.com' : named;
  const isThere =
    serverUrl === undefined || (URL.canParse(serverUrl) && new URL(serverUrl).hostname === host);
  return host === undefined || !isThere ? undefined : { host, owner, name };
}

/** An address, or the short form of SSH: `git@github.com:owner/name.git`. */
const ORIGIN =
  /^\s*url\s*=\s*(?:\w+:\/\/)?(?:[^@/\n]*@)?([\w-]+(?:\.[\w-]+)+)(?::\d+)?[:/]([\w-]+)\/([\w.-]+?)(?:\.git)?\/?$/m;

/** The folder of the action that a file of its code lies below: the nearest with an `action.yml`; without one, `folder`. */
export function actionFolder(folder: string): string {
  for (let at = folder; dirname(at) !== at; at = dirname(at)) {
    if (['action.yml', 'action.yaml'].some((name) => existsSync(join(at, name)))) return at;
  }
  return folder;
}

/**
 * The commit that is checked out in a folder, as git keeps it: its own name in `.git/HEAD`, or the branch that is named
 * there. Undefined where there is no checkout, or one that cannot be read.
 */
export async function readCheckedOut(folder: string): Promise<string | undefined> {
  const head = await readGitFile(folder, 'HEAD');
  const [, ref] = /^ref: (refs\/[^\s]+)$/m.exec(head) ?? [];
  if (ref === undefined) return commitIn(head);
  if (ref.split('/').includes('..')) return undefined;
  const loose = commitIn(await readGitFile(folder, ref));
  return loose ?? packedCommit(await readGitFile(folder, 'packed-refs'), ref);
}

/** Empty where it is not there or no plain file. */
async function readGitFile(folder: string, name: string): Promise<string> {
  const path = join(folder, '.git', name);
  return (await readWhole(createFiles(), path, { followLinks: false }).catch(() => undefined)) ?? '';
}

function commitIn(text: string): string | undefined {
  return /^[0-9a-f]{40}(?:[0-9a-f]{24})?(?=\s|$)/.exec(text)?.[0];
}

function packedCommit(packed: string, ref: string): string | undefined {
  const line = packed.split('\n').find((one) => one.endsWith(` ${ref}`));
  return line === undefined ? undefined : commitIn(line);
}
