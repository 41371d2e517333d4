import{c as s,d as o}from"./chunks/chunk-FERQIMKB.js";import"./chunks/chunk-MYN2RQWK.js";o(process.env)?process.stdout.write(`${s}
`):(process.argv[2]="post",await import("./index.js"));
