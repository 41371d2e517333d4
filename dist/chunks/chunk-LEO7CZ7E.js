import{Ob as b,Ya as v,Za as m,bb as s,db as d,eb as n,gb as w,ib as r}from"./chunk-B63CLKIA.js";var D=`query ($owner: String!, $name: String!, $number: Int!, $before: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      reviews(last: 50, before: $before) {
        nodes { url body state viewerDidAuthor commit { oid } }
        pageInfo { startCursor hasPreviousPage }
      }
    }
  }
}`,q=20,C=n({url:r(),body:r(),state:w(["APPROVED","CHANGES_REQUESTED","COMMENTED","DISMISSED","PENDING"]),viewerDidAuthor:m(),commit:s(n({oid:r()}))}),P=n({repository:n({pullRequest:n({reviews:n({nodes:v(s(C)),pageInfo:n({startCursor:s(r()),hasPreviousPage:m()})})})})});async function Y(e,{repository:t,number:o,marker:u},a){let i=[],l=null;for(let c=0;c<q;c+=1){let g=await b(e,{query:D,variables:{owner:t.owner,name:t.name,number:o,before:l},schema:P,what:"the reviews",permission:"pull-requests: read"},a),{nodes:y,pageInfo:f}=g.repository.pullRequest.reviews;if(i.push(...y.flatMap(h=>x(h,u)).reverse()),l=f.startCursor,!f.hasPreviousPage||l===null)break}return i}function M(e,t){return e.split(`
`).some(o=>o.startsWith(t))}function p(e,t){let[,o]=new RegExp(`#${t}(\\d+)$`).exec(e)??[];return o===void 0?void 0:Number(o)}function x(e,t){let o=p(e?.url??"","pullrequestreview-");if(e===null||o===void 0||!e.viewerDidAuthor||!M(e.body,t))return[];let{url:u,state:a,body:i,commit:l}=e;return[{id:o,url:u,state:a,body:i,headSha:l?.oid}]}var I=`query ($owner: String!, $name: String!, $number: Int!) {
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
}`,T=n({url:r(),body:r(),viewerDidAuthor:m(),createdAt:r(),lastEditedAt:s(r()),isMinimized:m(),author:s(n({__typename:r(),login:r()}))}),U=n({repository:n({issueOrPullRequest:n({comments:n({totalCount:d(),nodes:v(s(T))})})})});async function X(e,{repository:t,number:o},u){let a=await b(e,{query:I,variables:{owner:t.owner,name:t.name,number:o},schema:U,what:"the comments",permission:"issues: read"},u),{totalCount:i,nodes:l}=a.repository.issueOrPullRequest.comments;return{comments:l.flatMap(k),older:Math.max(0,i-l.length)}}function k(e){let t=p(e?.url??"","issuecomment-");return e===null||t===void 0||e.isMinimized?[]:[{id:t,author:A(e.author),isOurs:e.viewerDidAuthor,body:e.body,changedAt:e.lastEditedAt??e.createdAt}]}function A(e){if(e===null)return{login:"ghost",isBot:!1};let t=e.__typename==="Bot";return{login:t?`${e.login.replace(/\[bot\]$/,"")}[bot]`:e.login,isBot:t}}var E=`query ($owner: String!, $name: String!, $number: Int!, $after: String) {
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
}`,R=n({url:r(),body:r(),viewerDidAuthor:m(),createdAt:r(),lastEditedAt:s(r()),authorAssociation:r(),author:s(n({__typename:r(),login:r()})),editor:s(n({__typename:r(),login:r()}))}),j=n({nodes:v(s(n({user:s(n({login:r()}))})))}),$=n({...R.entries,diffHunk:r(),thumbsUp:j,thumbsDown:j});var N=20,B=n({id:r(),isResolved:m(),resolvedBy:s(n({login:r()})),isOutdated:m(),path:r(),diffSide:w(["LEFT","RIGHT"]),line:s(d()),startLine:s(d()),originalLine:s(d()),opening:n({nodes:v(s($))}),latest:n({totalCount:d(),nodes:v(s(R))})}),L=n({repository:n({pullRequest:n({headRefOid:r(),reviewThreads:n({nodes:v(s(B)),pageInfo:n({endCursor:s(r()),hasNextPage:m()})})})})});async function H(e,{repository:t,number:o},u){let a=[],i="",l=null;for(let c=0;c<N;c+=1){let g=await b(e,{query:E,variables:{owner:t.owner,name:t.name,number:o,after:l},schema:L,what:"the review threads",permission:"pull-requests: read"},u);i=g.repository.pullRequest.headRefOid;let{nodes:y,pageInfo:f}=g.repository.pullRequest.reviewThreads;if(a.push(...y.flatMap(h=>h===null?[]:G(h))),l=f.endCursor,!f.hasNextPage||l===null)return{head:i,threads:a,isComplete:!0}}return{head:i,threads:a,isComplete:!1}}function re(e){let t=new Map;return(o,u)=>{let a=`${o.repository.owner}/${o.repository.name}#${o.number}`,i=t.get(a)??H(e,o,u);return t.set(a,i),i}}function G(e){let[t=null]=e.opening.nodes,[o]=_(t);if(t===null||o===void 0)return[];let{id:u,isResolved:a,isOutdated:i,path:l}=e;return[{id:u,isResolved:a,resolvedBy:e.resolvedBy?.login,isOutdated:i,path:l,side:e.diffSide,line:e.line??void 0,startLine:e.startLine??void 0,originalLine:e.originalLine??void 0,hunk:t.diffHunk,first:o,thumbsUp:O(t.thumbsUp.nodes),thumbsDown:O(t.thumbsDown.nodes),replies:e.latest.nodes.flatMap(_).filter(c=>c.id!==o.id),repliesTotal:Math.max(0,e.latest.totalCount-1)}]}function _(e){let t=p(e?.url??"","discussion_r");if(e===null||t===void 0)return[];let{url:o,authorAssociation:u,viewerDidAuthor:a,body:i,createdAt:l,lastEditedAt:c}=e;return[{id:t,url:o,author:A(e.author),authorAssociation:u,isOurs:a,body:i,createdAt:l,editedAt:c??void 0,isEditedByOther:c!==null&&!Q(e)}]}function Q({author:e,editor:t}){return e!==null&&t!==null&&e.login===t.login}function O(e){return e.flatMap(t=>t?.user?.login??[])}export{Y as a,M as b,X as c,H as d,re as e};
