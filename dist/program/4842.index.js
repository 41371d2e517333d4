const ue=4842,$e=[4842],he={44842:((pe,H,w)=>{w.d(H,{findCommandJail:()=>te,findLayerJail:()=>ne,makePrivateFolder:()=>z});var v=w(73024),p=w(51455),d=w(76760),k=w(75892),h=w(52502);function E(){const e=["/tmp","/var/tmp"].filter(n=>(0,v.existsSync)(n));return[...new Set(e.map(n=>(0,v.realpathSync)(n)))]}async function I(e){const n=await(0,p.realpath)(e.workspace),t=[n,...await b(e.writable)],o=await G(e,t),a=[...t,...await b(e.shown)].filter(c=>!o.has(c)&&[...o.keys()].some(r=>(0,h.FK)(r,c))),s=(c,r)=>(0,h.FK)(c,r)&&!a.some(l=>(0,h.FK)(c,l)&&(0,h.FK)(l,r)),f=new Map([...o].filter(([c])=>![...o.keys()].some(r=>r!==c&&s(r,c)))),i=c=>[...f.keys()].some(r=>s(r,c)),u=[...f].flatMap(([c,r])=>r==="private"?(0,d.join)(e.privateFolder,c):[]);return[...await W({...e,workspace:n,writable:t},i),...u.map(c=>({kind:"writable",path:c})),{kind:"keep",path:e.privateFolder},...Y(f,a),...[...f].flatMap(([c,r])=>r==="private"?[]:{kind:"sealed",path:c})]}function P(e,n,t){const o=e.filter(({kind:i})=>i==="writable").map(({path:i})=>i),a=i=>i===n||!o.some(u=>u!==i&&(0,h.FK)(u,i)),s=(0,d.join)(n,".git"),f=e.flatMap(i=>(0,h.FK)(s,i.path)?[]:[i.kind==="writable"&&a(i.path)?{kind:"layer",path:i.path}:i]);return[{kind:"limits",path:n},{kind:"additions",path:t},...f]}async function G({empty:e},n){const t=new Map([...E().map(o=>[o,"private"]),...(await b(e)).map(o=>[o,"empty"]),["/dev","devices"]]);return new Map([...t].filter(([o])=>!n.includes(o)))}async function W({workspace:e,writable:n,readOnly:t,hidden:o,privateFolder:a},s){const f=r=>n.some(l=>(0,h.FK)(l,r)),i=new Map(n.map(r=>[r,"writable"]));for(const r of await b([...t,a]))f(r)&&i.set(r,"read-only");for(const r of await b(o)){const l=await(0,p.stat)(r).then(x=>x.isDirectory(),()=>!1);l&&(0,h.FK)(r,e)||i.set(r,l?"hidden-folder":"hidden-file")}const u=[...i].flatMap(([r,l])=>l==="hidden-folder"?r:[]),c=r=>s(r)||u.some(l=>l!==r&&(0,h.FK)(l,r));for(const r of q([...i.keys()],f))i.has(r)||i.set(r,"pin");return T([...i].flatMap(([r,l])=>c(r)?[]:{kind:l,path:r}))}function Y(e,n){const t=new Map(e),o=a=>[...e.keys()].some(s=>(0,h.FK)(s,a));for(const a of n)t.set(a,"shown");for(const a of n)for(let s=(0,d.dirname)(a);o(s);s=(0,d.dirname)(s))t.has(s)||t.set(s,"around");return T([...t].map(([a,s])=>({kind:s,path:a})))}function T(e){const n=({path:t})=>t.split(d.sep).length;return e.toSorted((t,o)=>n(t)-n(o))}async function b(e){const n=await Promise.all(e.map(t=>(0,p.realpath)(t).catch(()=>[])));return[...new Set(n.flat())]}async function V({reserved:e,workspace:n}){const t=[];for(const o of e){if(o===n||!(0,h.FK)(n,o))continue;const a=[];for(let s=o;s!==n&&!(0,v.existsSync)(s);s=(0,d.dirname)(s))a.push(s);for(const s of a.toReversed())try{await(0,p.mkdir)(s),t.push(s)}catch{break}}return t}function q(e,n){const t=new Set;for(const o of e){let a=o;for(;(0,d.dirname)(a)!==a&&!t.has(a);)n((0,d.dirname)(a))&&t.add(a),a=(0,d.dirname)(a)}return t}const y="all",g={bytes:"1g",names:"200k",processes:1024,fileBytes:256*1024*1024},X=`
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
  if [ -d "$kept/${y}$1" ]; then enter "$1" && bind "$kept/${y}$1" .; return; fi
  [ ! -L "$1" ] && { [ -e "$1" ] || : >"$1"; } && bind "$kept/${y}$1" "$1"
}
devices() {
  cover 0755 "$1" && mkdir "$1/pts" "$1/shm" && cover 1777 "$1/shm" || return
  for name in null zero full random urandom tty; do
    : >"$1/$name" && bind "$kept/${y}/dev/$name" "$1/$name" || return
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
    echo ${g.processes} >/proc/sys/kernel/pid_max
}
layer() {
  exec 7<"$1" || return
  lower=/proc/self/fd/7 upper=/proc/self/fd/5/upper$layers work=/proc/self/fd/5/work$layers
  if [ -z "$layers" ]; then
    mount -n -c -t tmpfs -o nosuid,nodev,size=${g.bytes},nr_inodes=${g.names} tmpfs "$1" || return
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
    keep) bind / "$path/${y}" && exec 4<"$path" && kept=/proc/self/fd/4 ;;
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
umount -n -c -l "$kept/${y}" || fail "unmount what was kept"
exec 4<&- 5<&- 6<&- 7<&-
cd "$2" || fail "cd $2"
shift 2
exec 3<&0 </dev/null
{ read -r _ <&3; kill -s KILL -1; } >/dev/null 2>&1 &
exec 3<&-
"$@"
exit`,R=".axe-layer-trial",D="the process jail holds",N="its loopback is up",Q=`
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
    layer) echo layer >"$2/${R}" || [ ! -w "$2" ] ;;
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
! grep -q 127.0.0.1 /proc/net/fib_trie || echo '${N}'
echo '${D}'`;var M=w(20496),Z=w(8379);const ee={timeoutMs:2e4,maxOutputBytes:1e4};async function te(e,n=U(e)){if(process.platform!=="linux")throw new k.fw(`there is none on ${process.platform}`);return await _(n,async t=>{const o=await B(t,e),a=await V(e.places());return process.once("exit",()=>oe(a)),{enter:O(t,e.programs,e.places),network:o}})}async function ne(e,n=U({...e,hasNetwork:!1})){if(process.platform!=="linux")throw new k.fw(`there is none on ${process.platform}`);const t=n.filter(({hasNetwork:o})=>!o);return await _(t,async o=>(await B(o,{...e,hasNetwork:!1},"in layers"),a=>O(o,e.programs,e.places,a)))}async function _(e,n){const t=new Set;for(const o of e)try{return await n(o)}catch(a){t.add((0,k.bD)(a))}throw new k.fw([...t].join("; "))}function oe(e){for(const n of e.toReversed())try{(0,v.rmdirSync)(n)}catch{}}function U({env:e,hasNetwork:n}){const[t,o]=[process.getuid?.()??0,process.getgid?.()??0],a=e.GITHUB_ACTIONS==="true",s=t===0?["root"]:["user-namespace",...a?["sudo"]:[]];return(n?[!0]:[!1,!0]).flatMap(i=>s.map(u=>({kind:u,uid:t,gid:o,hasNetwork:i})))}async function B(e,{env:n,programs:t,places:o},a){const s=await z();try{const f=(0,d.join)(s,"trial"),i=(0,d.join)(s,"additions");a!==void 0&&await(0,p.mkdir)(i);const[u="",c="",r=""]=["hidden","file","read-only"].map($=>(0,d.join)(f,$));for(const $ of[u,r])await(0,p.mkdir)($,{recursive:!0}),await(0,p.writeFile)((0,d.join)($,"canary"),"canary");await(0,p.writeFile)(c,"canary");const l=o(),m={...l,privateFolder:s,writable:[...l.writable,f],hidden:[...l.hidden,u,c],readOnly:[...l.readOnly,r]},x=await(0,p.realpath)(m.workspace),F=await I(m),j=(a===void 0?F:P(F,x,i)).filter($=>ae.has($.kind)),A=[...j,...re.map($=>({kind:"read-only",path:$}))],L=await(0,p.readlink)("/proc/self/ns/pid"),K=e.hasNetwork?"":await(0,p.readlink)("/proc/self/ns/net"),S=[t.find("sh"),"-c",Q,"probe",L,K],le=await O(e,t,()=>m,a===void 0?void 0:i)({program:[...S,...A.flatMap($=>[$.kind,$.path])],cwd:m.workspace,env:{...(0,M.LK)(n),PATH:t.path}}),{exitCode:de,output:C}=await(0,Z.mB)(le,ee,new AbortController().signal);if(de!==0||!C.includes(D))throw new k.fw(C.trim().split(`
`).at(-1)||"no answer");if(j.some(({path:$})=>(0,v.existsSync)((0,d.join)($,R))))throw new k.fw("what commands write does not stay in their layer");return e.hasNetwork?"machine":C.includes(N)?"loopback":"none"}finally{await(0,p.rm)(s,{recursive:!0,force:!0})}}const re=["/","/usr","/bin","/lib","/etc","/opt","/var","/proc/sys","/sys"],ae=new Set(["hidden-folder","hidden-file","read-only","sealed","layer"]);async function z(){const e=E(),[n="/tmp"]=e,t=await(0,p.mkdtemp)((0,d.join)(n,"axe-action-"));await(0,p.mkdir)((0,d.join)(t,y));for(const o of e)await(0,p.mkdir)((0,d.join)(t,o),{recursive:!0}),await(0,p.chmod)((0,d.join)(t,o),1023);return await(0,p.mkdir)((0,d.join)(t,n,"home")),t}function O(e,n,t,o){return async({program:a,cwd:s,env:f})=>{const i=t(),u=[s,f.AXE_ARTIFACT_DIR??""].filter(d.isAbsolute),c=await I({...i,writable:[...i.writable,...u]}),r=o===void 0?c:P(c,await(0,p.realpath)(s),o),l={...f,...i.env},m={program:a,cwd:await(0,p.realpath)(s),env:l};return{program:se(e,m,r,n),cwd:s,env:l}}}function se({kind:e,uid:n,gid:t,hasNetwork:o},{program:a,cwd:s,env:f},i,{path:u,find:c}){const r=e==="user-namespace",[l]=i,m=l?.kind==="limits",F=(o?i:[...i,{kind:"interface",path:"lo"}]).flatMap(S=>[S.kind,S.path]),J=["--mount","--propagation","private",...o?[]:["--net"],"--ipc","--pid","--fork","--kill-child","--mount-proc"],j=`--preserve-env=${Object.keys(f).filter(M.lo).join(",")}`,A=[c("unshare"),"--user",`--map-user=${n}`,`--map-group=${t}`,"--"],L=[`--reuid=${n}`,`--regid=${t}`,"--clear-groups"],K=r&&n!==0?[]:["--bounding-set=-all"];return[...e==="sudo"?[c("sudo"),"-n",j,"--"]:[],c("unshare"),...r?["--user","--map-root-user"]:[],...J,"--",c("sh"),"-c",X,"jail",u,...F,"run",s,...r?A:[],c("setpriv"),...r?[]:L,"--no-new-privs","--inh-caps=-all",...K,"--",...m?[c("prlimit"),...ie(n),"--"]:[],c("env"),...ce(f),...a]}function ie(e){const{fileBytes:n,processes:t}=g;return["--core=0",`--fsize=${n}`,...e===0?[]:[`--nproc=${t}`]]}function ce(e){const n=["SUDO_COMMAND","SUDO_USER","SUDO_UID","SUDO_GID","MAIL"].flatMap(o=>["-u",o]),t=Object.entries(e).filter(([o])=>!(0,M.lo)(o));return[...n,...t.map(([o,a])=>`${o}=${a}`)]}})};export{ue as id,$e as ids,he as modules};
