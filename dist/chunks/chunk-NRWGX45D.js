import{Ia as m,qg as u,yf as i}from"./chunk-LCAF4TCP.js";function b(n){let{findings:e,review:o,labels:t,assignees:r,issues:d,reaction:c,refusals:f}=n,l=[...t.add.length===0?[]:[`- Add the labels ${a(t.add)}`],...t.remove.length===0?[]:[`- Remove the labels ${a(t.remove)}`],...r.length===0?[]:[`- Assign ${a(r)}`],...d.map(({title:s})=>`- Open the issue ${i(s)}`),...c===void 0?[]:[`- React with ${i(c)}`]];return[o===void 0?"":`**Review** (${o.verdict})

${o.summary}`,p("Findings",e),l.length===0?"":`**Wanted**

${l.join(`
`)}`,v(f)].filter(s=>s!=="").join(`

`)}function p(n,e){return e.length===0?"":[`**${n}**`,...e.map(h)].join(`

`)}function h({finding:n,placement:e}){let o=e.kind==="line"?e.line:n.line;return`**${i(`${m(n.path,g)}:${o}`)}** (${n.severity}, ${n.category}): ${u(n)}`}var g=200,$=20;function v(n){if(n.length===0)return"";let e=n.length-$;return[`**Refused**
`,...n.slice(0,$).map(({tool:t,why:r})=>`- ${i(t)}: ${r}`),...e>0?[`- and ${e} more`]:[]].join(`
`)}function a(n){return n.map(i).join(", ")}export{b as a,p as b,v as c};
