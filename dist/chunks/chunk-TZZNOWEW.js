import{b as l}from"./chunk-MYN2RQWK.js";var o=l((r,e)=>{e.exports=process.getBuiltinModule("url")});export{o as a};
