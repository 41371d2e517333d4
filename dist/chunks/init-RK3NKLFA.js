import{a as V}from"./chunk-B3O36XXQ.js";import{a as G,b as F,c as J}from"./chunk-ZCEJ63SW.js";import{e as X,n as U}from"./chunk-MICOTTJQ.js";import"./chunk-HLU4PC6D.js";import"./chunk-Z2ZPEEVG.js";import"./chunk-ET3YFARI.js";import"./chunk-HATULFQV.js";import"./chunk-NRWGX45D.js";import"./chunk-26L5PAY3.js";import"./chunk-THVTRWTA.js";import"./chunk-EFQ6KXGN.js";import"./chunk-32PMUBSO.js";import"./chunk-BV5E6E3C.js";import{a as D,b as W,c as B}from"./chunk-E4OG463N.js";import{Qa as R,Ra as N,Ua as f,Va as C,Vg as L,Wa as j,Xa as H,Xd as _,ec as K,gb as Y,hc as M,k as O,l as S,nb as g,z as P}from"./chunk-LCAF4TCP.js";import{h as p}from"./chunk-CMXODHNB.js";import{c as w,j as q}from"./chunk-BMN4NZGS.js";import"./chunk-NQLTWQND.js";import"./chunk-E6NTAJIE.js";import"./chunk-MYN2RQWK.js";import{join as re}from"node:path";import{createInterface as ce}from"node:readline";var c={"workflows/review.yml":`# Reviews pull requests from branches of this repository: comments on lines, and nothing is raised twice. Needs no
# checkout: the agent comes from the base branch, the change from the API. Comments on a pull request can command it:
# \`/axe help\` lists how. For pull requests from forks see public.yml. \`/axe review\` by somebody with write access
# reviews one here too.
name: review
on:
  pull_request:
  issue_comment:
    types: [created]
  pull_request_review_comment: # \`/axe dismiss\` and others, as a reply to a finding
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
    # No runner is started for events that would be skipped: forks get no secrets, and bots cannot start a run.
    if: >-
      github.event.sender.type != 'Bot' && (
        github.event_name == 'pull_request' && github.event.pull_request.head.repo.full_name == github.repository ||
        github.event_name == 'issue_comment' && github.event.issue.pull_request && contains(github.event.comment.body, '/axe') ||
        github.event_name == 'pull_request_review_comment' && contains(github.event.comment.body, '/axe') &&
        github.event.pull_request.head.repo.full_name == github.repository
      )
    # Set on the job, so that a skipped job neither waits nor replaces another. A newer push replaces a review that waits;
    # one that runs finishes and is remembered. Commands are never replaced.
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
`,"workflows/public.yml":`# Reviews the pull requests of a public repository. Those from forks are reviewed when somebody with write access adds
# the label \`review\`. \`pull_request_target\` runs with secrets, so never check out the head of the pull request here. The
# agent and its context files come from the base branch, and the fork's commits are read through the API. Comments such
# as \`/axe help\` command the review, and only people with write access can use them. On lines of a fork's pull request
# they do not work.
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
    # Branches of this repository run on every push, forks only on the label. The action asks GitHub whether the person who
    # set it, or who wrote a command, has write access: the event does not say it.
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
    # Commands are never replaced.
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
`,"workflows/mention.yml":`# Answers comments that contain \`@axe\`, on issues, on pull requests and on their lines. The rest of the comment is the
# task. A comment by somebody with write access starts it on a fork's pull request too. Commands such as \`/axe forget\`
# reach this agent's memory from issues. On pull requests they reach the reviewer's memory (review.yml).
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
    # Comments on lines of a fork's pull request get no secrets; comments in its conversation do. \`author_association\` is
    # not used, because it calls members who hide their membership contributors.
    if: >-
      github.event.sender.type != 'Bot' &&
      (contains(github.event.comment.body, '@axe') ||
        contains(github.event.comment.body, '/axe') && github.event.issue && !github.event.issue.pull_request) &&
      (github.event_name == 'issue_comment' || github.event.pull_request.head.repo.full_name == github.repository)
    # Every mention is answered, one after the other: \`queue: max\` lets up to 100 of them wait.
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
`,"workflows/triage.yml":`# Sorts new issues by anyone: sets labels from a list, and says in the job summary what is missing. Strangers wrote the
# text, so the run is untrusted: it reads, and can set only the labels that are named here. Its cost is limited, because
# anybody can open issues.
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
`,"workflows/nightly.yml":`# Reports every night in one issue, which each run updates, and remembers earlier reports on a branch. The agent reads
# files of the checkout. Its answer becomes the text of the issue.
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
`,"workflows/copilot.yml":`# Experimental: uses a model of GitHub Copilot, without a key to create or store. \`copilot-requests: write\` lets the
# job's own token ask it, and the owner of the repository pays in AI credits. The SDK is installed outside the
# workspace. docs/copilot.md lists what was tested.
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
`,"agents/reporter.toml":`# A scheduled report that remembers the last ones, with every limit that a run can have.
name = "reporter"
description = "Says once a week what has changed and what is stuck"
model = "anthropic/claude-sonnet-5-5"
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
`};var $=["branch","cache"];function Q({job:e,model:t,uses:o}){let r=e.agentText.replace(/^#[^\n]*\n/,""),i=h(r,/^name = .*$/m,`name = ${JSON.stringify(e.agent)}`),s=h(i,/^model = .*$/m,()=>`model = ${JSON.stringify(t)}`),a=h(s,/^tools = .*$/m,n=>`${n}
skill = "${e.skill}"`);return`#:schema ${j(o)}
${a}`}function v(e){let{job:t,uses:o,memory:r}=e,i=[...t.head,"Written by `axe-action init`; it is yours to change."],s=t.workflow.replace(/^(?:#[^\n]*\n)+/,""),{before:a,step:n}=ne(s),m=r==="branch"?a:h(a,se,"  contents: read");return[...i.map(l=>`# ${l}
`),...e.access.kind==="copilot"?pe(m):[m],`      - uses: ${o}
`,ae(n,e)].join("")}var se=/^ {2}contents: write\b.*$/m,z=`      - uses: ${f}
`;function ne(e){let t=e.indexOf(z);if(t<0)throw new Error(`the example does not use ${f}`);return{before:e.slice(0,t),step:e.slice(t+z.length)}}function ae(e,{job:t,model:o,namesModel:r,memory:i,access:s}){let n=e.replace(/^ {8}env:\n(?: {10}.*\n)*/m,"").replace(/^ {10}fallback-models: .*\n/m,""),m=h(n,/^ {10}agent: .*$/m,`          agent: ${t.agent}`),l=r?h(m,/^ {10}agent: .*$/m,b=>`${b}
          model: ${o}`):m;return`${h(l,/^ {10}memory-store: .*$/m,`          memory-store: ${i==="branch"?"repo":"cache"}`)}${me(s)}`}function me(e){switch(e.kind){case"key":return`        env:
          ${e.variable}: \${{ secrets.${e.variable} }}
`;case"copilot":return`        env:
${x(/^ {10}AXE_COPILOT_SDK: .*$/m)}
`;case"offline":return""}}function pe(e){let t=x(/^ {2}copilot-requests: .*$/m);return[h(e,/^ {2}contents: .*$/m,r=>`${r}
${t}`),`${x(/^ {6}- run: npm install .*$/m)}
`]}function x(e){let[t]=e.exec(c["workflows/copilot.yml"])??[];if(t===void 0)throw new Error(`the example of Copilot has no line ${e}`);return t}function h(e,t,o){if(!t.test(e))throw new Error(`there is no line ${t} to replace`);return e.replace(t,r=>typeof o=="string"?o:o(r))}function Z(e){let[,t=""]=/^permissions:\n((?: {2}.*\n)*)/m.exec(e)??[];return[...t.matchAll(/^ {2}([\w-]+): (\w+)/gm)].map(([,o="",r=""])=>({scope:o,level:r}))}var y={review:`---
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
`},A=["review","review-forks","mention","triage","report"],I=[{id:"review",about:"Review pull requests from branches of this repository",file:"axe-review",workflow:c["workflows/review.yml"],agent:"reviewer",agentText:k("builtin/pr-reviewer"),skill:"review",skillText:y.review,head:["Reviews pull requests from branches of this repository: comments on lines, and nothing is raised twice.","The agent comes from the base branch, so nothing is checked out. `/axe help` below a pull request lists its commands."],tryIt:"Open a pull request. The review appears on its lines."},{id:"review-forks",about:"Review pull requests of a public repository, from forks when somebody sets the label `review`",file:"axe-review",workflow:c["workflows/public.yml"],agent:"reviewer",agentText:k("builtin/pr-reviewer"),skill:"review",skillText:y.review,head:["Reviews the pull requests of a public repository, those from forks when somebody with write access sets the label","`review`. `pull_request_target` runs with secrets: never add a checkout of the head of a pull request to this workflow."],tryIt:"Create the label `review`, then open a pull request. One from a fork is reviewed when you add the label to it."},{id:"mention",about:"Answer comments that say `@axe`",file:"axe-mention",workflow:c["workflows/mention.yml"],agent:"assistant",agentText:k("builtin/ask"),skill:"answers",skillText:y.answers,head:["Answers comments that say `@axe`, on issues, on pull requests and on lines of them. The rest of the comment is the task.","Only comments by people with write access are answered."],tryIt:"Write `@axe what does this repository do?` below an issue."},{id:"triage",about:"Sort new issues and set labels",file:"axe-triage",workflow:c["workflows/triage.yml"],agent:"triage",agentText:k("builtin/triage"),skill:"triage",skillText:y.triage,head:["Sorts new issues, no matter who opens them: sets labels from the list below and says in the job summary what is","missing. Anybody can open issues, so the agent can only read, and set these labels. `max-cost-usd-per-day` is the limit."],tryIt:"Open an issue. Its labels appear within a minute, the rest is in the job summary."},{id:"report",about:"Report every night in one issue that is kept up to date",file:"axe-report",workflow:c["workflows/nightly.yml"],agent:"reporter",agentText:c["agents/reporter.toml"],skill:"report",skillText:y.report,head:["Reports every night in one issue that is kept up to date, and remembers the reports before. The agent reads the files","of the checkout."],tryIt:"Start it by hand: Actions \u2192 nightly \u2192 Run workflow. The report is a new issue."}];function E(e){let t=I.find(o=>o.id===e);if(t===void 0)throw new Error(`there is no job ${e}`);return t}function k(e){let t=Y(e);if(t===void 0)throw new Error(`there is no agent ${e}`);return t.toml}function ee(e,t){let{workflow:o,isNewWorkflow:r}=t;if(!r)return["",`${o} was not changed. Check that its step with the action has \`agent: ${e.job.agent}\`.`];let i=Z(v(e)).map(({scope:a,level:n})=>`${a}: ${n}`),s=[...ue(e,t)].map((a,n)=>{let[m="",...l]=a.split(`
`);return[`  ${n+1}. ${m}`,...l.map(d=>`     ${d}`)].join(`
`)});return["","The workflow gives its token these permissions, so no setting of the repository has to change:",`  ${i.join(", ")}`,le(e),"","Next steps:",...s,"","`axe-action doctor` checks agents and keys, `axe-action doctor --online` also the token and the repository."]}function le({memory:e}){return e==="branch"?"Memory is kept on the branch `axe-memory`, which the first run creates.":"Memory is kept in the Actions cache. GitHub deletes a cache that was not used for 7 days."}function*ue(e,{newSkill:t}){let{access:o,uses:r,job:i}=e;switch(H(r)&&(yield`Replace \`${r}\` in the workflow with the address of the action that you use (or write it with \`--uses\`).`),o.kind){case"key":yield`Create the secret ${o.variable}: \`gh secret set ${o.variable}\`,
or on GitHub: Settings \u2192 Secrets and variables \u2192 Actions \u2192 New repository secret.`;break;case"copilot":yield`No key is needed. In an organization, the policy "Allow use of Copilot CLI billed to the organization" must be on.
Experimental: docs/copilot.md says what was tested.`;break;case"offline":yield"No key is needed: fixed rules answer instead of a model. Change `model` in the agent when you have seen it work.";break}t!==void 0&&(yield`Replace the rules in ${t} with those of your project.`),yield"Commit the files and push them to the default branch; from there the agent is loaded.",yield i.tryIt}var te=[{value:P,about:"Anthropic; needs the secret ANTHROPIC_API_KEY"},{value:"openai/gpt-6.1-sol",about:"OpenAI; needs the secret OPENAI_API_KEY"},{value:"google/gemini-3.1-pro",about:"Google; needs the secret GEMINI_API_KEY"},{value:"copilot/gpt-5-mini",about:"GitHub Copilot; no key, the job's own token (experimental)"},{value:"offline/rules",about:"Fixed rules instead of a model; no key, no cost, to try it"}],he=[{value:"branch",about:"On the branch `axe-memory` of this repository; lasts"},{value:"cache",about:"In the Actions cache; GitHub deletes what is not used for 7 days"}],de=`This folder is not in a git repository. GitHub reads the files below only at the top of one.
`;async function $a(e,t){X(e,0,U.usage);let o=fe(e),r=await we(e,t),i=await V(t.cwd);i===void 0&&p(t,de);let s=i??t.cwd,{job:a,model:n}=r,m=await be(s,a),l={...r,uses:o,access:T(n),namesModel:m!==void 0&&m!==n};return await ye({choice:l,root:s,hasAgent:m!==void 0},t)}async function we(e,t){let o={job:oe(e,"job",A),model:e.string("model"),memory:oe(e,"memory",$)};if(o.model!==""&&T(o.model),e.bool("yes")||!ge(t))return{job:E(o.job??"review"),model:o.model||te[0].value,memory:o.memory??"branch"};let r=ve(t);try{let i=I.map(({id:m,about:l})=>({value:m,about:l})),s=o.job??g(A,await r.ask({text:"What should it do?",answers:i})),a=o.model||await r.ask({text:"Which model should it ask?",answers:te,other:{hint:"or type another one, as provider/model",check:T}}),n=o.memory??g($,await r.ask({text:"Where should it remember?",answers:he}));return p(t,""),{job:E(s??"review"),model:a,memory:n??"branch"}}finally{r.close()}}function oe(e,t,o){let r=e.string(t);if(r==="")return;let i=g(o,r);if(i!==void 0)return i;throw new w(`invalid argument ${JSON.stringify(r)} for "--${t}" flag`,{remedy:`Give one of ${o.map(s=>`\`${s}\``).join(", ")}.`})}function fe(e){let t=e.string("uses")||f;if(C(t)!==void 0)return t;throw new w(`invalid argument ${JSON.stringify(t)} for "--uses" flag`,{remedy:`Write it as in a workflow, \`owner/name@ref\`, for example \`${f}\`.`})}function T(e){let t=K(e),{access:o,needsKey:r,keyVariable:i,id:s}=N(t);if(o==="copilot"||o==="offline")return{kind:o};if(o==="direct"&&r)return{kind:"key",variable:i};let a=[...R.map(n=>n.id),"copilot","offline"];throw new w(`init cannot write a workflow for models of \`${s}\`, which need more settings than a key`,{remedy:`It can for ${a.map(n=>`\`${n}\``).join(", ")}. Choose one of these, then change the workflow; \`examples/workflows/keyless.yml\` shows Bedrock, Vertex AI and Azure.`})}async function be(e,{agent:t}){for(let o of _){let r=re(e,o,`${t}.toml`),i=await O(r);if(i!==void 0)return M(i,{name:t,file:r}).raw?.model??""}}async function ye({choice:e,root:t,hasAgent:o},r){let{job:i}=e,s={path:`.github/workflows/${i.file}.yml`,content:v(e)},a={path:`axe/agents/${i.agent}.toml`,content:Q(e)},n={path:`axe/skills/${i.skill}/SKILL.md`,content:i.skillText},m=o?[s]:[s,a,n];t!==r.cwd&&p(r,`In the repository ${t}:`);let l=await S(t,m),d=u=>l.includes(re(t,u));for(let{path:u}of[s,a,...o?[]:[n]])p(r,d(u)?`wrote  ${u}`:`kept   ${u}, which exists already`);let b=await F({names:[i.agent],outputSchema:"",isFolderNamed:!1},{source:J({where:"this repository",dirs:_,cwd:t,followsLinks:!0}),modelProblem:u=>G(u,{env:r.env,config:{}}),checkSchema:L});if(D(b).length>0&&(p(r,`
${B(b).join(`
`)}`),!W(b)))return 2;let ie=ee(e,{workflow:s.path,isNewWorkflow:d(s.path),newSkill:d(n.path)?n.path:void 0});for(let u of ie)p(r,u);return 0}function ge({stdin:e,stdout:t}){return e.isTTY===!0&&t.isTTY===!0}function ve(e){let t=ce({input:e.stdin,terminal:!1}),o=t[Symbol.asyncIterator]();return{async ask(r){for(ke(r,e);;){e.stdout.write("> ");let i=await o.next();if(i.done===!0)throw p(e,""),new w("the question was not answered",{remedy:"Nothing was written."});let s=_e(i.value.trim(),r);if("value"in s)return s.value;p(e,s.refusal)}},close:()=>t.close()}}function ke({text:e,answers:t,other:o},r){let i=Math.max(...t.map(({value:s})=>s.length));p(r,`
${e}`);for(let[s,{value:a,about:n}]of t.entries()){let m=s===0?" (default)":"";p(r,`  ${s+1}  ${a.padEnd(i)}  ${n}${m}`)}o!==void 0&&p(r,`     ${o.hint}`)}function _e(e,{answers:t,other:o}){let r=t[e===""?0:Number(e)-1]??t.find(({value:i})=>i===e);if(r!==void 0)return{value:r.value};if(o===void 0||/^\d+$/.test(e))return{refusal:`Type a number from 1 to ${t.length}.`};try{return o.check(e),{value:e}}catch(i){if(!(i instanceof w))throw i;return{refusal:q(i)}}}export{ge as canAsk,$a as initCommand,ve as startInterview};
