import { rmdirSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, readlink, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Environment } from '../../lib/environment.js';
import { AxeError, messageOf } from '../../lib/errors.js';
import { isInside } from '../../lib/user-files.js';
import { type JailMount, type JailPlaces, makeReserved, planMounts } from './jail-places.js';
import { isNetworkVariable, type Programs, scrubEnv } from './programs.js';
import { type ProcessJail, type Program, runProgram } from './shell.js';

const TRIAL = { timeoutMs: 20_000, maxOutputBytes: 10_000 };

/**
 * The jail of a run's commands. Where the system refuses user namespaces, the password-less `sudo`
 * of GitHub's runners builds it. A trial shows that it holds. Throws an AxeError that says in one
 * line why there is none.
 */
export async function findCommandJail(
  parts: JailParts,
  ways: readonly JailWay[] = waysFor(parts.env),
): Promise<ProcessJail> {
  if (process.platform !== 'linux') throw new AxeError(`there is none on ${process.platform}`);
  const reasons = new Set<string>();
  for (const way of ways) {
    try {
      await tryJail(way, parts);
      const made = await makeReserved(parts.places());
      process.once('exit', () => removeEmpty(made));
      return createCommandJail(way, parts.programs, parts.places);
    } catch (thrown) {
      reasons.add(messageOf(thrown));
    }
  }
  throw new AxeError([...reasons].join('; '));
}

/** Inner folders first; one in which something was put stays. */
function removeEmpty(folders: readonly string[]): void {
  for (const folder of folders.toReversed()) {
    try {
      rmdirSync(folder);
    } catch {
      // Somebody uses it.
    }
  }
}

interface JailParts {
  readonly env: Environment;
  /** What builds it. */
  readonly programs: Programs;
  readonly places: () => JailPlaces;
}

/**
 * `sudo` is used on runners only: nobody expects it of a program that reads a repository on a
 * laptop.
 */
function waysFor(env: Environment): readonly JailWay[] {
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  if (uid === 0) return [{ kind: 'root', uid, gid }];
  const inNamespace = { kind: 'user-namespace', uid, gid } as const;
  return env['GITHUB_ACTIONS'] === 'true'
    ? [inNamespace, { kind: 'sudo', uid, gid }]
    : [inNamespace];
}

/**
 * Tries a jail around all places, and around a folder with something to see and to write. Throws
 * unless it holds.
 */
async function tryJail(way: JailWay, { env, programs, places }: JailParts): Promise<void> {
  const folder = await makeVisible('axe-jail-', places().temporary);
  try {
    const [hidden = '', file = '', readOnly = ''] = ['hidden', 'file', 'read-only'].map((name) =>
      join(folder, name),
    );
    for (const path of [hidden, readOnly]) {
      await mkdir(path);
      await writeFile(join(path, 'canary'), 'canary');
    }
    await writeFile(file, 'canary');
    const all = {
      ...places(),
      hidden: [...places().hidden, hidden, file],
      readOnly: [...places().readOnly, readOnly],
    };
    const steps = (await planMounts(all)).filter(({ kind }) => CHECKED.has(kind));
    const checked = [...steps, ...SYSTEM.map((path) => ({ kind: 'read-only', path }))];
    const outside = await readlink('/proc/self/ns/pid');
    const probe = [programs.find('sh'), '-c', PROBE, 'probe', outside];
    const enter = createCommandJail(way, programs, () => all);
    const jailed = await enter({
      program: [...probe, ...checked.flatMap(({ kind, path }) => [kind, path])],
      cwd: all.workspace,
      env: { ...scrubEnv(env), PATH: programs.path },
    });
    const { exitCode, output } = await runProgram(jailed, TRIAL, new AbortController().signal);
    if (exitCode !== 0 || !output.includes(PROOF))
      throw new AxeError(output.trim().split('\n').at(-1) || 'no answer');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Where this user may write without a jail if it is root. */
const SYSTEM = ['/', '/usr', '/bin', '/lib', '/etc', '/opt', '/var', '/proc/sys', '/sys'];

const CHECKED = new Set(['hidden-folder', 'hidden-file', 'temporary', 'read-only']);

/** Makes the home folder of a run's commands, which ends with our process. */
export async function makeHome(temporary: string | undefined): Promise<string> {
  const home = await makeVisible('axe-home-', temporary);
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** Makes an empty folder that commands see. */
export async function makeVisible(prefix: string, temporary: string | undefined): Promise<string> {
  const folders = [tmpdir(), '/tmp', '/var/tmp'];
  const parent = folders.find((folder) => temporary === undefined || !isInside(temporary, folder));
  return await mkdtemp(join(parent ?? tmpdir(), prefix));
}

/** Builds a jail in the given way around every program. */
export function createCommandJail(
  way: JailWay,
  programs: Programs,
  placesNow: () => JailPlaces,
): ProcessJail {
  return async ({ program, cwd, env }) => {
    const places = placesNow();
    // On a terminal an agent may work elsewhere than where it was started.
    const mounts = await planMounts({ ...places, writable: [...places.writable, cwd] });
    const inside = { ...env, ...places.env };
    return {
      program: jailedCommand(way, { program, cwd, env: inside }, mounts, programs),
      cwd,
      env: inside,
    };
  };
}

/** Who a command runs as, and how the rights to build a jail are obtained. */
export interface JailWay {
  /**
   * A user namespace of our own, the rights of root that we have already, or `sudo` without a
   * password.
   */
  readonly kind: 'user-namespace' | 'root' | 'sudo';
  readonly uid: number;
  readonly gid: number;
}

/**
 * Runs as process 1 of the jail, with the right to mount: makes everything read-only, mounts each
 * `kind path`, enters the folder after `run`, and runs the rest without that right. Its programs
 * come from the folders in its first argument. Paths are arguments, so no shell reads them. The
 * jail ends when its input ends: the only signal that reaches root's processes from a user who is
 * not root. `/dev` is left out, since a device is written in a read-only folder too; of `/proc`
 * what steers the machine is taken, which root may write without any right. A mount below another
 * cannot be changed, nor reached.
 */
const SETUP = `
PATH=$1
fail() { echo "the process jail could not be built: $*" >&2; exit 125; }
again() {
  mount -n -c --rbind "$2" "$2" || return
  flags=$(findmnt -n -o VFS-OPTIONS --target "$2") || return
  mount -n -c -o "remount,bind,$1\${flags#r?}" "$2"
}
while read -r _ _ _ _ path flags _; do
  case $path in /proc | /proc/* | /dev | /dev/*) continue ;; esac
  case $flags in rw*) mount -n -c -o "remount,bind,ro\${flags#rw}" "$(printf %b "$path")" 2>/dev/null ;; esac
done </proc/self/mountinfo
for path in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs /proc/acpi; do
  [ ! -e "$path" ] || again ro "$path" || fail "read-only $path"
done
shift
while [ "$1" != run ]; do
  case $1 in
    pin) mount -n -c --rbind "$2" "$2" ;;
    read-only) again ro "$2" ;;
    writable) again rw "$2" ;;
    hidden-folder) mount -n -c -t tmpfs -o ro,mode=0555 tmpfs "$2" ;;
    hidden-file) mount -n -c --bind /dev/null "$2" ;;
    temporary) mount -n -c -t tmpfs -o nosuid,nodev,mode=1777 tmpfs "$2" ;;
    keep) mkdir -p "$2" && mount -n -c --rbind . "$2" && again rw "$2" ;;
    hold) cd "$2" ;;
    *) false ;;
  esac || fail "$1 $2"
  shift 2
done
cd "$2" || fail "cd $2"
shift 2
exec 3<&0 </dev/null
{ read -r _ <&3; kill -s KILL -1; } >/dev/null 2>&1 &
exec 3<&-
"$@"
exit`;

const PROOF = 'the process jail holds';

/**
 * The trial: runs inside as a command does, and tries to get at what the jail hides. Its arguments
 * are the link of our own process namespace, and each mount with its path. {@link PROOF} is printed
 * only if it sees no other process, has no right of root, and cannot take a mount away, not in a
 * further namespace either.
 */
const PROBE = `
fail() { echo "its trial failed: $1"; exit 1; }
[ "$(readlink /proc/self/ns/pid)" != "$1" ] || fail "it has no process namespace"
grep -q '^NSpid:[[:space:]]*[0-9]*$' /proc/self/status || fail "/proc shows the processes outside"
grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/self/status || fail "programs can gain rights"
grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || fail "commands have rights of root"
if cat /proc/1/environ >/dev/null 2>&1; then fail "its first process can be read"; fi
shift
look='
while [ $# -gt 0 ]; do
  case $1 in
    hidden-folder) [ -z "$(ls -A "$2")" ] && [ ! -w "$2" ] ;;
    hidden-file) [ -z "$(cat "$2")" ] ;;
    temporary) [ -z "$(ls -A "$2")" ] && [ -w "$2" ] ;;
    read-only) [ ! -w "$2" ] ;;
  esac || exit 9
  shift 2
done'
take_away='
umount "$@"
umount -l "$@"
for path do mount -o remount,bind,rw "$path"; done'
sh -c "$look" sh "$@" || fail "what it protects can be reached"
sh -c "{ $take_away
} >/dev/null 2>&1; $look" sh "$@" || fail "its mounts can be taken away"
unshare --user --map-root-user --mount -- sh -c "{ $take_away
} >/dev/null 2>&1; $look" sh "$@" 2>/dev/null
[ $? != 9 ] || fail "its mounts can be taken away in a further namespace"
echo '${PROOF}'`;

/**
 * The command line that builds a jail and starts a program in it. Throws an AxeError if one of
 * `programs` is missing.
 */
function jailedCommand(
  { kind, uid, gid }: JailWay,
  { program, cwd, env }: Program,
  mounts: readonly JailMount[],
  { path, find }: Programs,
): readonly string[] {
  const isOwn = kind === 'user-namespace';
  const steps = mounts.flatMap((mount) => [mount.kind, mount.path]);
  const jail = [
    '--mount',
    '--propagation',
    'private',
    '--pid',
    '--fork',
    '--kill-child',
    '--mount-proc',
  ];
  // What may hold a password goes through the environment; a command line can be read by everybody.
  const kept = `--preserve-env=${Object.keys(env).filter(isNetworkVariable).join(',')}`;
  // A second user namespace has no power over the mounts of the first, and files keep their owner.
  const back = [find('unshare'), '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--'];
  // Without groups either: that of a container service is as good as root.
  const ids = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
  const boundary = isOwn && uid !== 0 ? [] : ['--bounding-set=-all'];
  return [
    ...(kind === 'sudo' ? [find('sudo'), '-n', kept, '--'] : []),
    ...[find('unshare'), ...(isOwn ? ['--user', '--map-root-user'] : []), ...jail, '--'],
    ...[find('sh'), '-c', SETUP, 'jail', path, ...steps, 'run', cwd],
    ...(isOwn ? back : []),
    ...[
      find('setpriv'),
      ...(isOwn ? [] : ids),
      '--no-new-privs',
      '--inh-caps=-all',
      ...boundary,
      '--',
    ],
    ...[find('env'), ...plainEnvironment(env), ...program],
  ];
}

/** `sudo` sets some variables and leaves others out, and the setup has a `PATH` of its own. */
function plainEnvironment(env: Readonly<Record<string, string>>): readonly string[] {
  const ours = ['SUDO_COMMAND', 'SUDO_USER', 'SUDO_UID', 'SUDO_GID', 'MAIL'].flatMap((name) => [
    '-u',
    name,
  ]);
  const plain = Object.entries(env).filter(([name]) => !isNetworkVariable(name));
  return [...ours, ...plain.map(([name, value]) => `${name}=${value}`)];
}
