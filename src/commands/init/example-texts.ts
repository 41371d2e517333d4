/** The files of `examples/` that `init` starts from; `node scripts/templates.js` writes them here. */
export const EXAMPLE_TEXTS = {
  'workflows/review.yml': `# Reviews pull requests from branches of this repository: comments on lines, and nothing is raised twice. Needs no
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
      - uses: YOUR_ORG/axe-action@v1
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
`,
  'workflows/public.yml': `# Reviews the pull requests of a public repository. Those from forks are reviewed when somebody with write access adds
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
      - uses: YOUR_ORG/axe-action@v1
        with:
          agent: builtin/pr-reviewer
          trigger-phrase: /axe
          memory-store: repo
          max-tokens: 300000
          max-cost-usd-per-day: 20
        env:
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
`,
  'workflows/mention.yml': `# Answers comments that contain \`@axe\`, on issues, on pull requests and on their lines. The rest of the comment is the
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
      - uses: YOUR_ORG/axe-action@v1
        with:
          agent: builtin/ask
          trigger-phrase: '@axe'
          memory-store: repo
          max-tokens: 300000
          max-cost-usd-per-day: 10
        env:
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
`,
  'workflows/triage.yml': `# Sorts new issues by anyone: sets labels from a list, and says in the job summary what is missing. Strangers wrote the
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
      - uses: YOUR_ORG/axe-action@v1
        with:
          agent: builtin/triage
          min-permission: none
          labels-allowed: bug, enhancement, documentation, question, duplicate
          memory-store: repo
          max-tokens: 60000
          max-cost-usd-per-day: 2
        env:
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
`,
  'workflows/nightly.yml': `# Reports every night in one issue, which each run updates, and remembers earlier reports on a branch. The agent reads
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
      - uses: YOUR_ORG/axe-action@v1
        with:
          agent: reporter
          memory-store: repo
          report-to: issue
          max-cost-usd: 0.50
        env:
          ANTHROPIC_API_KEY: \${{ secrets.ANTHROPIC_API_KEY }}
`,
  'agents/reporter.toml': `# A scheduled report that remembers the last ones, with every limit that a run can have.
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
`,
} as const;
