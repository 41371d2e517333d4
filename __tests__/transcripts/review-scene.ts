import {
  type ModelReply,
  type ModelScript,
  promptOf,
  type ScriptedToolCall,
  text,
  type WholeReply,
} from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { comparisonOf, REPO, type Stage } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

/** An agent that reviews by its tools, with the second look that is usual. */
export const CAREFUL_REVIEWER = `name = "reviewer"
model = "anthropic/claude-sonnet-4-5"
system_prompt = "You review changes."
tools = ["add_review_comment", "submit_review"]

[memory]
enabled = true
`;

/** The same without a second look, for which a script of replies has none. */
export const REVIEWER = `${CAREFUL_REVIEWER}
[review]
depth = "quick"
`;

/** The replies in their order, beside a verifier for which every claim holds: a built-in reviewer has one. */
export function withSecondLook(replies: readonly ModelReply[]): ModelScript {
  let turn = 0;
  return (request) => {
    const { tools, messages } = promptOf(request);
    if (tools.includes('give_verdict')) {
      const claims = messages.join('\n').match(/Claim \d+, on/g)?.length ?? 1;
      const holds = (claim: number) => ({ verdict: 'holds', claim, reason: 'I followed it.' });
      if (messages.length > 1) return text('That is all.');
      return calls(
        ...Array.from({ length: claims }, (_, index) => ({
          name: 'give_verdict',
          input: claims === 1 ? { verdict: 'holds', reason: 'I followed it.' } : holds(index + 1),
        })),
      );
    }
    turn += 1;
    return replies[turn - 1] ?? text('There is no more.');
  };
}

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
    title: 'The comparison of tokens leaks by time',
    category: 'security',
    effect: 'breach',
    reach: 'rare',
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
    title: 'The token is written to the log',
    category: 'security',
    effect: 'breach',
    reach: 'always',
    body: 'The token ends up in the log.',
  },
};

/** The call that ends a review. */
export function submit(summary: string): ScriptedToolCall {
  return { name: 'submit_review', input: { summary } };
}

/** A reply that calls tools at once. */
export function calls(...all: readonly ScriptedToolCall[]): WholeReply {
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

/** Another pull request of the repository, as the run is told that it was opened. */
export function openPull(
  { github, repo }: Stage,
  { number, sha, diff }: { readonly number: number; readonly sha: string; readonly diff: string },
) {
  const base = repo.pulls.get(2)?.base;
  if (base === undefined) throw new Error('there is no pull request #2');
  const head = { ref: `change-${number}`, sha, repository: REPO };
  github.addPull(REPO, { number, title: `Change ${number}`, author: 'Codertocat', base, head, diff });
  const payload = loadWebhook('pull_request', 'opened', {
    number,
    'pull_request.number': number,
    'pull_request.title': `Change ${number}`,
    'pull_request.head.ref': head.ref,
    'pull_request.head.sha': sha,
  });
  repo.comparisons.set(comparisonOf(payload), diff);
  return { event: { name: 'pull_request', payload }, ref: `refs/pull/${number}/merge` };
}

/** The comments on lines that began a conversation, with what is in it besides. */
export function conversations({ repo: { talk } }: Pick<Stage, 'repo'>) {
  return talk.reviewComments
    .filter(({ inReplyTo }) => inReplyTo === undefined)
    .map(({ id, pull, path, line, body }) => ({
      pull,
      at: `${path}:${line}`,
      says: / — (.*)/.exec(body)?.[1] ?? body,
      isResolved: talk.resolved.has(id),
      replies: talk.reviewComments
        .filter(({ inReplyTo }) => inReplyTo === id)
        .map(({ body: said }) => said.replace(/^<!-- .* -->\n/, '')),
    }));
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

/** A change of documentation alone. */
export const DOCS = `diff --git a/docs/guide.md b/docs/guide.md
index 3f2a1b0..9c4d5e6 100644
--- a/docs/guide.md
+++ b/docs/guide.md
@@ -1 +1 @@
-Old.
+New.
`;

/**
 * A review with two findings, for people to answer; the next run raises them again. Memory is on a branch, `hubot` cannot
 * write.
 */
export async function reviewedForAnswers(set = setStageInProcess) {
  const stage = await set({
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE,
    roles: { monalisa: 'write', hubot: 'read' },
    model: [
      calls(TIMING, LOGGED, submit('Two things.')),
      text('Done.'),
      calls(TIMING, LOGGED, submit('Still two things.')),
      text('Done again.'),
    ],
  });
  await stage.run({ inputs: ON_BRANCH });
  const [logged, timing] = stage.repo.talk.reviewComments;
  if (timing === undefined || logged === undefined) throw new Error('nothing was posted');
  return { stage, timing, logged };
}

/** Answers are learned from a memory that outlives the pull request. */
export const ON_BRANCH = { 'memory-store': 'branch' };
