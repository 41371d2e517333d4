import { findBuiltInAgent } from '../../core/agent/built-in.js';
import { EXAMPLE_TEXTS } from './example-texts.js';

/** The skills that `init` writes: short, true of most projects, and there to be replaced. */
const SKILLS = {
  review: `---
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
`,
  answers: `---
name: answers
description: How questions about this repository are answered
---

# How to answer here

Replace these rules with yours, and delete what does not apply.

- Start with the documentation: \`README.md\`, \`CONTRIBUTING.md\` and \`docs/\`.
- Link to a file and line instead of copying long code.
- If the answer depends on a version, say which.
`,
  triage: `---
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
`,
  report: `---
name: report
description: What the report of this repository contains
---

# What belongs in the report

Replace these rules with yours, and delete what does not apply.

1. What is new since the last report.
2. What was finished.
3. What has been open for several reports, the oldest first.

At most ten lines. If nothing changed, one sentence is enough.
`,
} as const;

/** What `init` can set up. */
export const JOB_IDS = ['review', 'review-forks', 'mention', 'triage', 'report'] as const;

/** One of {@link JOB_IDS}. */
type JobId = (typeof JOB_IDS)[number];

/** A job with the files that it starts from. */
export interface Job {
  readonly id: JobId;
  /** The answer to "What should it do?". */
  readonly about: string;
  /** Name of the workflow's file, without its ending. */
  readonly file: string;
  readonly workflow: string;
  /** Name of the agent, and of its file. */
  readonly agent: string;
  /** The agent file that the new one is made from. */
  readonly agentText: string;
  /** Folder of the skill below `axe/skills`. */
  readonly skill: string;
  readonly skillText: string;
  /** Comment at the top of the workflow, one line each. */
  readonly head: readonly string[];
  /** What to do to see it work. */
  readonly tryIt: string;
}

/** Every job, in the order in which they are offered. */
export const JOBS: readonly Job[] = [
  {
    id: 'review',
    about: 'Review pull requests from branches of this repository',
    file: 'axe-review',
    workflow: EXAMPLE_TEXTS['workflows/review.yml'],
    agent: 'reviewer',
    agentText: builtIn('builtin/pr-reviewer'),
    skill: 'review',
    skillText: SKILLS.review,
    head: [
      'Reviews pull requests from branches of this repository: comments on lines, and nothing is raised twice.',
      'The agent comes from the base branch, so nothing is checked out. `/axe help` below a pull request lists its commands.',
    ],
    tryIt: 'Open a pull request. The review appears on its lines.',
  },
  {
    id: 'review-forks',
    about: 'Review pull requests of a public repository, from forks when somebody sets the label `review`',
    file: 'axe-review',
    workflow: EXAMPLE_TEXTS['workflows/public.yml'],
    agent: 'reviewer',
    agentText: builtIn('builtin/pr-reviewer'),
    skill: 'review',
    skillText: SKILLS.review,
    head: [
      'Reviews the pull requests of a public repository, those from forks when somebody with write access sets the label',
      '`review`. `pull_request_target` runs with secrets: never add a checkout of the head of a pull request to this workflow.',
    ],
    tryIt:
      'Create the label `review`, then open a pull request. One from a fork is reviewed when you add the label to it.',
  },
  {
    id: 'mention',
    about: 'Answer comments that say `@axe`',
    file: 'axe-mention',
    workflow: EXAMPLE_TEXTS['workflows/mention.yml'],
    agent: 'assistant',
    agentText: builtIn('builtin/ask'),
    skill: 'answers',
    skillText: SKILLS.answers,
    head: [
      'Answers comments that say `@axe`, on issues, on pull requests and on lines of them. The rest of the comment is the task.',
      'Only comments by people with write access are answered.',
    ],
    tryIt: 'Write `@axe what does this repository do?` below an issue.',
  },
  {
    id: 'triage',
    about: 'Sort new issues and set labels',
    file: 'axe-triage',
    workflow: EXAMPLE_TEXTS['workflows/triage.yml'],
    agent: 'triage',
    agentText: builtIn('builtin/triage'),
    skill: 'triage',
    skillText: SKILLS.triage,
    head: [
      'Sorts new issues, no matter who opens them: sets labels from the list below and says in the job summary what is',
      'missing. Anybody can open issues, so the agent can only read, and set these labels. `max-cost-usd-per-day` is the limit.',
    ],
    tryIt: 'Open an issue. Its labels appear within a minute, the rest is in the job summary.',
  },
  {
    id: 'report',
    about: 'Report every night in one issue that is kept up to date',
    file: 'axe-report',
    workflow: EXAMPLE_TEXTS['workflows/nightly.yml'],
    agent: 'reporter',
    agentText: EXAMPLE_TEXTS['agents/reporter.toml'],
    skill: 'report',
    skillText: SKILLS.report,
    head: [
      'Reports every night in one issue that is kept up to date, and remembers the reports before. The agent reads the files',
      'of the checkout.',
    ],
    tryIt: 'Start it by hand: Actions → nightly → Run workflow. The report is a new issue.',
  },
];

/** The job of a name. Throws for a name that is not one. */
export function findJob(id: JobId): Job {
  const job = JOBS.find((one) => one.id === id);
  if (job === undefined) throw new Error(`there is no job ${id}`);
  return job;
}

function builtIn(name: string): string {
  const agent = findBuiltInAgent(name);
  if (agent === undefined) throw new Error(`there is no agent ${name}`);
  return agent.toml;
}
