import{a}from"./chunk-SBO4UZ4N.js";import"./chunk-362PXZPW.js";import"./chunk-MYN2RQWK.js";export default a();
