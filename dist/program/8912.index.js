const R=8912,W=[8912],j={68912:((K,m,s)=>{s.d(m,{runThrownAway:()=>O,x:()=>c});var l=s(77598),a=s(51455),r=s(76760),f=s(44373),u=s(20496),E=s(8379);const c="/tmp/axe-saw";async function O({command:t,workspace:o,files:n,deleted:e,env:i,timeoutMs:h},p,D,M){const d=await(0,a.mkdtemp)((0,r.join)(D,"additions-"));try{for(const L of n)await P(d,L);const _=(0,l.randomBytes)(12).toString("hex"),y=["sh","-c",w,"sh",t,_,...e],$=await p(d)({program:y,cwd:o,env:(0,u.LK)(i)}),v={timeoutMs:h,maxOutputBytes:f.q2.outputBytes},B=performance.now(),{exitCode:A,output:I,timedOut:T}=await(0,E.mB)($,v,M),C=performance.now()-B;return{exit:T?"time":A,...x(I,_),ms:C}}finally{await(0,a.rm)(d,{recursive:!0,force:!0})}}const w=`
exec 2>&1
command=$1 mark=$2
shift 2
rm -f -- ${c} "$@" || exit 125
sh -c "$command"
code=$?
printf '\\n%s %s\\n' "$mark" "$(head -c 400 ${c} 2>/dev/null | head -n 1)"
exit $code`;function x(t,o){const n=t.lastIndexOf(`
${o} `);if(n<0)return{saw:"",output:t};const[e=""]=t.slice(n+o.length+2).split(`
`);return{saw:e,output:t.slice(0,n)}}async function P(t,{path:o,kind:n,content:e}){const i=(0,r.join)(t,o);await(0,a.mkdir)((0,r.dirname)(i),{recursive:!0}),n==="link"?await(0,a.symlink)(e,i):await(0,a.writeFile)(i,e,{mode:n==="executable"?493:420})}})};export{R as id,W as ids,j as modules};
