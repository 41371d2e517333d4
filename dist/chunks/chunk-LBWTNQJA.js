import{oe as o}from"./chunk-5M3LMADL.js";function r(n,t){return n===void 0||o(n,t)}export{r as a};
