const K=8912,R=[8912],W={68912:(($,l,s)=>{s.d(l,{runThrownAway:()=>O,x:()=>c});var m=s(77598),a=s(51455),r=s(76760),u=s(44373),E=s(20496),f=s(8379);const c="/tmp/axe-saw";async function O({command:t,workspace:o,files:n,env:e,timeoutMs:i},p,D,M){const d=await(0,a.mkdtemp)((0,r.join)(D,"additions-"));try{for(const L of n)await P(d,L);const _=(0,m.randomBytes)(12).toString("hex"),h=["sh","-c",w,"sh",t,_],y=await p(d)({program:h,cwd:o,env:(0,E.LK)(e)}),v={timeoutMs:i,maxOutputBytes:u.q2.outputBytes},B=performance.now(),{exitCode:A,output:I,timedOut:T}=await(0,f.mB)(y,v,M),C=performance.now()-B;return{exit:T?"time":A,...x(I,_),ms:C}}finally{await(0,a.rm)(d,{recursive:!0,force:!0})}}const w=`
exec 2>&1
rm -f ${c}
sh -c "$1"
code=$?
printf '\\n%s %s\\n' "$2" "$(head -c 400 ${c} 2>/dev/null | head -n 1)"
exit $code`;function x(t,o){const n=t.lastIndexOf(`
${o} `);if(n<0)return{saw:"",output:t};const[e=""]=t.slice(n+o.length+2).split(`
`);return{saw:e,output:t.slice(0,n)}}async function P(t,{path:o,kind:n,content:e}){const i=(0,r.join)(t,o);await(0,a.mkdir)((0,r.dirname)(i),{recursive:!0}),n==="link"?await(0,a.symlink)(e,i):await(0,a.writeFile)(i,e,{mode:n==="executable"?493:420})}})};export{K as id,R as ids,W as modules};
