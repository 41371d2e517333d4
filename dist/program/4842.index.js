const oe=4842,ae=[4842],se={44842:((ne,R,$)=>{$.d(R,{findCommandJail:()=>_,makePrivateFolder:()=>D});var y=$(73024),p=$(51455),l=$(76760),b=$(75892),m=$(52502);function A(){const e=["/tmp","/var/tmp"].filter(o=>(0,y.existsSync)(o));return[...new Set(e.map(o=>(0,y.realpathSync)(o)))]}async function C(e){const o=await(0,p.realpath)(e.workspace),t=[o,...await v(e.writable)],a=await U(e,t),s=[...t,...await v(e.shown)].filter(i=>!a.has(i)&&[...a.keys()].some(n=>(0,m.FK)(n,i))),r=(i,n)=>(0,m.FK)(i,n)&&!s.some(f=>(0,m.FK)(i,f)&&(0,m.FK)(f,n)),d=new Map([...a].filter(([i])=>![...a.keys()].some(n=>n!==i&&r(n,i)))),c=i=>[...d.keys()].some(n=>r(n,i)),u=[...d].flatMap(([i,n])=>n==="private"?(0,l.join)(e.privateFolder,i):[]);return[...await N({...e,workspace:o,writable:t},c),...u.map(i=>({kind:"writable",path:i})),{kind:"keep",path:e.privateFolder},...L(d,s),...[...d].flatMap(([i,n])=>n==="private"?[]:{kind:"sealed",path:i})]}async function U({empty:e},o){const t=new Map([...A().map(a=>[a,"private"]),...(await v(e)).map(a=>[a,"empty"]),["/dev","devices"]]);return new Map([...t].filter(([a])=>!o.includes(a)))}async function N({workspace:e,writable:o,readOnly:t,hidden:a,privateFolder:s},r){const d=n=>o.some(f=>(0,m.FK)(f,n)),c=new Map(o.map(n=>[n,"writable"]));for(const n of await v([...t,s]))d(n)&&c.set(n,"read-only");for(const n of await v(a)){const f=await(0,p.stat)(n).then(k=>k.isDirectory(),()=>!1);f&&(0,m.FK)(n,e)||c.set(n,f?"hidden-folder":"hidden-file")}const u=[...c].flatMap(([n,f])=>f==="hidden-folder"?n:[]),i=n=>r(n)||u.some(f=>f!==n&&(0,m.FK)(f,n));for(const n of z([...c.keys()],d))c.has(n)||c.set(n,"pin");return K([...c].flatMap(([n,f])=>i(n)?[]:{kind:f,path:n}))}function L(e,o){const t=new Map(e),a=s=>[...e.keys()].some(r=>(0,m.FK)(r,s));for(const s of o)t.set(s,"shown");for(const s of o)for(let r=(0,l.dirname)(s);a(r);r=(0,l.dirname)(r))t.has(r)||t.set(r,"around");return K([...t].map(([s,r])=>({kind:r,path:s})))}function K(e){const o=({path:t})=>t.split(l.sep).length;return e.toSorted((t,a)=>o(t)-o(a))}async function v(e){const o=await Promise.all(e.map(t=>(0,p.realpath)(t).catch(()=>[])));return[...new Set(o.flat())]}async function B({reserved:e,workspace:o}){const t=[];for(const a of e){if(a===o||!(0,m.FK)(o,a))continue;const s=[];for(let r=a;r!==o&&!(0,y.existsSync)(r);r=(0,l.dirname)(r))s.push(r);for(const r of s.toReversed())try{await(0,p.mkdir)(r),t.push(r)}catch{break}}return t}function z(e,o){const t=new Set;for(const a of e){let s=a;for(;(0,l.dirname)(s)!==s&&!t.has(s);)o((0,l.dirname)(s))&&t.add(s),s=(0,l.dirname)(s)}return t}const w="all",G=`
PATH=$1
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
  if [ -d "$kept/${w}$1" ]; then enter "$1" && bind "$kept/${w}$1" .; return; fi
  [ ! -L "$1" ] && { [ -e "$1" ] || : >"$1"; } && bind "$kept/${w}$1" "$1"
}
devices() {
  cover 0755 "$1" && mkdir "$1/pts" "$1/shm" && cover 1777 "$1/shm" || return
  for name in null zero full random urandom tty; do
    : >"$1/$name" && bind "$kept/${w}/dev/$name" "$1/$name" || return
  done
  mount -n -c -t devpts -o nosuid,noexec,newinstance,ptmxmode=0666 devpts "$1/pts" || return
  ln -s pts/ptmx "$1/ptmx" && ln -s /proc/self/fd "$1/fd" || return
  for name in 0/stdin 1/stdout 2/stderr; do
    ln -s "/proc/self/fd/\${name%/*}" "$1/\${name#*/}" || return
  done
}
while read -r _ _ _ _ path flags _; do
  case $path in /proc | /proc/*) continue ;; esac
  case $flags in rw*) mount -n -c -o "remount,bind,ro\${flags#rw}" "$(printf %b "$path")" 2>/dev/null ;; esac
done </proc/self/mountinfo
for path in /proc/sys /proc/sysrq-trigger /proc/irq /proc/bus /proc/fs /proc/acpi; do
  [ ! -e "$path" ] || again ro "$path" || fail "read-only $path"
done
shift
while [ "$1" != run ]; do
  path=$2
  case $1 in
    interface) ip link set "$path" up 2>/dev/null || : ;;
    pin) bind "$path" "$path" ;;
    read-only) again ro "$path" ;;
    writable) again rw "$path" ;;
    hidden-folder) hide mount -n -c -t tmpfs -o ro,mode=0555 tmpfs "$path" ;;
    hidden-file) hide mount -n -c --bind /dev/null "$path" ;;
    keep) bind / "$path/${w}" && exec 4<"$path" && kept=/proc/self/fd/4 ;;
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
umount -n -c -l "$kept/${w}" || fail "unmount what was kept"
exec 4<&-
cd "$2" || fail "cd $2"
shift 2
exec 3<&0 </dev/null
{ read -r _ <&3; kill -s KILL -1; } >/dev/null 2>&1 &
exec 3<&-
"$@"
exit`,P="the process jail holds",E="its loopback is up",H=`
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
! grep -q 127.0.0.1 /proc/net/fib_trie || echo '${E}'
echo '${P}'`;var x=$(20496),J=$(8379);const W={timeoutMs:2e4,maxOutputBytes:1e4};async function _(e,o=X(e)){if(process.platform!=="linux")throw new b.fw(`there is none on ${process.platform}`);const t=new Set;for(const a of o)try{const s=await Y(a,e),r=await B(e.places());return process.once("exit",()=>V(r)),{enter:I(a,e.programs,e.places),network:s}}catch(s){t.add((0,b.bD)(s))}throw new b.fw([...t].join("; "))}function V(e){for(const o of e.toReversed())try{(0,y.rmdirSync)(o)}catch{}}function X({env:e,hasNetwork:o}){const[t,a]=[process.getuid?.()??0,process.getgid?.()??0],s=e.GITHUB_ACTIONS==="true",r=t===0?["root"]:["user-namespace",...s?["sudo"]:[]];return(o?[!0]:[!1,!0]).flatMap(c=>r.map(u=>({kind:u,uid:t,gid:a,hasNetwork:c})))}async function Y(e,{env:o,programs:t,places:a}){const s=await D();try{const r=(0,l.join)(s,"trial"),[d="",c="",u=""]=["hidden","file","read-only"].map(h=>(0,l.join)(r,h));for(const h of[d,u])await(0,p.mkdir)(h,{recursive:!0}),await(0,p.writeFile)((0,l.join)(h,"canary"),"canary");await(0,p.writeFile)(c,"canary");const i=a(),n={...i,privateFolder:s,writable:[...i.writable,r],hidden:[...i.hidden,d,c],readOnly:[...i.readOnly,u]},g=[...(await C(n)).filter(({kind:h})=>Z.has(h)),...Q.map(h=>({kind:"read-only",path:h}))],k=await(0,p.readlink)("/proc/self/ns/pid"),S=e.hasNetwork?"":await(0,p.readlink)("/proc/self/ns/net"),M=[t.find("sh"),"-c",H,"probe",k,S],O=await I(e,t,()=>n)({program:[...M,...g.flatMap(({kind:h,path:te})=>[h,te])],cwd:n.workspace,env:{...(0,x.LK)(o),PATH:t.path}}),{exitCode:F,output:j}=await(0,J.mB)(O,W,new AbortController().signal);if(F!==0||!j.includes(P))throw new b.fw(j.trim().split(`
`).at(-1)||"no answer");return e.hasNetwork?"machine":j.includes(E)?"loopback":"none"}finally{await(0,p.rm)(s,{recursive:!0,force:!0})}}const Q=["/","/usr","/bin","/lib","/etc","/opt","/var","/proc/sys","/sys"],Z=new Set(["hidden-folder","hidden-file","read-only","sealed"]);async function D(){const e=A(),[o="/tmp"]=e,t=await(0,p.mkdtemp)((0,l.join)(o,"axe-action-"));await(0,p.mkdir)((0,l.join)(t,w));for(const a of e)await(0,p.mkdir)((0,l.join)(t,a),{recursive:!0}),await(0,p.chmod)((0,l.join)(t,a),1023);return await(0,p.mkdir)((0,l.join)(t,o,"home")),t}function I(e,o,t){return async({program:a,cwd:s,env:r})=>{const d=t(),c=[s,r.AXE_ARTIFACT_DIR??""].filter(l.isAbsolute),u=await C({...d,writable:[...d.writable,...c]}),i={...r,...d.env},n={program:a,cwd:await(0,p.realpath)(s),env:i};return{program:q(e,n,u,o),cwd:s,env:i}}}function q({kind:e,uid:o,gid:t,hasNetwork:a},{program:s,cwd:r,env:d},c,{path:u,find:i}){const n=e==="user-namespace",g=(a?c:[{kind:"interface",path:"lo"},...c]).flatMap(F=>[F.kind,F.path]),k=["--mount","--propagation","private",...a?[]:["--net"],"--ipc","--pid","--fork","--kill-child","--mount-proc"],S=`--preserve-env=${Object.keys(d).filter(x.lo).join(",")}`,M=[i("unshare"),"--user",`--map-user=${o}`,`--map-group=${t}`,"--"],T=[`--reuid=${o}`,`--regid=${t}`,"--clear-groups"],O=n&&o!==0?[]:["--bounding-set=-all"];return[...e==="sudo"?[i("sudo"),"-n",S,"--"]:[],i("unshare"),...n?["--user","--map-root-user"]:[],...k,"--",i("sh"),"-c",G,"jail",u,...g,"run",r,...n?M:[],i("setpriv"),...n?[]:T,"--no-new-privs","--inh-caps=-all",...O,"--",i("env"),...ee(d),...s]}function ee(e){const o=["SUDO_COMMAND","SUDO_USER","SUDO_UID","SUDO_GID","MAIL"].flatMap(a=>["-u",a]),t=Object.entries(e).filter(([a])=>!(0,x.lo)(a));return[...o,...t.map(([a,s])=>`${a}=${s}`)]}})};export{oe as id,ae as ids,se as modules};
