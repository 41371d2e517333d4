import{a,b}from"./chunk-OSDAGYLA.js";import"./chunk-MYN2RQWK.js";export{a as AwsClient,b as AwsV4Signer};
