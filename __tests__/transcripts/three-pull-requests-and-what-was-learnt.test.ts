import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { seedReply } from '../helpers/github-review-seed.js';
import { type ScriptedToolCall, text } from '../helpers/model-server.js';
import { loadWebhook, type Payload } from '../helpers/webhooks.js';
import {
  calls,
  conversations,
  handlesIn,
  LOGGED,
  REVIEWER,
  raise,
  reviewStage,
  settleFirst,
  submit,
  withHandles,
  withSecondLook,
} from './review-scene.js';
import {
  comparisonOf,
  headOf,
  numberFindings,
  REPO,
  type Stage,
  setStage,
  steady,
} from './stage.js';

const FILE = join(import.meta.dirname, '../../examples/three-pull-requests.md');

interface Change {
  readonly title: string;
  readonly sha: string;
  readonly diff: string;
}

interface Pull extends Change {
  readonly number: number;
  readonly ref: string;
}

/** `fresh` is what it brings since the commit before. */
interface Push extends Change {
  readonly fresh: string;
}

const FIRST: Pull = {
  number: 2,
  title: 'Log in with a token',
  ref: 'token-login',
  sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
  diff: `${headOf('src/auth.ts')}@@ -10,3 +10,5 @@ export function isValid(token: string): boolean {
   const expected = readToken();
-  return false;
+  console.log(token);
+  return digest(expected) == digest(token);
 }
+export const TOKEN_BYTES = 32;
`,
};

/** What the author pushes to it when the reviewer has spoken. */
const MENDED = FIRST.diff.replace('+10,5 @@', '+10,4 @@').replace('+  console.log(token);\n', '');

const SECOND: Pull = {
  number: 3,
  title: 'List the sessions of an account',
  ref: 'sessions',
  sha: '6dcb09b5b57875f334f61aebed695e2e4193db5e',
  diff: `diff --git a/src/sessions.ts b/src/sessions.ts
new file mode 100644
index 0000000..b7a9f10
--- /dev/null
+++ b/src/sessions.ts
@@ -0,0 +1,3 @@
+export function sessionsOf(account: string) {
+  return query(\`select * from sessions where account = '\${account}'\`);
+}
`,
};

const DB = `${headOf('src/db.ts', '5d1c2aa..7e3b9f0')}@@ -1,3 +1,3 @@
 export function query(sql: string) {
`;
const SAFE = '  return pool.query(parameterized(sql));';
const ESCAPED = `${DB}-  return pool.query(sql);\n+${SAFE}\n }\n`;

/** Its author fixes it in another file, and takes that back. */
const CURED: Push = {
  title: 'Escape what is put into a statement',
  sha: '3f786850e387550fdab836ed7e6dc881de23001b',
  diff: `${SECOND.diff}${ESCAPED}`,
  fresh: ESCAPED,
};
const REVERTED: Push = {
  title: 'Revert "Escape what is put into a statement"',
  sha: '89e6c98d92887913cadf06b2adb97f26cde4849b',
  diff: SECOND.diff,
  fresh: `${DB}-${SAFE}\n+  return pool.query(sql);\n }\n`,
};

const THIRD: Pull = {
  number: 4,
  title: 'Let a token expire',
  ref: 'expiry',
  sha: '7fd1a60b01f91b314f59955a4e4d4e80d8edf11d',
  diff: `${headOf('src/auth.ts', '9c4d5e6..1d2e3f4')}@@ -10,4 +10,8 @@ export function isValid(token: string): boolean {
   const expected = readToken();
-  return digest(expected) == digest(token);
+  const age = Date.now() - issuedAt(token);
+  if (age < 3600) {
+    return digest(expected) == digest(token);
+  }
+  return false;
 }
 export const TOKEN_BYTES = 32;
`,
};

const DIGESTS = raise('src/auth.ts', 12, {
  code: '  return digest(expected) == digest(token);',
  title: 'Digests are compared with `==`',
  category: 'correctness',
  effect: 'wrong-result',
  reach: 'rare',
  body: '`==` converts what it compares. Use `===`.',
});

const INJECTION = raise('src/sessions.ts', 2, {
  code: "  return query(`select * from sessions where account = '${account}'`);",
  title: 'The account name becomes part of the SQL statement',
  category: 'security',
  effect: 'breach',
  reach: 'common',
  body: 'The name of the account becomes part of the statement. Pass it as a parameter.',
});

const SECONDS = raise('src/auth.ts', 12, {
  code: '  if (age < 3600) {',
  title: 'Milliseconds are compared with seconds',
  category: 'correctness',
  effect: 'failure',
  reach: 'always',
  body: '`age` is in milliseconds, so a token expires after 3.6 seconds.',
});

const SETTLED = settleFirst('What is put into a statement is escaped now, in one place for all.', {
  path: 'src/db.ts',
  line: 2,
  code: SAFE,
});

/** A second look, in a fresh context, at a finding that is said to be over. */
const VERDICT = {
  verdict: 'refuted',
  evidence: SETTLED.input['evidence'],
  reason: 'Every statement goes through `parameterized`.',
};
const LOOK: ScriptedToolCall = { name: 'give_verdict', input: VERDICT };

const INJECTION_AGAIN: ScriptedToolCall = {
  name: 'add_review_comment',
  input: {
    ...INJECTION.input,
    title: 'SQL injection through the account name',
    body: 'Nothing escapes the account name any more, and it becomes part of the SQL statement. Pass it as a parameter.',
  },
};

/**
 * What the model is scripted to do with each of them. The last one repeats, word for word, what was
 * dismissed; what came back is said in other words.
 */
const REVIEWS: readonly (readonly ScriptedToolCall[])[] = [
  [DIGESTS, LOGGED, submit('Two things to look at.')],
  [INJECTION, submit('One thing must be fixed.')],
  [SETTLED, submit('The statement is safe now.')],
  [INJECTION_AGAIN, submit('The statement is open again.')],
  [DIGESTS, SECONDS, submit('Two things to look at.')],
];

const INTRO = `# Three pull requests

What a reviewer that remembers says, hears and keeps, on three pull requests of one repository. In the first, people
with write access dismiss one finding and fix the other. In the second, a push fixes the finding in another file, and the
model settles it by the line that does, with which a second look in a fresh context agrees; the next push takes that line
out, and the finding is back, in its own conversation. In the third the model is told what was dismissed, repeats it word
for word all the same, and it is not posted.

Nobody wrote this page: a test runs the built action on the five events, against a GitHub that checks every request by
GitHub's own description of its API and a model whose replies are scripted, and writes down what it saw. Only times, the
day, and ids of runs and findings are replaced. The agent is \`axe/agents/reviewer.toml\`, its memory is on the branch \`axe-memory\`
(\`memory-store: branch\`).`;

it('the third review does not repeat what the first one learned', async () => {
  const replies = REVIEWS.flatMap((review) => [calls(...review), text('Reviewed.')]);
  const model = withSecondLook(replies, VERDICT);
  const event = { name: 'pull_request', payload: payloadOf(FIRST) };
  const stage = await reviewStage(model, { event, diff: FIRST.diff }, setStage);
  const page = [INTRO, `## The agent\n\n${block('toml', REVIEWER)}`];

  page.push(await reviewOf(stage, FIRST, 0));
  const [logged, timing] = stage.repo.talk.reviewComments.map(({ id }) => id);
  const answers = answerFirst(stage, logged, timing);
  page.push(['### What people answer', answers.map((line) => `- ${line}`).join('\n')].join('\n\n'));

  page.push(await reviewOf(stage, SECOND, 1));
  page.push(await pushTo(stage, SECOND, CURED, 2));
  expect(injection(stage)).toMatchObject({
    isResolved: true,
    replies: [expect.stringMatching(/^✅ F\w{4} is settled by 3f78685/)],
  });
  page.push(await pushTo(stage, SECOND, REVERTED, 3));
  expect(injection(stage)).toMatchObject({
    isResolved: false,
    replies: [{}, expect.stringMatching(/^F\w{4} is back as of 89e6c98\.$/)],
  });
  expect(stateOf(stage)).toContain('"why":"phrase","login":"monalisa"');
  expect(stateOf(stage)).toContain('"why":"resolved","login":"Codertocat"');

  page.push(await reviewOf(stage, THIRD, 4));
  const third = reviewsAsked(stage)[8]?.messages[0] ?? '';
  expect(third).toMatch(
    /^- F\w{4} src\/auth\.ts correctness — "Digests are compared with `==`" \(on #2\)$/m,
  );
  const posted = stage.repo.talk.reviewComments.filter(({ pull }) => pull === THIRD.number);
  expect(posted.map(({ body }) => /— (.*)/.exec(body)?.[1])).toEqual([SECONDS.input['title']]);

  const written = numberFindings(`${page.join('\n\n')}\n`);
  if (process.env['UPDATE_TRANSCRIPTS'] === '1') writeFileSync(FILE, written);
  expect(written).toBe(readFileSync(FILE, 'utf8'));
});

/** The one conversation of the second pull request. */
function injection(stage: Stage) {
  const all = conversations(stage).filter(({ pull }) => pull === SECOND.number);
  expect(all).toHaveLength(1);
  return all[0];
}

/**
 * A writer dismisses one finding; the author fixes the other and closes its conversation. A
 * stranger's word is none.
 */
function answerFirst({ repo }: Stage, logged = 0, timing = 0): readonly string[] {
  const withdrawal = 'By design: both sides are strings.';
  seedReply(repo, timing, { author: 'monalisa', body: withdrawal });
  seedReply(repo, logged, { author: 'hubot', body: 'Not a bug.' });
  const pull = repo.pulls.get(FIRST.number);
  if (pull === undefined) throw new Error('the first pull request is gone');
  repo.pulls.set(FIRST.number, { ...pull, state: 'closed', diff: MENDED });
  repo.talk.resolved.set(logged, 'Codertocat');
  return [
    `monalisa (write) answers the comment on the comparison: “${withdrawal}”`,
    'hubot (read) answers the comment on the log: “Not a bug.”',
    'Codertocat (write) pushes without the line `console.log(token);` and resolves that conversation.',
    'The pull request is merged.',
  ];
}

function payloadOf({ number, title, ref, sha }: Omit<Pull, 'diff'>, action = 'opened') {
  return loadWebhook('pull_request', action, {
    number,
    'pull_request.number': number,
    'pull_request.title': title,
    'pull_request.body': null,
    'pull_request.head.ref': ref,
    'pull_request.head.sha': sha,
  });
}

/** Opens the pull request, runs the action, and tells all of it. */
async function reviewOf(stage: Stage, pull: Pull, index: number): Promise<string> {
  const { github, repo } = stage;
  const payload = payloadOf(pull);
  const base = repo.pulls.get(FIRST.number)?.base ?? { ref: '', sha: '' };
  const { number, title, ref, sha, diff } = pull;
  const head = { ref, sha, repository: REPO };
  github.addPull(REPO, { number, title, author: 'Codertocat', base, head, diff });
  repo.comparisons.set(comparisonOf(payload), diff);
  return [
    `## Pull request #${number}: ${title}`,
    `Event: \`pull_request\`, \`opened\` by Codertocat, who has write access; head \`${sha.slice(0, 7)}\`.`,
    await runOn(stage, payload, number, index),
  ].join('\n\n');
}

/** Pushes to a pull request, runs the action, and tells all of it. */
async function pushTo(stage: Stage, opened: Pull, push: Push, index: number): Promise<string> {
  const { number } = opened;
  const { repo } = stage;
  const pull = repo.pulls.get(number);
  if (pull === undefined) throw new Error(`there is no pull request #${number}`);
  repo.pulls.set(number, { ...pull, head: { ...pull.head, sha: push.sha }, diff: push.diff });
  repo.comparisons.set(`${pull.head.sha}...${push.sha}`, push.fresh);
  const payload = payloadOf({ ...opened, sha: push.sha }, 'synchronize');
  repo.comparisons.set(comparisonOf(payload), push.diff);
  return [
    `## Push to #${number}: ${push.title}`,
    `Event: \`pull_request\`, \`synchronize\` by Codertocat; head \`${push.sha.slice(0, 7)}\`.`,
    await runOn(stage, payload, number, index),
  ].join('\n\n');
}

async function runOn(
  stage: Stage,
  payload: Payload,
  number: number,
  index: number,
): Promise<string> {
  const { github, repo } = stage;
  const before = new Set(repo.talk.reviews.map(({ id }) => id));
  const result = await stage.run({
    event: { name: 'pull_request', payload },
    ref: `refs/pull/${number}/merge`,
    runId: `165882149${index}`,
    inputs: { 'memory-store': 'branch' },
  });
  expect([result.exitCode, result.stderr]).toEqual([0, '']);
  const prompt = reviewsAsked(stage)[index * 2];
  const handles = handlesIn((prompt?.messages ?? []).join('\n'));
  const called = (REVIEWS[index] ?? []).map((call) => callLine(withHandles(call, handles)));
  const hasLook = (REVIEWS[index] ?? []).includes(SETTLED);
  const files = github.files(REPO, 'axe-memory');
  return [
    part('Request: system prompt', 'text', prompt?.system ?? ''),
    part('Request: user message', 'text', (prompt?.messages[0] ?? '').replace(/^user: /, '')),
    part('Reply: the tools that the model calls', 'text', called.join('\n')),
    ...(hasLook ? [part('Reply: a second look in a fresh context', 'text', callLine(LOOK))] : []),
    part('Posted', 'markdown', postedOn(stage, number, before)),
    part('Memory after it: `reviewer.md`', 'markdown', files['reviewer.md'] ?? ''),
    part('State after it: `reviewer.state.md`', 'markdown', files['reviewer.state.md'] ?? ''),
  ].join('\n\n');
}

/** What the model was asked, without second looks. */
function reviewsAsked({ model }: Stage) {
  return model.prompts().filter(({ tools }) => !tools.includes('give_verdict'));
}

function callLine({ name, input }: ScriptedToolCall): string {
  return `${name} ${JSON.stringify(input)}`;
}

/**
 * What is new on a pull request; an answer in a conversation is a review without a text to GitHub.
 */
function postedOn({ repo: { talk } }: Stage, number: number, before: ReadonlySet<number>): string {
  return talk.reviews
    .filter(
      ({ id, pull, author }) =>
        pull === number && author === 'github-actions[bot]' && !before.has(id),
    )
    .flatMap(({ id, body }) => [
      ...(body === '' ? [] : [body]),
      ...talk.reviewComments
        .filter(({ review }) => review === id)
        .map(({ path, line, body: said }) => `on ${path}:${line}\n${said}`),
    ])
    .join('\n\n');
}

function stateOf({ github }: Stage): string {
  return github.files(REPO, 'axe-memory')['reviewer.state.md'] ?? '';
}

function part(title: string, language: string, body: string): string {
  return `### ${title}\n\n${block(language, body)}`;
}

/** Four marks, since a comment may hold a block with three. */
function block(language: string, body: string): string {
  const shown = steady(body)
    .replaceAll(/"day":"\d{4}-\d\d-\d\d"/g, '"day":"<day>"')
    .trimEnd();
  return `\`\`\`\`${language}\n${shown}\n\`\`\`\``;
}
