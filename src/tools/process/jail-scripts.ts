/** The folder in a run's private one on which the whole view is kept while a jail is built. */
export const KEPT_VIEW = 'all';

/** The limits of one throw-away run, of all its layers together. */
export const LAYER_LIMITS = {
  bytes: '1g',
  names: '200k',
  processes: 1024,
  fileBytes: 256 * 1024 * 1024,
} as const;

/**
 * Runs as process 1 of the jail, with the right to mount: makes everything read-only, takes each
 * step `kind path`, enters the folder after `run`, and runs the rest without that right. Its
 * programs come from the folders in its first argument. Paths are arguments, so no shell reads
 * them. The jail ends when its input ends, since no other signal of a user reaches root's processes.
 * Files of `/proc` that steer the machine become read-only, because root can write them without any
 * right. A mount below another cannot be changed or reached.
 *
 * Paths that are shown in a covered folder come from a descriptor, since names lead to the cover.
 * Commands can write some of the folders that they are mounted on. Those are entered first and
 * mounted on as `.`, so that no link of another command leads elsewhere. Nothing is made in a folder
 * that could not be covered.
 */
export const SETUP = `
PATH=$1 layers= additions= workspace=
fail() { echo "the process jail could not be built: $*" >&2; exit 125; }
bind() { mount -n -c --rbind "$1" "$2"; }
again() {
  bind "$2" "$2" || return
  flags=$(findmnt -n -o VFS-OPTIONS --target "$2") || return
  mount -n -c -o "remount,bind,$1\${flags#r?}" "$2"
}
cover() { mount -n -c -t tmpfs -o "nosuid,nodev,mode=$1" tmpfs "$2" && [ -z "$(ls -A "$2")" ]; }
hide() { "$@" || [ ! -e "$path" ]; }
enter() {
  [ -d "$1" ] || mkdir -m 0777 "$1" || return
  cd "$1" && [ "$(pwd -P)" = "$1" ]
}
show() {
  if [ -d "$kept/${KEPT_VIEW}$1" ]; then enter "$1" && bind "$kept/${KEPT_VIEW}$1" .; return; fi
  [ ! -L "$1" ] && { [ -e "$1" ] || : >"$1"; } && bind "$kept/${KEPT_VIEW}$1" "$1"
}
devices() {
  cover 0755 "$1" && mkdir "$1/pts" "$1/shm" && cover 1777 "$1/shm" || return
  for name in null zero full random urandom tty; do
    : >"$1/$name" && bind "$kept/${KEPT_VIEW}/dev/$name" "$1/$name" || return
  done
  mount -n -c -t devpts -o nosuid,noexec,newinstance,ptmxmode=0666 devpts "$1/pts" || return
  ln -s pts/ptmx "$1/ptmx" && ln -s /proc/self/fd "$1/fd" || return
  for name in 0/stdin 1/stdout 2/stderr; do
    ln -s "/proc/self/fd/\${name%/*}" "$1/\${name#*/}" || return
  done
}
limits() {
  exec 6<"$1" && workspace=$1 && echo 1000 >/proc/self/oom_score_adj || return
  release=$(uname -r)
  major=\${release%%.*} minor=\${release#*.}
  minor=\${minor%%[!0-9]*}
  [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 14 ]; } ||
    echo ${LAYER_LIMITS.processes} >/proc/sys/kernel/pid_max
}
layer() {
  exec 7<"$1" || return
  lower=/proc/self/fd/7 upper=/proc/self/fd/5/upper$layers work=/proc/self/fd/5/work$layers
  if [ -z "$layers" ]; then
    mount -n -c -t tmpfs -o nosuid,nodev,size=${LAYER_LIMITS.bytes},nr_inodes=${LAYER_LIMITS.names} tmpfs "$1" || return
    exec 5<"$1"
  fi
  layers=x$layers
  mkdir "$upper" "$work" || return
  # A user namespace cannot give a file to an owner outside of it.
  chown --reference="$lower" "$upper" 2>/dev/null
  chmod --reference="$lower" "$upper" || return
  if [ "$1" = "$workspace" ]; then
    lower=$additions:/proc/self/fd/6
    mknod "$upper/.git" c 0 0 || return
  fi
  # A further user namespace keeps its attributes of files under a name of its own.
  own=,userxattr
  ! grep -q '^ *0 *0 *4294967295$' /proc/self/uid_map || own=
  mount -n -c -t overlay -o "lowerdir=$lower,upperdir=$upper,workdir=$work$own" overlay "$1"
}
while read -r _ _ _ _ path flags _; do
  case $path in /proc | /proc/*) continue ;; esac
  case $flags in rw*) mount -n -c -o "remount,bind,ro\${flags#rw}" "$(printf %b "$path")" 2>/dev/null ;; esac
done </proc/self/mountinfo
shift
if [ "$1" = limits ]; then
  limits "$2" || fail "limits $2"
  shift 2
fi
for path in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs /proc/acpi; do
  [ ! -e "$path" ] || again ro "$path" || fail "read-only $path"
done
while [ "$1" != run ]; do
  path=$2
  case $1 in
    interface) ip link set "$path" up 2>/dev/null || : ;;
    pin) bind "$path" "$path" ;;
    read-only) again ro "$path" ;;
    writable) again rw "$path" ;;
    additions) additions=$path ;;
    layer) layer "$path" ;;
    hidden-folder) hide mount -n -c -t tmpfs -o ro,mode=0555 tmpfs "$path" ;;
    hidden-file) hide mount -n -c --bind /dev/null "$path" ;;
    keep) bind / "$path/${KEPT_VIEW}" && exec 4<"$path" && kept=/proc/self/fd/4 ;;
    private) bind "$kept$path" "$path" ;;
    empty) cover 0755 "$path" ;;
    devices) devices "$path" ;;
    around) enter "$path" && bind . . ;;
    shown) show "$path" ;;
    sealed) mount -n -c -o remount,bind,ro,nosuid,nodev "$path" ;;
    *) false ;;
  esac || fail "$1 $path"
  shift 2
done
umount -n -c -l "$kept/${KEPT_VIEW}" || fail "unmount what was kept"
exec 4<&- 5<&- 6<&- 7<&-
cd "$2" || fail "cd $2"
shift 2
exec 3<&0 </dev/null
{ read -r _ <&3; kill -s KILL -1; } >/dev/null 2>&1 &
exec 3<&-
"$@"
exit`;

/** A file that the trial of a layer writes, and that must not be there afterwards. */
export const LAYER_TRIAL = '.axe-layer-trial';

export const PROOF = 'the process jail holds';
export const LOOPBACK = 'its loopback is up';

/**
 * The trial. It runs inside as a command does, and tries to reach everything that the jail hides.
 * Its arguments are the links of our own namespaces for processes and for the network (empty for a
 * jail with the machine's network), and each mount with its path. It prints {@link PROOF} only if it
 * sees no other process, is not in our network, has no right of root, and cannot remove a mount, not
 * in a further namespace either.
 */
export const PROBE = `
fail() { echo "its trial failed: $1"; exit 1; }
[ "$(readlink /proc/self/ns/pid)" != "$1" ] || fail "it has no process namespace"
[ "$(readlink /proc/self/ns/net)" != "$2" ] || fail "it has the network of the machine"
grep -q '^NSpid:[[:space:]]*[0-9]*$' /proc/self/status || fail "/proc shows the processes outside"
grep -q '^NoNewPrivs:[[:space:]]*1$' /proc/self/status || fail "programs can gain rights"
grep -q '^CapEff:[[:space:]]*0*$' /proc/self/status || fail "commands have rights of root"
if cat /proc/1/environ >/dev/null 2>&1; then fail "its first process can be read"; fi
shift 2
look='
while [ $# -gt 0 ]; do
  case $1 in
    hidden-folder) [ -z "$(ls -A "$2")" ] && [ ! -w "$2" ] ;;
    hidden-file) [ ! -S "$2" ] && [ -z "$(cat "$2")" ] ;;
    read-only | sealed) [ ! -w "$2" ] ;;
    layer) echo layer >"$2/${LAYER_TRIAL}" || [ ! -w "$2" ] ;;
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
! grep -q 127.0.0.1 /proc/net/fib_trie || echo '${LOOPBACK}'
echo '${PROOF}'`;
