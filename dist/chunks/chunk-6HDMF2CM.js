import{kb as o,sc as a,wc as l,xc as c}from"./chunk-N54LVZGZ.js";var d="**Task:**",u="**Result:**";function v(n,e){return e==="trusted"?n:o(n)}function A(n,e){let[r,s]=[1,0];return c(n).units.map(t=>(r+=k(n,s,t.start),s=t.start,h(t,e,r)))}function m(n){let e=n.split(`
`),r=e.findIndex(i=>i.startsWith(u)),t=(r<0?e:e.slice(0,r)).find(i=>i.startsWith(d));return{task:t===void 0?void 0:t.slice(d.length).trim(),result:r<0?void 0:g(e.slice(r))}}function h(n,e,r){let s=n.text.replaceAll(`\r
`,`
`).split(`
`),t=l(s.slice(1).join(`
`)).trimEnd(),{task:i,result:f}=m(t);return{id:n.id,lane:e,line:r,heading:(s[0]??"").slice(3),timeMs:n.timeMs,task:i,result:f,body:t,provenance:s.flatMap(p=>a(p)??[]).at(-1),unit:n}}function g(n){return n.join(`
`).slice(u.length).replace(/^ /,"").trimEnd()}function k(n,e,r){let s=0;for(let t=n.indexOf(`
`,e);t>=0&&t<r;t=n.indexOf(`
`,t+1))s+=1;return s}export{v as a,A as b,m as c};
