import{h as a}from"./chunk-JGAUP5BK.js";import"./chunk-MYN2RQWK.js";export default a();
