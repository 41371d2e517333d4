import type { JailMount } from './jail-mounts.js';
import type { Programs } from './programs.js';
import { isNetworkVariable } from './scrub-env.js';

/** Who a command runs as, and how the rights to build a jail are obtained. */
export interface JailWay {
  /** A user namespace of our own, the rights of root that we have already, or `sudo` without a password. */
  readonly kind: 'user-namespace' | 'root' | 'sudo';
  readonly uid: number;
  readonly gid: number;
}

/**
 * Runs as process 1 of the jail, with the right to mount: makes everything read-only, mounts each `kind path`, enters the
 * folder after `run`, and runs the rest without that right. Its programs come from the folders in its first argument.
 * Paths are arguments, so no shell reads them. The jail ends when its input ends: the only signal that reaches root's
 * processes from a user who is not root. `/dev` is left out, since a device is written in a read-only folder too; of `/proc`
 * what steers the machine is taken, which root may write without any right. A mount below another cannot be changed, nor
 * reached.
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

export const PROOF = 'the process jail holds';

/**
 * The trial: runs inside as a command does, and tries to get at what the jail hides. Its arguments are the link of our
 * own process namespace, and each mount with its path. {@link PROOF} is printed only if it sees no other process, has
 * no right of root, and cannot take a mount away, not in a further namespace either.
 */
export const PROBE = `
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

interface JailedProgram {
  readonly program: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly mounts: readonly JailMount[];
}

/** The command line that builds a jail and starts a program in it. Throws an AxeError if one of `programs` is missing. */
export function jailedCommand(
  { kind, uid, gid }: JailWay,
  { program, cwd, env, mounts }: JailedProgram,
  { path, find }: Programs,
): readonly string[] {
  const isOwn = kind === 'user-namespace';
  const steps = mounts.flatMap((mount) => [mount.kind, mount.path]);
  const jail = ['--mount', '--propagation', 'private', '--pid', '--fork', '--kill-child', '--mount-proc'];
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
    ...[find('setpriv'), ...(isOwn ? [] : ids), '--no-new-privs', '--inh-caps=-all', ...boundary, '--'],
    ...[find('env'), ...plainEnvironment(env), ...program],
  ];
}

/** `sudo` sets some variables and leaves others out, and the setup has a `PATH` of its own. */
function plainEnvironment(env: Readonly<Record<string, string>>): readonly string[] {
  const ours = ['SUDO_COMMAND', 'SUDO_USER', 'SUDO_UID', 'SUDO_GID', 'MAIL'].flatMap((name) => ['-u', name]);
  const plain = Object.entries(env).filter(([name]) => !isNetworkVariable(name));
  return [...ours, ...plain.map(([name, value]) => `${name}=${value}`)];
}
