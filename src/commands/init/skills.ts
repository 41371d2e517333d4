/** The skills that `init` writes: short, true of most projects, and there to be replaced. */
export const SKILLS = {
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
