import{oe as o}from"./chunk-B63CLKIA.js";function r(n,t){return n===void 0||o(n,t)}export{r as a};
