import{Ab as m,Eb as s,Gb as d,Hb as n,Jb as w,Lb as r,pc as b,zb as c}from"./chunk-LCAF4TCP.js";var O=`query ($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(last: 50, before: $before) {
        nodes { url body state viewerDidAuthor commit { oid } }
        pageInfo { startCursor hasPreviousPage }
      }
    }
  }
}`,_=20,q=n({url:r(),body:r(),state:w(["APPROVED","CHANGES_REQUESTED","COMMENTED","DISMISSED","PENDING"]),viewerDidAuthor:m(),commit:s(n({oid:r()}))}),C=n({repository:n({pullRequest:n({reviews:n({nodes:c(s(q)),pageInfo:n({startCursor:s(r()),hasPreviousPage:m()})})})})});async function z(e,{repository:t,number:o,marker:u},a){let i=[],l=null;for(let v=0;v<_;v+=1){let p=await b(e,{query:O,variables:{owner:t.owner,name:t.name,number:o,before:l},schema:C,what:"the reviews",permission:"pull-requests: read"},a),{nodes:y,pageInfo:f}=p.repository.pullRequest.reviews;if(i.push(...y.flatMap(h=>P(h,u)).reverse()),l=f.startCursor,!f.hasPreviousPage||l===null)break}return i}function D(e,t){return e.split(`
`).some(o=>o.startsWith(t))}function g(e,t){let[,o]=new RegExp(`#${t}(\\d+)$`).exec(e)??[];return o===void 0?void 0:Number(o)}function P(e,t){let o=g(e?.url??"","pullrequestreview-");if(e===null||o===void 0||!e.viewerDidAuthor||!D(e.body,t))return[];let{url:u,state:a,body:i,commit:l}=e;return[{id:o,url:u,state:a,body:i,headSha:l?.oid}]}var M=`query ($owner: String!, $name: String!, $number: Int!) {
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
}`,I=n({url:r(),body:r(),viewerDidAuthor:m(),createdAt:r(),lastEditedAt:s(r()),isMinimized:m(),author:s(n({__typename:r(),login:r()}))}),x=n({repository:n({issueOrPullRequest:n({comments:n({totalCount:d(),nodes:c(s(I))})})})});async function X(e,{repository:t,number:o},u){let a=await b(e,{query:M,variables:{owner:t.owner,name:t.name,number:o},schema:x,what:"the comments",permission:"issues: read"},u),{totalCount:i,nodes:l}=a.repository.issueOrPullRequest.comments;return{comments:l.flatMap(T),older:Math.max(0,i-l.length)}}function T(e){let t=g(e?.url??"","issuecomment-");return e===null||t===void 0||e.isMinimized?[]:[{id:t,author:A(e.author),isOurs:e.viewerDidAuthor,body:e.body,changedAt:e.lastEditedAt??e.createdAt}]}function A(e){if(e===null)return{login:"ghost",isBot:!1};let t=e.__typename==="Bot";return{login:t?`${e.login.replace(/\[bot\]$/,"")}[bot]`:e.login,isBot:t}}var U=`query ($owner: String!, $name: String!, $number: Int!, $after: String) {
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
}`,E=n({url:r(),body:r(),viewerDidAuthor:m(),createdAt:r(),lastEditedAt:s(r()),authorAssociation:r(),author:s(n({__typename:r(),login:r()})),editor:s(n({__typename:r(),login:r()}))}),R=n({nodes:c(s(n({user:s(n({login:r()}))})))}),k=n({...E.entries,diffHunk:r(),thumbsUp:R,thumbsDown:R}),N=20,B=n({id:r(),isResolved:m(),resolvedBy:s(n({login:r()})),isOutdated:m(),path:r(),diffSide:w(["LEFT","RIGHT"]),line:s(d()),startLine:s(d()),originalLine:s(d()),opening:n({nodes:c(s(k))}),latest:n({totalCount:d(),nodes:c(s(E))})}),L=n({repository:n({pullRequest:n({headRefOid:r(),reviewThreads:n({nodes:c(s(B)),pageInfo:n({endCursor:s(r()),hasNextPage:m()})})})})});async function G(e,{repository:t,number:o},u){let a=[],i="",l=null;for(let v=0;v<N;v+=1){let p=await b(e,{query:U,variables:{owner:t.owner,name:t.name,number:o,after:l},schema:L,what:"the review threads",permission:"pull-requests: read"},u);i=p.repository.pullRequest.headRefOid;let{nodes:y,pageInfo:f}=p.repository.pullRequest.reviewThreads;if(a.push(...y.flatMap(h=>h===null?[]:H(h))),l=f.endCursor,!f.hasNextPage||l===null)return{head:i,threads:a,isComplete:!0}}return{head:i,threads:a,isComplete:!1}}function te(e){let t=new Map;return(o,u)=>{let a=`${o.repository.owner}/${o.repository.name}#${o.number}`,i=t.get(a)??G(e,o,u);return t.set(a,i),i}}function H(e){let[t=null]=e.opening.nodes,[o]=j(t);if(t===null||o===void 0)return[];let{id:u,isResolved:a,isOutdated:i,path:l}=e;return[{id:u,isResolved:a,resolvedBy:e.resolvedBy?.login,isOutdated:i,path:l,side:e.diffSide,line:e.line??void 0,startLine:e.startLine??void 0,originalLine:e.originalLine??void 0,hunk:t.diffHunk,first:o,thumbsUp:$(t.thumbsUp.nodes),thumbsDown:$(t.thumbsDown.nodes),replies:e.latest.nodes.flatMap(j).filter(v=>v.id!==o.id),repliesTotal:Math.max(0,e.latest.totalCount-1)}]}function j(e){let t=g(e?.url??"","discussion_r");if(e===null||t===void 0)return[];let{url:o,authorAssociation:u,viewerDidAuthor:a,body:i,createdAt:l,lastEditedAt:v}=e;return[{id:t,url:o,author:A(e.author),authorAssociation:u,isOurs:a,body:i,createdAt:l,editedAt:v??void 0,isEditedByOther:v!==null&&!Q(e)}]}function Q({author:e,editor:t}){return e!==null&&t!==null&&e.login===t.login}function $(e){return e.flatMap(t=>t?.user?.login??[])}export{z as a,D as b,X as c,G as d,te as e};
