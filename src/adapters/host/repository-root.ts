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
    /^[:/]([A-Za-z0-9-]+)\/([A-Za-z0-9._-]+?)(?:\.git)?\/?$/.exec(url.slice(at + host.length)) ?? [];
  return at < 0 || owner === undefined || name === undefined ? undefined : { owner, name };
}
