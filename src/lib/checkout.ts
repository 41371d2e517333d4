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

/** `owner/name` of the remote `origin` of a checkout on this server of GitHub's; undefined where there is none. */
export async function readOrigin(
  root: string,
  serverUrl: string,
): Promise<{ readonly owner: string; readonly name: string } | undefined> {
  const url = await readOriginUrl(root);
  const host = URL.canParse(serverUrl) ? new URL(serverUrl).host : 'github.com';
  const at = url.indexOf(host);
  const [, owner, name] =
    /^[:/]([A-Za-z0-9_-]+)\/([A-Za-z0-9._-]+?)(?:\.git)?\/?$/.exec(url.slice(at + host.length)) ?? [];
  return at < 0 || owner === undefined || name === undefined ? undefined : { owner, name };
}

/** The host of the remote `origin` of a checkout; undefined for a folder, or a name of the SSH configuration. */
export async function readOriginHost(root: string): Promise<string | undefined> {
  const [, host] =
    /^(?:\w+:\/\/)?(?:[^@/]*@)?([\w-]+(?:\.[\w-]+)+)[:/]/.exec(await readOriginUrl(root)) ?? [];
  return host === 'ssh.github.com' ? 'github.com' : host;
}

async function readOriginUrl(root: string): Promise<string> {
  const config = await readFile(join(root, '.git', 'config'), 'utf8').catch(() => '');
  const [, section = ''] = /^\[remote "origin"\]\n((?:[\t ].*\n?)*)/m.exec(config) ?? [];
  return /^\s*url\s*=\s*(.*)$/m.exec(section)?.[1] ?? '';
}

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
