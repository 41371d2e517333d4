import{Oa as v,Pa as m,Sa as i,Ua as b,Va as r,Xa as y,Za as o,bb as R,zb as S}from"./chunk-N54LVZGZ.js";async function K(e,{route:t,params:n,accept:a,schema:u,what:s},l){let{body:c}=await e.request(t,{params:n,...a===void 0?{}:{accept:a},signal:l}),d=R(u,typeof c=="string"?C(c):c);if(!d.success)throw D(x(t,n),s);return d.output}async function p(e,{query:t,variables:n,schema:a,what:u,permission:s},l){let c=await e.graphql(t,{variables:n,signal:l}).catch(f=>{throw f instanceof S?M(f,s):f}),d=R(a,c);if(!d.success)throw new S(`GitHub's answer does not hold ${u}`,{reason:"invalid",requestLine:"POST /graphql"});return d.output}function D(e,t){return new S(`GitHub's answer to \`${e}\` does not hold ${t}`,{reason:"invalid",requestLine:e})}function x(e,t){return e.replace(/\{(\w+)\}/g,(n,a)=>String(t[a]))}function C(e){try{return JSON.parse(e)}catch{return e}}function M(e,t){let{reason:n,status:a}=e;if(a===401||n!=="denied"&&n!=="missing")return e;let s=`dd ${t.split(" or ").map(l=>`\`${l}\``).join(" or ")} under \`permissions:\` of the job.`;return e.with({remedy:n==="denied"?`A${s}`:`If it exists, the token cannot see it: a${s}`})}var I=`query ($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(last: 50, before: $before) {
        nodes { url body state viewerDidAuthor commit { oid } }
        pageInfo { startCursor hasPreviousPage }
      }
    }
  }
}`,T=20,U=r({url:o(),body:o(),state:y(["APPROVED","CHANGES_REQUESTED","COMMENTED","DISMISSED","PENDING"]),viewerDidAuthor:m(),commit:i(r({oid:o()}))}),k=r({repository:r({pullRequest:r({reviews:r({nodes:v(i(U)),pageInfo:r({startCursor:i(o()),hasPreviousPage:m()})})})})});async function te(e,{repository:t,number:n,marker:a},u){let s=[],l=null;for(let c=0;c<T;c+=1){let d=await p(e,{query:I,variables:{owner:t.owner,name:t.name,number:n,before:l},schema:k,what:"the reviews",permission:"pull-requests: read"},u),{nodes:f,pageInfo:h}=d.repository.pullRequest.reviews;if(s.push(...f.flatMap(w=>H(w,a)).reverse()),l=h.startCursor,!h.hasPreviousPage||l===null)break}return s}function G(e,t){return e.split(`
`).some(n=>n.startsWith(t))}function g(e,t){let[,n]=new RegExp(`#${t}(\\d+)$`).exec(e)??[];return n===void 0?void 0:Number(n)}function H(e,t){let n=g(e?.url??"","pullrequestreview-");if(e===null||n===void 0||!e.viewerDidAuthor||!G(e.body,t))return[];let{url:a,state:u,body:s,commit:l}=e;return[{id:n,url:a,state:u,body:s,headSha:l?.oid}]}var N=`query ($owner: String!, $name: String!, $number: Int!) {
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
}`,B=r({url:o(),body:o(),viewerDidAuthor:m(),createdAt:o(),lastEditedAt:i(o()),isMinimized:m(),author:i(r({__typename:o(),login:o()}))}),L=r({repository:r({issueOrPullRequest:r({comments:r({totalCount:b(),nodes:v(i(B))})})})});async function se(e,{repository:t,number:n},a){let u=await p(e,{query:N,variables:{owner:t.owner,name:t.name,number:n},schema:L,what:"the comments",permission:"issues: read"},a),{totalCount:s,nodes:l}=u.repository.issueOrPullRequest.comments;return{comments:l.flatMap(Q),older:Math.max(0,s-l.length)}}function Q(e){let t=g(e?.url??"","issuecomment-");return e===null||t===void 0||e.isMinimized?[]:[{id:t,author:$(e.author),isOurs:e.viewerDidAuthor,body:e.body,changedAt:e.lastEditedAt??e.createdAt}]}function $(e){if(e===null)return{login:"ghost",isBot:!1};let t=e.__typename==="Bot";return{login:t?`${e.login.replace(/\[bot\]$/,"")}[bot]`:e.login,isBot:t}}var O=`query ($owner: String!, $name: String!, $number: Int!, $after: String) {
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
}`,j=r({url:o(),body:o(),viewerDidAuthor:m(),createdAt:o(),lastEditedAt:i(o()),authorAssociation:o(),author:i(r({__typename:o(),login:o()})),editor:i(r({__typename:o(),login:o()}))}),E=r({nodes:v(i(r({user:i(r({login:o()}))})))}),_=r({...j.entries,diffHunk:o(),thumbsUp:E,thumbsDown:E});var F=20,Y=r({id:o(),isResolved:m(),resolvedBy:i(r({login:o()})),isOutdated:m(),path:o(),diffSide:y(["LEFT","RIGHT"]),line:i(b()),startLine:i(b()),originalLine:i(b()),opening:r({nodes:v(i(_))}),latest:r({totalCount:b(),nodes:v(i(j))})}),z=r({repository:r({pullRequest:r({headRefOid:o(),reviewThreads:r({nodes:v(i(Y)),pageInfo:r({endCursor:i(o()),hasNextPage:m()})})})})});async function V(e,{repository:t,number:n},a){let u=[],s="",l=null;for(let c=0;c<F;c+=1){let d=await p(e,{query:O,variables:{owner:t.owner,name:t.name,number:n,after:l},schema:z,what:"the review threads",permission:"pull-requests: read"},a);s=d.repository.pullRequest.headRefOid;let{nodes:f,pageInfo:h}=d.repository.pullRequest.reviewThreads;if(u.push(...f.flatMap(w=>w===null?[]:W(w))),l=h.endCursor,!h.hasNextPage||l===null)return{head:s,threads:u,isComplete:!0}}return{head:s,threads:u,isComplete:!1}}function de(e){let t=new Map;return(n,a)=>{let u=`${n.repository.owner}/${n.repository.name}#${n.number}`,s=t.get(u)??V(e,n,a);return t.set(u,s),s}}function W(e){let[t=null]=e.opening.nodes,[n]=q(t);if(t===null||n===void 0)return[];let{id:a,isResolved:u,isOutdated:s,path:l}=e;return[{id:a,isResolved:u,resolvedBy:e.resolvedBy?.login,isOutdated:s,path:l,side:e.diffSide,line:e.line??void 0,startLine:e.startLine??void 0,originalLine:e.originalLine??void 0,hunk:t.diffHunk,first:n,thumbsUp:P(t.thumbsUp.nodes),thumbsDown:P(t.thumbsDown.nodes),replies:e.latest.nodes.flatMap(q).filter(c=>c.id!==n.id),repliesTotal:Math.max(0,e.latest.totalCount-1)}]}function q(e){let t=g(e?.url??"","discussion_r");if(e===null||t===void 0)return[];let{url:n,authorAssociation:a,viewerDidAuthor:u,body:s,createdAt:l,lastEditedAt:c}=e;return[{id:t,url:n,author:$(e.author),authorAssociation:a,isOurs:u,body:s,createdAt:l,editedAt:c??void 0,isEditedByOther:c!==null&&!J(e)}]}function J({author:e,editor:t}){return e!==null&&t!==null&&e.login===t.login}function P(e){return e.flatMap(t=>t?.user?.login??[])}export{K as a,p as b,D as c,te as d,G as e,se as f,V as g,de as h};
