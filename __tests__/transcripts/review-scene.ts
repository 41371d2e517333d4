import type { ModelReply, ScriptedToolCall } from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { comparisonOf, type Stage } from './stage.js';

/** An agent that reviews by its tools. */
export const REVIEWER = `name = "reviewer"
model = "anthropic/claude-sonnet-4-5"
system_prompt = "You review changes."
tools = ["add_review_comment", "submit_review"]

[memory]
enabled = true
`;

/** A change with two lines to speak about. */
export const CHANGE = `diff --git a/src/auth.ts b/src/auth.ts
index 3f2a1b0..9c4d5e6 100644
--- a/src/auth.ts
+++ b/src/auth.ts
@@ -10,3 +10,4 @@ export function isValid(token: string): boolean {
   const expected = readToken();
-  return timingSafeEqual(expected, token);
+  console.log(token);
+  return expected == token;
 }
`;

/** The finding on how tokens are compared, with what should stand there. */
export const TIMING: ScriptedToolCall = {
  name: 'add_review_comment',
  input: {
    path: 'src/auth.ts',
    line: 12,
    code: '  return expected == token;',
    rule: 'timing-attack',
    body: 'Comparing with `==` tells the length of the common part by time.',
    suggestion: '  return timingSafeEqual(expected, token);',
  },
};

/** The finding on the token in the log. */
export const LOGGED: ScriptedToolCall = {
  name: 'add_review_comment',
  input: {
    path: 'src/auth.ts',
    line: 11,
    code: '  console.log(token);',
    rule: 'secret-in-log',
    body: 'The token ends up in the log.',
  },
};

/** The call that ends a review. */
export function submit(summary: string, verdict = 'comment'): ScriptedToolCall {
  return { name: 'submit_review', input: { summary, verdict } };
}

/** A reply that calls tools at once. */
export function calls(...all: readonly ScriptedToolCall[]): ModelReply {
  return { kind: 'tools', calls: all, usage: { inputTokens: 812, outputTokens: 34 } };
}

/**
 * A push to the pull request, as the next run gets it: the whole diff, and what is new since the head before, which is
 * as much if nothing else is said.
 */
export function push({ repo }: Stage, sha: string, diff: string, fresh = diff) {
  const pull = repo.pulls.get(2);
  if (pull === undefined) throw new Error('there is no pull request #2');
  repo.pulls.set(2, { ...pull, head: { ...pull.head, sha }, diff });
  repo.comparisons.set(`${pull.head.sha}...${sha}`, fresh);
  const payload = loadWebhook('pull_request', 'synchronize', { 'pull_request.head.sha': sha });
  repo.comparisons.set(comparisonOf(payload), diff);
  return { event: { name: 'pull_request', payload } };
}

/** The reviews and their comments on lines, as people see them. */
export function discussion({ repo: { talk } }: Pick<Stage, 'repo'>): string {
  return talk.reviews
    .flatMap(({ id, author, state, body }) => [
      `${author}, ${state}:\n${body}`,
      ...talk.reviewComments
        .filter(({ review }) => review === id)
        .map(({ path, side, line, body: said }) => `  on ${path}:${line} (${side}):\n${said}`),
    ])
    .join('\n\n');
}
