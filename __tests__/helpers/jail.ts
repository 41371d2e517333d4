import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type JailWay, makePrivateFolder } from '../../src/tools/process/process-jail.js';
import type { CommandJail, ProcessJail } from '../../src/tools/process/shell.js';
import { removeAfterTest, tempDir } from './temp.js';

const uid = process.getuid?.() ?? 0;
const gid = process.getgid?.() ?? 0;
const PATH = process.env['PATH'] ?? '';

/**
 * The ways to build a jail that this machine allows, each with the PATH it needs, which is made for
 * a test.
 */
export function waysHere(): readonly { readonly way: JailWay; path(): string }[] {
  const hasNetwork = false;
  const inNamespace = runs('unshare', '--user', '--map-root-user', '--mount', 'true');
  const canMount = uid === 0 && runs('unshare', '--mount', 'true');
  return [
    ...(inNamespace
      ? [{ way: { kind: 'user-namespace', uid, gid, hasNetwork }, path: () => PATH } as const]
      : []),
    ...(canMount
      ? [{ way: { kind: 'root', uid, gid, hasNetwork }, path: () => PATH } as const]
      : []),
    ...(canMount
      ? [
          {
            way: { kind: 'sudo', uid, gid, hasNetwork },
            path: () => `${fakeSudo()}:${PATH}`,
          } as const,
        ]
      : []),
    ...(uid !== 0 && runs('sudo', '-n', 'unshare', '--mount', 'true')
      ? [{ way: { kind: 'sudo', uid, gid, hasNetwork }, path: () => PATH } as const]
      : []),
  ];
}

/** The ways that this machine does not have, each with the reason. */
export function absentWays(): readonly {
  readonly kind: JailWay['kind'];
  readonly reason: string;
}[] {
  const here = new Set(waysHere().map(({ way }) => way.kind));
  const reasons = {
    'user-namespace': 'which refuses user namespaces',
    root: uid === 0 ? 'whose root may not mount' : 'whose user is not root',
    sudo: 'which has no `sudo` without a password',
  } as const;
  return (['user-namespace', 'root', 'sudo'] as const)
    .filter((kind) => !here.has(kind))
    .map((kind) => ({ kind, reason: reasons[kind] }));
}

function runs(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}

/**
 * A `sudo` for root: what it starts is in a session of its own, so that no signal to our group
 * reaches it, as none of a user's reaches root's. Variables that are not preserved are left out.
 */
function fakeSudo(): string {
  const folder = tempDir('sudo');
  const file = join(folder, 'sudo');
  const script = `#!/bin/sh
[ "$1" = -n ] || exit 2
kept=\${2#--preserve-env=}
shift 3
for name in $(env | sed -n 's/^\\([A-Za-z_]*\\)=.*/\\1/p'); do
  case ",$kept,PATH," in *",$name,"*) ;; *) unset "$name" ;; esac
done
export SUDO_COMMAND="$*" HOME=/root USER=root
exec setsid --fork --wait "$@"
`;
  writeFileSync(file, script);
  chmodSync(file, 0o755);
  return folder;
}

/**
 * A process namespace around commands and nothing else: for tests of how they are started and
 * ended.
 */
export async function bareJail(): Promise<CommandJail> {
  const outer = uid === 0 ? [] : ['--user', '--map-current-user'];
  const namespace = ['unshare', ...outer, '--pid', '--fork', '--kill-child', '--mount-proc', '--'];
  const enter: ProcessJail = async (start) => ({
    ...start,
    program: [...namespace, 'sh', '-c', '"$@" </dev/null; exit', 'sh', ...start.program],
  });
  return { enter, network: 'machine' };
}

/**
 * The jail inside of a further process namespace: should it not hold, a hostile command of a test
 * ends at most the processes of its own. Only `sudo` that is real cannot be started there.
 */
export function isolated(jail: ProcessJail, { kind, hasNetwork }: JailWay): CommandJail {
  const network = hasNetwork ? 'machine' : 'loopback';
  if (kind === 'sudo' && uid !== 0) return { enter: jail, network };
  const user = uid === 0 ? ['--mount'] : ['--user', '--map-current-user'];
  const outer = ['unshare', ...user, '--pid', '--fork', '--kill-child', '--mount-proc', '--'];
  const enter: ProcessJail = async (start) => {
    const entered = await jail(start);
    return { ...entered, program: [...outer, ...entered.program] };
  };
  return { enter, network };
}

/** A private folder of a jail, for a test. */
export async function privateFolder(): Promise<string> {
  const folder = await makePrivateFolder();
  removeAfterTest(folder);
  return folder;
}

/** Ids of the processes that have their current folder below a folder. */
export function processesIn(folder: string): readonly string[] {
  const ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return ids.filter((id) => {
    try {
      return realpathSync(`/proc/${id}/cwd`).startsWith(folder);
    } catch {
      return false;
    }
  });
}
