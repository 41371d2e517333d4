function u(n){return n.kind==="done"?n.text:i(n)}function i({message:n,remedy:t,changed:f}){let e=n.includes(`
`),o=f&&e?n:(f?"It was done, but ":"Nothing was done: ")+n;return t===void 0?e?o:`${o}.`:e?`${o}

${t}`:`${o}. ${t}`}export{u as a,i as b};
