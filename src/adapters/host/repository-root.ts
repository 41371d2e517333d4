import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

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
  const config = await readFile(join(root, '.git', 'config'), 'utf8').catch(() => '');
  const [, section = ''] = /^\[remote "origin"\]\n((?:[\t ].*\n?)*)/m.exec(config) ?? [];
  const [, url = ''] = /^\s*url\s*=\s*(.*)$/m.exec(section) ?? [];
  const host = URL.canParse(serverUrl) ? new URL(serverUrl).host : 'github.com';
  const at = url.indexOf(host);
  const [, owner, name] =
    /^[:/]([A-Za-z0-9_-]+)\/([A-Za-z0-9._-]+?)(?:\.git)?\/?$/.exec(url.slice(at + host.length)) ?? [];
  return at < 0 || owner === undefined || name === undefined ? undefined : { owner, name };
}

/** The commit that a checkout is at; undefined for a worktree, and where git would have to be asked. */
export async function readHead(root: string): Promise<string | undefined> {
  const read = async (file: string) => await readFile(join(root, '.git', file), 'utf8').catch(() => '');
  const head = (await read('HEAD')).trim();
  const ref = /^ref: (refs\/heads\/[^\n]+)$/.exec(head)?.[1];
  if (ref === undefined) return COMMIT.exec(head)?.[0];
  const packed = (await read('packed-refs')).split('\n').find((line) => line.endsWith(` ${ref}`));
  return COMMIT.exec((await read(ref)) || (packed ?? ''))?.[0];
}

const COMMIT = /^[0-9a-f]{40}/;
