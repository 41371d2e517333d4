import { readFileSync } from 'node:fs';
import { seedReply } from '../helpers/github-review-seed.js';
import type { RecordedRequest } from '../helpers/loopback.js';
import {
  type ModelReply,
  type ModelScript,
  promptOf,
  type ScriptedToolCall,
  text,
  type WholeReply,
} from '../helpers/model-server.js';
import type { StepResult } from '../helpers/run-action.js';
import { loadWebhook, type PayloadPatch } from '../helpers/webhooks.js';
import { comparisonOf, DIFF, headOf, REPO, type Stage, type StageOptions } from './stage.js';
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

/** The change of the stage with another line to speak about. */
export const CHANGE = DIFF.replace('-10,4', '-10,3').replace(
  '+  return',
  '+  console.log(token);\n+  return',
);

/**
 * A stage, in this process, on which the reviewer looks at the change and replies in this order
 * ({@link byHandles}), or as a script says; `monalisa` may write, `hubot` may not.
 */
export function reviewStage(
  model: readonly ModelReply[] | ModelScript,
  options: StageOptions = {},
  set = setStageInProcess,
): Promise<Stage> {
  return set({
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: CHANGE,
    roles: { monalisa: 'write', hubot: 'read' },
    model: typeof model === 'function' ? model : byHandles(model),
    ...options,
  });
}

/**
 * The replies in their order, beside a verifier that says the same of each claim: that it holds, if
 * nothing else is given.
 */
export function withSecondLook(
  replies: readonly ModelReply[],
  verdict: Readonly<Record<string, unknown>> = { verdict: 'holds', reason: 'I followed it.' },
): ModelScript {
  const script = byHandles(replies);
  let turn = -1;
  return (request) => {
    const { tools, messages } = promptOf(request);
    if (!tools.includes('give_verdict')) {
      turn += 1;
      return script(request, turn);
    }
    if (messages.length > 1) return text('That is all.');
    const claims = messages.join('\n').match(/Claim \d+, on/g) ?? [];
    const about = claims.length > 1 ? claims.map((_, index) => ({ claim: index + 1 })) : [{}];
    return calls(
      ...about.map((claim) => ({ name: 'give_verdict', input: { ...verdict, ...claim } })),
    );
  };
}

/** The heads after a second and a third push. */
export const SECOND = '6dcb09b5b57875f334f61aebed695e2e4193db5e';
export const THIRD = '7fd1a60b01f91b314f59955a4e4d4e80d8edf11d';

/** The finding on how tokens are compared, with what should stand there. */
export const TIMING = raise('src/auth.ts', 12, {
  code: '  return expected == token;',
  title: 'The comparison of tokens leaks by time',
  category: 'security',
  effect: 'breach',
  reach: 'rare',
  body: 'Comparing with `==` tells the length of the common part by time.',
  suggestion: '  return timingSafeEqual(expected, token);',
});

/** The finding on the token in the log. */
export const LOGGED = raise('src/auth.ts', 11, {
  code: '  console.log(token);',
  title: 'The token is written to the log',
  category: 'security',
  effect: 'breach',
  reach: 'always',
  body: 'The token ends up in the log.',
});

/** The call that raises a finding on a line. */
export function raise(
  path: string,
  line: number,
  input: ScriptedToolCall['input'],
): ScriptedToolCall {
  return { name: 'add_review_comment', input: { path, line, ...input } };
}

/**
 * The call that says of the finding that the model is told of first that this line has fixed it.
 */
export function settleFirst(reason: string, line: ScriptedToolCall['input']): ScriptedToolCall {
  return {
    name: 'settle_finding',
    input: { finding: 'F1', how: 'fixed', reason, evidence: [line] },
  };
}

/** The call that ends a review. */
export function submit(summary: string): ScriptedToolCall {
  return { name: 'submit_review', input: { summary } };
}

/** A model that reviews in one call, with this summary, and says the same to everything else. */
export function submitting(summary: string): ModelScript {
  return (request) => {
    const { tools, messages } = promptOf(request);
    const hasCalled = messages.some((message) => message.startsWith('tool: '));
    const isReview = tools.includes('submit_review') && !hasCalled;
    return isReview ? calls(submit(summary)) : text(summary);
  };
}

/** A reply that calls tools at once. */
export function calls(...all: readonly ScriptedToolCall[]): WholeReply {
  return { kind: 'tools', calls: all, usage: { inputTokens: 812, outputTokens: 34 } };
}

/** A review with memory and a check, whose findings can block. */
export const REVIEW_INPUTS = {
  'memory-store': 'branch',
  'check-run': 'true',
  'block-on': 'major',
} as const;

/** The end of a check without findings, and with {@link LOGGED}. */
export const CLEAR = { conclusion: 'success', title: 'Nothing open · all files read' };
export const CRITICAL = { conclusion: 'failure', title: '1 open: 1 critical · all files read' };

export function lastCheck({ repo }: Pick<Stage, 'repo'>) {
  return repo.talk.checkRuns.at(-1);
}

/** A file that the pull request adds, with a fault in it. */
export const QUEUE = `diff --git a/src/queue.ts b/src/queue.ts
new file mode 100644
index 0000000..1f7a7a4
--- /dev/null
+++ b/src/queue.ts
@@ -0,0 +1,3 @@
+export function size(queue: readonly string[]): number {
+  return queue.length + 1;
+}
`;
/** The change without the line that writes the token to the log, and the push that took it out. */
export const QUIET = CHANGE.replace('@@ -10,3 +10,4 @@', '@@ -10,3 +10,3 @@').replace(
  '+  console.log(token);\n',
  '',
);
export const TAKEN_OUT = `${headOf('src/auth.ts', '9c4d5e6..77aa001')}@@ -10,4 +10,3 @@ export function isValid(token: string): boolean {
   const expected = readToken();
-  console.log(token);
   return expected == token;
 }
`;
export const OFF_BY_ONE = raise('src/queue.ts', 2, {
  code: '  return queue.length + 1;',
  title: 'The size is one too large',
  category: 'correctness',
  effect: 'wrong-result',
  reach: 'always',
  body: 'An empty queue has size 1.',
});
/** The model says that this push has ended what it is told of first. */
export const LOG_GONE = settleFirst('Nothing is logged any more.', {
  path: 'src/auth.ts',
  line: 11,
  code: '  console.log(token);',
});
/** A second look in a fresh context comes to the same. */
export const SEEN_OVER = calls({
  name: 'give_verdict',
  input: {
    verdict: 'refuted',
    evidence: [{ path: 'src/auth.ts', line: 11, code: '  return expected == token;' }],
    reason: 'It follows the reading at once.',
  },
});

/**
 * A push to the pull request, as the next run gets it: the whole diff, and what is new since the
 * head before, which is as much if nothing else is said.
 */
export function push(
  { repo }: Stage,
  sha: string,
  { diff, fresh = diff }: { readonly diff: string; readonly fresh?: string },
  patch: PayloadPatch = {},
) {
  const pull = repo.pulls.get(2);
  if (pull === undefined) throw new Error('there is no pull request #2');
  repo.pulls.set(2, { ...pull, head: { ...pull.head, sha }, diff });
  repo.comparisons.set(`${pull.head.sha}...${sha}`, fresh);
  const payload = loadWebhook('pull_request', 'synchronize', {
    ...patch,
    'pull_request.head.sha': sha,
  });
  repo.comparisons.set(comparisonOf(payload), diff);
  return { event: { name: 'pull_request', payload } };
}

/** Who was asked how often, of which model, at what cost, as the last line of the transcript says. */
export function usageIn({ outputs }: StepResult): readonly object[] {
  const lines = readFileSync(outputs['transcript-file'] ?? '', 'utf8')
    .trimEnd()
    .split('\n');
  return JSON.parse(lines.at(-1) ?? '').work.usage;
}

/** The event of a comment below the pull request. */
export function commentOnPull({ repo }: Stage, body: string, id = 1001) {
  const patch = { 'issue.number': 2, 'comment.id': id, 'comment.body': body };
  const payload = loadWebhook('issue_comment', 'created', patch);
  (payload['issue'] as Record<string, unknown>)['pull_request'] = {
    url: 'https://api.github.com/pulls/2',
  };
  repo.talk.eventComments.add(id);
  return { event: { name: 'issue_comment', payload } };
}

/** The event of a comment in the conversation that another one began. */
export function replyOnLine({ repo }: Stage, to: number, body: string, author = 'monalisa') {
  const id = seedReply(repo, to, { author, body, createdAt: new Date().toISOString() });
  const payload = loadWebhook('pull_request_review_comment', 'created', {
    'comment.id': id,
    'comment.body': body,
    'comment.user.login': author,
    'sender.login': author,
  });
  (payload['comment'] as Record<string, unknown>)['in_reply_to_id'] = to;
  return { event: { name: 'pull_request_review_comment', payload } };
}

/** Another pull request of the repository, as the run is told that it was opened. */
export function openPull(
  { github, repo }: Stage,
  { number, sha, diff }: { readonly number: number; readonly sha: string; readonly diff: string },
) {
  const base = repo.pulls.get(2)?.base;
  if (base === undefined) throw new Error('there is no pull request #2');
  const head = { ref: `change-${number}`, sha, repository: REPO };
  github.addPull(REPO, {
    number,
    title: `Change ${number}`,
    author: 'Codertocat',
    base,
    head,
    diff,
  });
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

/** The states of the reviews with a text, as GitHub counts them. */
export function states({ repo }: Stage): readonly string[] {
  return repo.talk.reviews.flatMap(({ state, body }) => (body === '' ? [] : [state]));
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
export const DOCS = `${headOf('docs/guide.md')}@@ -1 +1 @@
-Old.
+New.
`;

const HANDLE = /\bF(?=[A-Z]*\d)[A-Z0-9]{4}\b/g;

/** The handles in a text, each once, in their order. */
export function handlesIn(said: string): readonly string[] {
  return [...new Set(said.match(HANDLE))];
}

/** The handle of what a comment on a line says; a test takes it from there as people do. */
export function handleIn({ body }: { readonly body: string }): string {
  const [handle = ''] = handlesIn(body.replace(/^<!--.*?-->/s, ''));
  return handle;
}

/** The first comment of a review, with the name of its finding. */
export function findingOf({ repo }: Stage) {
  const [comment] = repo.talk.reviewComments;
  if (comment === undefined) throw new Error('nothing was found');
  return { ...comment, handle: handleIn(comment) };
}

/** Text in which handles, which are other ones in every run, are numbered as they appear. */
export function numberHandles(said: string): string {
  return handlesIn(said).reduce(
    (rest, handle, index) => rest.replaceAll(handle, `F${index + 1}`),
    said,
  );
}

/** What stands in all conversations of a stage, with its handles numbered. */
export function saidIn({ repo: { talk } }: Stage): readonly string[] {
  return talk.reviewComments.map(({ body }) => numberHandles(body.replace(/^<!-- .* -->\n/, '')));
}

/**
 * The replies in their order. In the calls `F1`, `F2` and so on stand for the handles that the
 * model was told of, in the order in which it was: nobody knows them before.
 */
function byHandles(replies: readonly ModelReply[]) {
  return (request: RecordedRequest, index: number): ModelReply => {
    const reply = replies[index];
    if (reply?.kind !== 'tools') return reply ?? text('There is no more.');
    const handles = handlesIn(promptOf(request).messages.join('\n'));
    return { ...reply, calls: reply.calls.map((call) => withHandles(call, handles)) };
  };
}

/** A call in which `F1`, `F2` and so on are the first, the second and so on of these handles. */
export function withHandles(call: ScriptedToolCall, handles: readonly string[]): ScriptedToolCall {
  const handleOf = (name: unknown) => {
    const [, number] = /^F(\d)$/.exec(typeof name === 'string' ? name : '') ?? [];
    return number === undefined ? name : (handles[Number(number) - 1] ?? name);
  };
  const { finding, same_as } = call.input;
  return {
    ...call,
    input: {
      ...call.input,
      ...(finding === undefined ? {} : { finding: handleOf(finding) }),
      ...(same_as === undefined ? {} : { same_as: handleOf(same_as) }),
    },
  };
}
