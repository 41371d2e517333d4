const ye=763,ge=[763],be={2368:((D,T,a)=>{a.d(T,{P:()=>N,m:()=>E});var v=a(1455),g=a(6760);async function E(b){for(let h=b;;h=(0,g.dirname)(h)){if(await(0,v.stat)((0,g.join)(h,".git")).catch(()=>{})!==void 0)return h;if((0,g.dirname)(h)===h)return}}async function N(b,h){const d=await(0,v.readFile)((0,g.join)(b,".git","config"),"utf8").catch(()=>""),[,m=""]=/^\[remote "origin"\]\n((?:[\t ].*\n?)*)/m.exec(d)??[],[,k=""]=/^\s*url\s*=\s*(.*)$/m.exec(m)??[],O=URL.canParse(h)?new URL(h).host:"github.com",x=k.indexOf(O),[,_,$]=/^[:/]([A-Za-z0-9-]+)\/([A-Za-z0-9._-]+?)(?:\.git)?\/?$/.exec(k.slice(x+O.length))??[];return x<0||_===void 0||$===void 0?void 0:{owner:_,name:$}}}),5763:((D,T,a)=>{a.r(T),a.d(T,{initCommand:()=>ce});var v=a(6760),g=a(6953),E=a(6584),N=a(2368),b=a(308),h=a(1244),d=a(9752);const m={"workflows/review.yml":`# Reviews the pull requests of a repository whose people push branches to it: comments on lines, and what was said once is
# not said again. Needs no checkout: the agent comes from the base branch, the change from the API. Comments below a pull
# request command it: \`/axe help\` lists how. For pull requests from forks see public.yml; \`/axe review\` by somebody with
# write access runs it on one here too.
name: review
on:
  pull_request:
  issue_comment:
    types: [created]
  pull_request_review_comment: # \`/axe dismiss\` and the like, in the conversation of a finding
    types: [created]
permissions:
  actions: read # logs of checks that failed
  checks: read
  contents: write # the branch that memory is kept on
  issues: read # linked issues and the conversation
  pull-requests: write # the review
  statuses: read
jobs:
  review:
    # No runner where the run would be skipped: GitHub gives forks no secrets, and bots start nothing.
    if: >-
      github.event.sender.type != 'Bot' && (
        github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository ||
        github.event_name == 'issue_comment' && github.event.issue.pull_request && contains(github.event.comment.body, '/axe') ||
        github.event_name == 'pull_request_review_comment' && contains(github.event.comment.body, '/axe') &&
        github.event.pull_request.head.repo.full_name == github.repository
      )
    # In the job, so that one that is skipped waits for nothing and takes nobody's place. Whoever waits gives way to a
    # newer push; whoever runs ends, and remembers. A command gives way to nothing.
    concurrency:
      group: review-\${{ github.event.comment.id || github.event.pull_request.number }}
      cancel-in-progress: false
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: org/axe-action@v1
        with:
          agent: builtin/pr-reviewer
          trigger-phrase: /axe
          fallback-models: openai/gpt-4.1
          memory-store: repo
          max-tokens: 300000
          max-cost-usd-per-pr: 5
        env:
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
          OPENAI_API_KEY: \${{ secrets.OPENAI_API_KEY }}
`,"workflows/public.yml":`# Reviews the pull requests of a public repository, those from forks when somebody with write access sets the label
# \`review\`. \`pull_request_target\` runs with secrets, so there is no checkout here and must never be one of the pull
# request's head: agent and context files come from the base branch, the fork's commits are read through the API.
# Comments below a pull request command it, and on the lines of one that is no fork's: \`/axe help\` lists how. They run with
# secrets too, and only for people with write access: a stranger's ends skipped.
name: public
on:
  pull_request_target:
    types: [opened, synchronize, reopened, labeled]
  issue_comment:
    types: [created]
  pull_request_review_comment:
    types: [created]
permissions:
  actions: read
  checks: read
  contents: write # the branch that memory is kept on; a fork's run writes only to its quarantine
  issues: read
  pull-requests: write
  statuses: read
jobs:
  review:
    # Branches of this repository on every push, forks on the label alone. Whether whoever set it, or wrote a command, may
    # write is asked by the action: the event does not say it.
    if: >-
      github.event.sender.type != 'Bot' && (
        github.event_name == 'pull_request_target' && (
          github.event.pull_request.head.repo.full_name == github.repository && github.event.action != 'labeled' ||
          github.event.pull_request.head.repo.full_name != github.repository && github.event.action == 'labeled' &&
          github.event.label.name == 'review'
        ) ||
        github.event_name == 'issue_comment' && github.event.issue.pull_request && contains(github.event.comment.body, '/axe') ||
        github.event_name == 'pull_request_review_comment' && contains(github.event.comment.body, '/axe') &&
        github.event.pull_request.head.repo.full_name == github.repository
      )
    # A command gives way to nothing.
    concurrency:
      group: public-\${{ github.event.comment.id || github.event.pull_request.number }}
      cancel-in-progress: false
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: org/axe-action@v1
        with:
          agent: builtin/pr-reviewer
          trigger-phrase: /axe
          memory-store: repo
          max-tokens: 300000
          max-cost-usd-per-day: 20
        env:
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
`,"workflows/mention.yml":`# Answers comments that say \`@axe\`, on issues, on pull requests and on lines of them; the rest of the comment is the task.
# A comment of somebody with write access runs it on a fork's pull request too. \`/axe forget\` and the like, for the memory
# of this agent, work below an issue; below a pull request they are the reviewer's (review.yml).
name: mention
on:
  issue_comment:
    types: [created]
  pull_request_review_comment:
    types: [created]
permissions:
  actions: read
  checks: read
  contents: write # the branch that memory is kept on
  issues: write # the answer, and the reaction to the comment
  pull-requests: write
  statuses: read
jobs:
  answer:
    # On a comment on a line of a fork's pull request GitHub hands out no secrets; in the conversation below it does.
    # \`author_association\` is not asked: it calls a member of the organisation who hides it a contributor.
    if: >-
      github.event.sender.type != 'Bot' &&
      (contains(github.event.comment.body, '@axe') ||
        contains(github.event.comment.body, '/axe') && github.event.issue && !github.event.issue.pull_request) &&
      (github.event_name == 'issue_comment' || github.event.pull_request.head.repo.full_name == github.repository)
    # Every mention is answered, one after the other: \`queue: max\` keeps up to a hundred of them waiting.
    concurrency:
      group: mention-\${{ github.event.issue.number || github.event.pull_request.number }}
      queue: max
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: org/axe-action@v1
        with:
          agent: builtin/ask
          trigger-phrase: '@axe'
          memory-store: repo
          max-tokens: 300000
          max-cost-usd-per-day: 10
        env:
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
`,"workflows/triage.yml":`# Sorts new issues, whoever opens them: sets labels out of a list and says in the job summary what is missing. The text is
# a stranger's, so the run is untrusted: it reads, and of labels it can set only those that are named here. What runs cost
# is bounded, since anybody can open issues.
name: triage
on:
  issues:
    types: [opened]
permissions:
  contents: write # the branch that memory is kept on
  issues: write # the labels
jobs:
  triage:
    if: github.event.sender.type != 'Bot'
    concurrency:
      group: triage-\${{ github.event.issue.number }}
      cancel-in-progress: false
    runs-on: ubuntu-latest
    timeout-minutes: 10
    steps:
      - uses: org/axe-action@v1
        with:
          agent: builtin/triage
          min-permission: none
          labels-allowed: bug, enhancement, documentation, question, duplicate
          memory-store: repo
          max-tokens: 60000
          max-cost-usd-per-day: 2
        env:
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
`,"workflows/nightly.yml":`# Reports every night in one issue that is kept up to date, and remembers the reports before on a branch. The agent has its
# files from the checkout; what it says goes into the issue when it has ended.
name: nightly
on:
  schedule:
    - cron: '23 3 * * *'
  workflow_dispatch:
permissions:
  contents: write # the branch that memory is kept on
  issues: write # the report
concurrency:
  group: nightly
  cancel-in-progress: false
jobs:
  report:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - uses: actions/checkout@08c6903cd8c0fde910a37f88322edcfb5dd907a8 # v5.0.0
        with:
          persist-credentials: false
      - uses: org/axe-action@v1
        with:
          agent: reporter
          memory-store: repo
          report-to: issue
          max-cost-usd: 0.50
        env:
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
`,"workflows/copilot.yml":`# Experimental: a model of GitHub Copilot, with no key to create or store. \`copilot-requests: write\` lets the job's own token
# ask it, and whoever owns the repository pays in AI credits. The SDK is installed outside of the workspace.
# docs/copilot.md says what was tested.
name: copilot
on: pull_request
permissions:
  actions: read
  checks: read
  contents: write # the branch that memory is kept on
  copilot-requests: write # the model
  issues: read
  pull-requests: write
  statuses: read
jobs:
  review:
    # Forks and Dependabot get a token that cannot ask Copilot.
    if: github.event.pull_request.head.repo.full_name == github.repository && github.event.sender.type != 'Bot'
    concurrency:
      group: copilot-\${{ github.event.pull_request.number }}
      cancel-in-progress: false
    runs-on: ubuntu-latest
    timeout-minutes: 20
    steps:
      - run: npm install --prefix "$RUNNER_TEMP/copilot" --ignore-scripts --no-save @github/copilot-sdk@1.0.14
      - uses: org/axe-action@v1
        with:
          agent: builtin/pr-reviewer
          model: copilot/gpt-5-mini
          memory-store: repo
          max-tokens: 300000
          max-cost-usd: 1
        env:
          AXE_COPILOT_SDK: \${{ runner.temp }}/copilot
`,"agents/reporter.toml":`# A scheduled report that remembers the last ones, with everything that keeps a run in bounds.
name = "reporter"
description = "Says once a week what has changed and what is stuck"
model = "anthropic/claude-sonnet-4-5"
tools = ["read_file", "search_files"]
timeout = 300
system_prompt = """
Write a short report on the state of the repository: open TODO and FIXME comments, and what has changed in them.
Your memory holds the earlier reports. Say what is new, what was settled, and what has been open for several reports.
"""

[memory]
enabled = true
last_n = 4
max_entries = 60

[budget]
max_tokens = 150000    # input and output, sub-agents included

[retry]
max_retries = 4
backoff = "exponential"
initial_delay_ms = 1000
max_delay_ms = 20000
`},k=["branch","cache"];function O({job:e,model:t,uses:o}){const s=e.agentText.replace(/^#[^\n]*\n/,""),n=f(s,/^name = .*$/m,`name = ${JSON.stringify(e.agent)}`),r=f(n,/^model = .*$/m,()=>`model = ${JSON.stringify(t)}`),l=f(r,/^tools = .*$/m,i=>`${i}
skill = "${e.skill}"`);return`#:schema ${(0,d.aP)(o)}
${l}`}function x(e){const{job:t,uses:o,memory:s}=e,n=[...t.head,"Written by `axe-action init`; it is yours to change."],r=t.workflow.replace(/^(?:#[^\n]*\n)+/,""),{before:l,step:i}=B(r),u=s==="branch"?l:f(l,_,"  contents: read");return[...n.map(p=>`# ${p}
`),...e.access.kind==="copilot"?X(u):[u],`      - uses: ${o}
`,G(i,e)].join("")}const _=/^ {2}contents: write\b.*$/m,$=`      - uses: ${d.AX}
`;function B(e){const t=e.indexOf($);if(t<0)throw new Error(`the example does not use ${d.AX}`);return{before:e.slice(0,t),step:e.slice(t+$.length)}}function G(e,{job:t,model:o,namesModel:s,memory:n,access:r}){const i=e.replace(/^ {8}env:\n(?: {10}.*\n)*/m,"").replace(/^ {10}fallback-models: .*\n/m,""),u=f(i,/^ {10}agent: .*$/m,`          agent: ${t.agent}`),p=s?f(u,/^ {10}agent: .*$/m,I=>`${I}
          model: ${o}`):u;return`${f(p,/^ {10}memory-store: .*$/m,`          memory-store: ${n==="branch"?"repo":"cache"}`)}${F(r)}`}function F(e){switch(e.kind){case"key":return`        env:
          ${e.variable}: \${{ secrets.${e.variable} }}
`;case"copilot":return`        env:
${j(/^ {10}AXE_COPILOT_SDK: .*$/m)}
`;case"offline":return""}}function X(e){const t=j(/^ {2}copilot-requests: .*$/m);return[f(e,/^ {2}contents: .*$/m,s=>`${s}
${t}`),`${j(/^ {6}- run: npm install .*$/m)}
`]}function j(e){const[t]=e.exec(m["workflows/copilot.yml"])??[];if(t===void 0)throw new Error(`the example of Copilot has no line ${e}`);return t}function f(e,t,o){if(!t.test(e))throw new Error(`there is no line ${t} to replace`);return e.replace(t,s=>typeof o=="string"?o:o(s))}function J(e){const[,t=""]=/^permissions:\n((?: {2}.*\n)*)/m.exec(e)??[];return[...t.matchAll(/^ {2}([\w-]+): (\w+)/gm)].map(([,o="",s=""])=>({scope:o,level:s}))}var z=a(5193);const A={review:`---
name: review
description: What matters in reviews of this repository
---

# What matters in this repository

These rules come on top of the reviewer's own. Replace them with yours: one line each, with an example where a rule is not
obvious. Delete what does not apply.

- A change of behaviour that users see is named in the changelog.
- A public interface stays compatible within a major version.
- Errors say what happened, where, and what to do about it.
- Code that was generated is not reviewed.
`,answers:`---
name: answers
description: How questions about this repository are answered
---

# How to answer here

Replace these rules with yours, and delete what does not apply.

- Start with the documentation: \`README.md\`, \`CONTRIBUTING.md\` and \`docs/\`.
- Link to a file and line instead of copying long code.
- If the answer depends on a version, say which.
`,triage:`---
name: triage
description: How new issues are sorted in this repository
---

# How issues are sorted here

Replace these rules with yours. The labels that can be set are in \`labels-allowed\` of the workflow.

- \`bug\`: something does not do what the documentation says.
- \`enhancement\`: a wish for something new.
- \`documentation\`: the text is wrong or missing; the program is right.
- \`question\`: somebody needs help.
- \`duplicate\`: only with the number of the other issue.
`,report:`---
name: report
description: What the report of this repository contains
---

# What belongs in the report

Replace these rules with yours, and delete what does not apply.

1. What is new since the last report.
2. What was finished.
3. What has been open for several reports, the oldest first.

At most ten lines. If nothing changed, one sentence is enough.
`},S=["review","review-forks","mention","triage","report"],K=[{id:"review",about:"Review pull requests from branches of this repository",file:"axe-review",workflow:m["workflows/review.yml"],agent:"reviewer",agentText:P("builtin/pr-reviewer"),skill:"review",skillText:A.review,head:["Reviews pull requests from branches of this repository: comments on lines, and what was said once is not said again.","The agent comes from the base branch, so nothing is checked out. `/axe help` below a pull request lists its commands."],tryIt:"Open a pull request. The review appears on its lines."},{id:"review-forks",about:"Review pull requests of a public repository, from forks when somebody sets the label `review`",file:"axe-review",workflow:m["workflows/public.yml"],agent:"reviewer",agentText:P("builtin/pr-reviewer"),skill:"review",skillText:A.review,head:["Reviews the pull requests of a public repository, those from forks when somebody with write access sets the label","`review`. `pull_request_target` runs with secrets: never add a checkout of the head of a pull request to this workflow."],tryIt:"Create the label `review`, then open a pull request. The review appears on its lines."},{id:"mention",about:"Answer comments that say `@axe`",file:"axe-mention",workflow:m["workflows/mention.yml"],agent:"assistant",agentText:P("builtin/ask"),skill:"answers",skillText:A.answers,head:["Answers comments that say `@axe`, on issues, on pull requests and on lines of them. The rest of the comment is the task.","Only comments by people with write access are answered."],tryIt:"Write `@axe what does this repository do?` below an issue."},{id:"triage",about:"Sort new issues and set labels",file:"axe-triage",workflow:m["workflows/triage.yml"],agent:"triage",agentText:P("builtin/triage"),skill:"triage",skillText:A.triage,head:["Sorts new issues, no matter who opens them: sets labels from the list below and says in the job summary what is","missing. Anybody can open issues, so the agent can only read, and set these labels. `max-cost-usd-per-day` is the limit."],tryIt:"Open an issue. Its labels appear within a minute, the rest is in the job summary."},{id:"report",about:"Report every night in one issue that is kept up to date",file:"axe-report",workflow:m["workflows/nightly.yml"],agent:"reporter",agentText:m["agents/reporter.toml"],skill:"report",skillText:A.report,head:["Reports every night in one issue that is kept up to date, and remembers the reports before. The agent reads the files","of the checkout."],tryIt:"Start it by hand: Actions \u2192 nightly \u2192 Run workflow. The report is a new issue."}];function H(e){const t=K.find(o=>o.id===e);if(t===void 0)throw new Error(`there is no job ${e}`);return t}function P(e){const t=(0,z.g2)(e);if(t===void 0)throw new Error(`there is no agent ${e}`);return t.toml}function U(e,t){const{workflow:o,isNewWorkflow:s}=t;if(!s)return["",`${o} was not changed. Check that its step has \`agent: ${e.job.agent}\`.`];const n=J(x(e)).map(({scope:l,level:i})=>`${l}: ${i}`),r=[...Z(e,t)].map((l,i)=>{const[u="",...p]=l.split(`
`);return[`  ${i+1}. ${u}`,...p.map(y=>`     ${y}`)].join(`
`)});return["","The workflow gives its token these permissions, so no setting of the repository has to change:",`  ${n.join(", ")}`,V(e),"","Next steps:",...r,"","`axe-action doctor` checks agents and keys, `axe-action doctor --online` also the token and the repository."]}function V({memory:e}){return e==="branch"?"Memory is kept on the branch `axe-memory`, which the first run creates.":"Memory is kept in the Actions cache. GitHub deletes a cache that was not used for 7 days."}function*Z(e,{newSkill:t}){const{access:o,uses:s,job:n}=e;switch(s===d.AX&&(yield`Replace \`${s}\` in the workflow with the address of the action that you use (or write it with \`--uses\`).`),o.kind){case"key":yield`Create the secret ${o.variable}: \`gh secret set ${o.variable}\`,
or on GitHub: Settings \u2192 Secrets and variables \u2192 Actions \u2192 New repository secret.`;break;case"copilot":yield`No key is needed. In an organization, the policy "Allow use of Copilot CLI billed to the organization" must be on.
Experimental: docs/copilot.md says what was tested.`;break;case"offline":yield"No key is needed: fixed rules answer instead of a model. Change `model` in the agent when you have seen it work.";break}t!==void 0&&(yield`Replace the rules in ${t} with those of your project.`),yield"Commit the files and push them to the default branch; from there the agent is loaded.",yield n.tryIt}var Q=a(6344),ee=a(712),W=a(4782),M=a(6523),te=a(2693),q=a(5809),oe=a(525),se=a(6804),R=a(3828),ne=a(2529),re=a(481),c=a(2832);function ie({stdin:e,stdout:t}){return e.isTTY===!0&&t.isTTY===!0}function ae(e){const t=(0,re.createInterface)({input:e.stdin,terminal:!1}),o=t[Symbol.asyncIterator]();return{async ask(s){for(le(s,e);;){e.stdout.write("> ");const n=await o.next();if(n.done===!0)throw(0,c.yy)(e,""),new R.fw("the question was not answered",{remedy:"Nothing was written."});const r=ue(n.value.trim(),s);if(r!==void 0)return r;(0,c.yy)(e,`Type a number from 1 to ${s.answers.length}.`)}},close:()=>t.close()}}function le({text:e,answers:t,other:o},s){const n=Math.max(...t.map(({value:r})=>r.length));(0,c.yy)(s,`
${e}`);for(const[r,{value:l,about:i}]of t.entries()){const u=r===0?" (default)":"";(0,c.yy)(s,`  ${r+1}  ${l.padEnd(n)}  ${i}${u}`)}o!==void 0&&(0,c.yy)(s,`     ${o}`)}function ue(e,{answers:t,other:o}){if(e==="")return t[0]?.value;const s=t[Number(e)-1]??t.find(({value:n})=>n===e);return s!==void 0?s.value:o!==void 0&&!/^\d+$/.test(e)?e:void 0}const Y=[{value:"anthropic/claude-sonnet-5-5",about:"Anthropic; needs the secret ANTHROPIC_API_KEY"},{value:"openai/gpt-6.1-sol",about:"OpenAI; needs the secret OPENAI_API_KEY"},{value:"google/gemini-3.1-pro",about:"Google; needs the secret GEMINI_API_KEY"},{value:"copilot/gpt-5-mini",about:"GitHub Copilot; no key, the job's own token (experimental)"},{value:"offline/rules",about:"Fixed rules instead of a model; no key, no cost, to try it"}],he=[{value:"branch",about:"On the branch `axe-memory` of this repository; lasts"},{value:"cache",about:"In the Actions cache; GitHub deletes what is not used for 7 days"}];async function ce(e,t){(0,ne.Jx)(e,0);const o=me(e),s=await de(e,t),n=await(0,N.m)(t.cwd)??t.cwd,{job:r,model:l}=s,i=await pe(n,r),u={...s,uses:o,access:C(l),namesModel:i!==void 0&&i!==l};return await we({choice:u,root:n,hasAgent:i!==void 0},t)}async function de(e,t){const o={job:L(e,"job",S),model:e.string("model"),memory:L(e,"memory",k)};if(o.model!==""&&C(o.model),e.bool("yes")||!ie(t))return{job:H(o.job??"review"),model:o.model||Y[0].value,memory:o.memory??"branch"};const s=ae(t);try{const n=K.map(({id:p,about:y})=>({value:p,about:y})),r=o.job??(0,q.FV)(S,await s.ask({text:"What should it do?",answers:n})),i=o.model||await s.ask({text:"Which model should it ask?",answers:Y,other:"or type another one, as provider/model"});C(i);const u=o.memory??(0,q.FV)(k,await s.ask({text:"Where should it remember?",answers:he}));return(0,c.yy)(t,""),{job:H(r??"review"),model:i,memory:u??"branch"}}finally{s.close()}}function L(e,t,o){const s=e.string(t);if(s==="")return;const n=(0,q.FV)(o,s);if(n!==void 0)return n;throw new R.fw(`invalid argument ${JSON.stringify(s)} for "--${t}" flag`,{remedy:`Give one of ${o.map(r=>`\`${r}\``).join(", ")}.`})}function me(e){const t=e.string("uses")||d.AX;if((0,d.qd)(t)!==void 0)return t;throw new R.fw(`invalid argument ${JSON.stringify(t)} for "--uses" flag`,{remedy:`Write it as in a workflow, \`owner/name@ref\`, for example \`${d.AX}\`.`})}function C(e){const t=(0,se.qV)(e),{access:o,needsKey:s,keyVariable:n,id:r}=(0,b.lh)(t);if(o==="copilot"||o==="offline")return{kind:o};if(o==="direct"&&s)return{kind:"key",variable:n};const l=[...b.nT.map(i=>i.id),"copilot","offline"];throw new R.fw(`init cannot write a workflow for models of \`${r}\`, which need more settings than a key`,{remedy:`It can for ${l.map(i=>`\`${i}\``).join(", ")}. Choose one of these, then change the workflow; \`examples/workflows/keyless.yml\` shows Bedrock, Vertex AI and Azure.`})}async function pe(e,{agent:t}){for(const o of M.aM){const s=(0,v.join)(e,o,`${t}.toml`),n=await(0,E.RG)(s);if(n!==void 0)return(0,oe.A)(n,{name:t,file:s}).raw?.model??""}}async function we({choice:e,root:t,hasAgent:o},s){const{job:n}=e,r={path:`.github/workflows/${n.file}.yml`,content:x(e)},l={path:`axe/agents/${n.agent}.toml`,content:O(e)},i={path:`axe/skills/${n.skill}/SKILL.md`,content:n.skillText},u=o?[r]:[r,l,i];t!==s.cwd&&(0,c.yy)(s,`In the repository ${t}:`);const p=await(0,E.y3)(t,u),y=w=>p.includes((0,v.join)(t,w));for(const{path:w}of[r,l,...o?[]:[i]])(0,c.yy)(s,y(w)?`wrote  ${w}`:`kept   ${w}, which exists already`);const I=await(0,ee.y)({names:[n.agent],outputSchema:"",isFolderNamed:!1},{source:(0,g.r)({where:"this repository",dirs:M.aM,cwd:t,followsLinks:!0}),modelProblem:w=>(0,h.h)(w,{env:s.env,config:{}}),checkSchema:te.K});if((0,W.$z)(I).length>0&&((0,c.yy)(s,`
${(0,Q.HJ)(I).join(`
`)}`),!(0,W.fn)(I)))return 2;const fe=U(e,{workflow:r.path,isNewWorkflow:y(r.path),newSkill:y(i.path)?i.path:void 0});for(const w of fe)(0,c.yy)(s,w);return 0}})};export{ye as id,ge as ids,be as modules};
