var o="pending",e="check",T="Memory: nothing is left to save.";function s(t){let n=t[`STATE_${o}`]??"";return(n===""||n==="[]")&&(t[`STATE_${e}`]??"")===""}export{o as a,e as b,T as c,s as d};
