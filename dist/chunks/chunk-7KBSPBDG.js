import{Cb as $,Ub as g,nb as v,ob as d,rb as u,tb as b,ub as r,wb as S,yb as o}from"./chunk-5RP4X7PX.js";async function K(e,{route:t,params:n,accept:i,schema:l,what:s},a){let{body:c}=await e.request(t,{params:n,...i===void 0?{}:{accept:i},signal:a}),m=$(l,typeof c=="string"?C(c):c);if(!m.success)throw q(P(t,n),s);return m.output}async function p(e,{query:t,variables:n,schema:i,what:l,permission:s},a){let c=await e.graphql(t,{variables:n,signal:a}).catch(f=>{throw f instanceof g?D(f,s):f}),m=$(i,c);if(!m.success)throw new g(`GitHub's answer does not hold ${l}`,{reason:"invalid",requestLine:"POST /graphql"});return m.output}function q(e,t){return new g(`GitHub's answer to \`${e}\` does not hold ${t}`,{reason:"invalid",requestLine:e})}function P(e,t){return e.replace(/\{(\w+)\}/g,(n,i)=>String(t[i]))}function C(e){try{return JSON.parse(e)}catch{return e}}function D(e,t){let{reason:n,status:i}=e;if(i===401||n!=="denied"&&n!=="missing")return e;let s=`dd ${t.split(" or ").map(a=>`\`${a}\``).join(" or ")} under \`permissions:\` of the job.`;return e.with({remedy:n==="denied"?`A${s}`:`If it exists, the token cannot see it: a${s}`})}async function Z({create:e,find:t}){try{return await e()}catch(n){if(!(n instanceof g)||n.reason!=="unavailable")throw n;return await t()??await e()}}var M=`query ($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(last: 50, before: $before) {
        nodes { url body state viewerDidAuthor commit { oid } }
        pageInfo { startCursor hasPreviousPage }
      }
    }
  }
}`,x=20,I=r({url:o(),body:o(),state:S(["APPROVED","CHANGES_REQUESTED","COMMENTED","DISMISSED","PENDING"]),viewerDidAuthor:d(),commit:u(r({oid:o()}))}),k=r({repository:r({pullRequest:r({reviews:r({nodes:v(u(I)),pageInfo:r({startCursor:u(o()),hasPreviousPage:d()})})})})});async function ne(e,{repository:t,number:n,marker:i},l){let s=[],a=null;for(let c=0;c<x;c+=1){let m=await p(e,{query:M,variables:{owner:t.owner,name:t.name,number:n,before:a},schema:k,what:"the reviews",permission:"pull-requests: read"},l),{nodes:f,pageInfo:h}=m.repository.pullRequest.reviews;if(s.push(...f.flatMap(y=>U(y,i)).reverse()),a=h.startCursor,!h.hasPreviousPage||a===null)break}return s}function T(e,t){return e.split(`
`).some(n=>n.startsWith(t))}function w(e,t){let[,n]=new RegExp(`#${t}(\\d+)$`).exec(e)??[];return n===void 0?void 0:Number(n)}function U(e,t){let n=w(e?.url??"","pullrequestreview-");if(e===null||n===void 0||!e.viewerDidAuthor||!T(e.body,t))return[];let{url:i,state:l,body:s,commit:a}=e;return[{id:n,url:i,state:l,body:s,headSha:a?.oid}]}var G=`query ($owner: String!, $name: String!, $number: Int!) {
  repository(owner: $owner, name: $name) {
    issueOrPullRequest(number: $number) {
      __typename
      ... on Issue { comments(last: 50) { totalCount nodes { ...comment } } }
      ... on PullRequest { comments(last: 50) { totalCount nodes { ...comment } } }
    }
  }
}
fragment comment on IssueComment {
  url body viewerDidAuthor createdAt lastEditedAt isMinimized
  author { __typename login }
}`,N=r({url:o(),body:o(),viewerDidAuthor:d(),createdAt:o(),lastEditedAt:u(o()),isMinimized:d(),author:u(r({__typename:o(),login:o()}))}),H=r({repository:r({issueOrPullRequest:r({comments:r({totalCount:b(),nodes:v(u(N))})})})});async function ie(e,{repository:t,number:n},i){let l=await p(e,{query:G,variables:{owner:t.owner,name:t.name,number:n},schema:H,what:"the comments",permission:"issues: read"},i),{totalCount:s,nodes:a}=l.repository.issueOrPullRequest.comments;return{comments:a.flatMap(B),older:Math.max(0,s-a.length)}}function B(e){let t=w(e?.url??"","issuecomment-");return e===null||t===void 0||e.isMinimized?[]:[{id:t,author:R(e.author),isOurs:e.viewerDidAuthor,body:e.body,changedAt:e.lastEditedAt??e.createdAt}]}function R(e){if(e===null)return{login:"ghost",isBot:!1};let t=e.__typename==="Bot";return{login:t?`${e.login.replace(/\[bot\]$/,"")}[bot]`:e.login,isBot:t}}var L=`query ($owner: String!, $name: String!, $number: Int!, $after: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      headRefOid
      reviewThreads(first: 50, after: $after) {
        nodes {
          id isResolved isOutdated path diffSide line startLine originalLine
          resolvedBy { login }
          opening: comments(first: 1) {
            nodes {
              ...comment
              diffHunk
              thumbsUp: reactions(first: 50, content: THUMBS_UP) { nodes { user { login } } }
              thumbsDown: reactions(first: 50, content: THUMBS_DOWN) { nodes { user { login } } }
            }
          }
          latest: comments(last: 50) { totalCount nodes { ...comment } }
        }
        pageInfo { endCursor hasNextPage }
      }
    }
  }
}
fragment comment on PullRequestReviewComment {
  url body viewerDidAuthor createdAt lastEditedAt authorAssociation
  author { __typename login }
  editor { __typename login }
}`,_=r({url:o(),body:o(),viewerDidAuthor:d(),createdAt:o(),lastEditedAt:u(o()),authorAssociation:o(),author:u(r({__typename:o(),login:o()})),editor:u(r({__typename:o(),login:o()}))}),j=r({nodes:v(u(r({user:u(r({login:o()}))})))}),Q=r({..._.entries,diffHunk:o(),thumbsUp:j,thumbsDown:j}),F=20,z=r({id:o(),isResolved:d(),resolvedBy:u(r({login:o()})),isOutdated:d(),path:o(),diffSide:S(["LEFT","RIGHT"]),line:u(b()),startLine:u(b()),originalLine:u(b()),opening:r({nodes:v(u(Q))}),latest:r({totalCount:b(),nodes:v(u(_))})}),V=r({repository:r({pullRequest:r({headRefOid:o(),reviewThreads:r({nodes:v(u(z)),pageInfo:r({endCursor:u(o()),hasNextPage:d()})})})})});async function W(e,{repository:t,number:n},i){let l=[],s="",a=null;for(let c=0;c<F;c+=1){let m=await p(e,{query:L,variables:{owner:t.owner,name:t.name,number:n,after:a},schema:V,what:"the review threads",permission:"pull-requests: read"},i);s=m.repository.pullRequest.headRefOid;let{nodes:f,pageInfo:h}=m.repository.pullRequest.reviewThreads;if(l.push(...f.flatMap(y=>y===null?[]:Y(y))),a=h.endCursor,!h.hasNextPage||a===null)return{head:s,threads:l,isComplete:!0}}return{head:s,threads:l,isComplete:!1}}function de(e){let t=new Map;return(n,i)=>{let l=`${n.repository.owner}/${n.repository.name}#${n.number}`,s=t.get(l)??W(e,n,i);return t.set(l,s),s}}function Y(e){let[t=null]=e.opening.nodes,[n]=E(t);if(t===null||n===void 0)return[];let{id:i,isResolved:l,isOutdated:s,path:a}=e;return[{id:i,isResolved:l,resolvedBy:e.resolvedBy?.login,isOutdated:s,path:a,side:e.diffSide,line:e.line??void 0,startLine:e.startLine??void 0,originalLine:e.originalLine??void 0,hunk:t.diffHunk,first:n,thumbsUp:O(t.thumbsUp.nodes),thumbsDown:O(t.thumbsDown.nodes),replies:e.latest.nodes.flatMap(E).filter(c=>c.id!==n.id),repliesTotal:Math.max(0,e.latest.totalCount-1)}]}function E(e){let t=w(e?.url??"","discussion_r");if(e===null||t===void 0)return[];let{url:n,authorAssociation:i,viewerDidAuthor:l,body:s,createdAt:a,lastEditedAt:c}=e;return[{id:t,url:n,author:R(e.author),authorAssociation:i,isOurs:l,body:s,createdAt:a,editedAt:c??void 0,isEditedByOther:c!==null&&!J(e)}]}function J({author:e,editor:t}){return e!==null&&t!==null&&e.login===t.login}function O(e){return e.flatMap(t=>t?.user?.login??[])}export{K as a,p as b,q as c,Z as d,ne as e,T as f,ie as g,W as h,de as i};
