import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { seedReply } from '../helpers/github-review-seed.js';
import { type ScriptedToolCall, text } from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import { calls, REVIEWER, submit } from './review-scene.js';
import { comparisonOf, REPO, type Stage, setStage, steady } from './stage.js';

const FILE = join(import.meta.dirname, '../../examples/three-pull-requests.md');

interface Pull {
  readonly number: number;
  readonly title: string;
  readonly ref: string;
  readonly sha: string;
  readonly diff: string;
}

const FIRST: Pull = {
  number: 2,
  title: 'Log in with a token',
  ref: 'token-login',
  sha: 'ec26c3e57ca3a959ca5aad62de7213c562f8c821',
  diff: `diff --git a/src/auth.ts b/src/auth.ts
index 3f2a1b0..9c4d5e6 100644
--- a/src/auth.ts
+++ b/src/auth.ts
@@ -10,3 +10,5 @@ export function isValid(token: string): boolean {
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

const THIRD: Pull = {
  number: 4,
  title: 'Let a token expire',
  ref: 'expiry',
  sha: '7fd1a60b01f91b314f59955a4e4d4e80d8edf11d',
  diff: `diff --git a/src/auth.ts b/src/auth.ts
index 9c4d5e6..1d2e3f4 100644
--- a/src/auth.ts
+++ b/src/auth.ts
@@ -10,4 +10,8 @@ export function isValid(token: string): boolean {
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

const TIMING: ScriptedToolCall = {
  name: 'add_review_comment',
  input: {
    path: 'src/auth.ts',
    line: 12,
    code: '  return digest(expected) == digest(token);',
    rule: 'timing-attack',
    body: 'Comparing with `==` tells by time how much of the token is right.',
  },
};

const LOGGED: ScriptedToolCall = {
  name: 'add_review_comment',
  input: {
    path: 'src/auth.ts',
    line: 11,
    code: '  console.log(token);',
    rule: 'secret-in-log',
    body: 'The token ends up in the log.',
  },
};

const INJECTION: ScriptedToolCall = {
  name: 'add_review_comment',
  input: {
    path: 'src/sessions.ts',
    line: 2,
    code: "  return query(`select * from sessions where account = '${account}'`);",
    rule: 'sql-injection',
    body: 'The name of the account becomes part of the statement. Pass it as a parameter.',
  },
};

const SECONDS: ScriptedToolCall = {
  name: 'add_review_comment',
  input: {
    path: 'src/auth.ts',
    line: 12,
    code: '  if (age < 3600) {',
    rule: 'wrong-unit',
    body: '`age` is in milliseconds, so a token expires after 3.6 seconds.',
  },
};

/** What the model is scripted to do with each pull request. The last one repeats, word for word, what was withdrawn. */
const REVIEWS: readonly (readonly ScriptedToolCall[])[] = [
  [TIMING, LOGGED, submit('Two things to look at.')],
  [INJECTION, submit('One thing must be mended.')],
  [TIMING, SECONDS, submit('Two things to look at.')],
];

const INTRO = `# Three pull requests

What a reviewer that remembers says, hears and keeps, on three pull requests of one repository. In the first, people
with write access withdraw one finding and mend the other. In the third the model is told so, repeats the withdrawn
finding word for word all the same, and it is not posted.

Nobody wrote this page: a test runs the built action on the three events, against a GitHub that checks every request by
GitHub's own description of its API and a model whose replies are scripted, and writes down what it saw. Only times, ids
of runs and the day are replaced. The agent is \`axe/agents/reviewer.toml\`, its memory is on the branch \`axe-memory\`
(\`memory-store: repo\`).`;

it('learns from the first what it does not say again in the third', async () => {
  const stage = await setStage({
    event: { name: 'pull_request', payload: payloadOf(FIRST) },
    base: { 'axe/agents/reviewer.toml': REVIEWER },
    diff: FIRST.diff,
    roles: { monalisa: 'write', hubot: 'read' },
    model: REVIEWS.flatMap((review) => [calls(...review), text('Reviewed.')]),
  });
  stage.repo.contents = 'write';
  const page = [INTRO, `## The agent\n\n${block('toml', REVIEWER)}`];

  page.push(await reviewOf(stage, FIRST, 0));
  const [timing, logged] = stage.repo.talk.reviewComments.map(({ id }) => id);
  const answers = answerFirst(stage, { timing: timing ?? 0, logged: logged ?? 0 });
  page.push(['### What people answer', answers.map((line) => `- ${line}`).join('\n')].join('\n\n'));

  page.push(await reviewOf(stage, SECOND, 1));
  expect(stateOf(stage)).toContain('why=reply by=monalisa');
  expect(stateOf(stage)).toContain('why=fixed by=Codertocat');

  page.push(await reviewOf(stage, THIRD, 2));
  const third = stage.model.prompts()[4]?.messages[0] ?? '';
  expect(third).toContain('- src/auth.ts: timing-attack (withdrawn in a reply on pull request #2)');
  const posted = stage.repo.talk.reviewComments.filter(({ pull }) => pull === THIRD.number);
  expect(posted.map(({ body }) => /wrong|token expires|right/.exec(body)?.[0])).toEqual(['token expires']);

  const written = `${page.join('\n\n')}\n`;
  if (process.env['UPDATE_TRANSCRIPTS'] === '1') writeFileSync(FILE, written);
  expect(written).toBe(readFileSync(FILE, 'utf8'));
});

/** A writer withdraws one finding; the author mends the other and closes its conversation. A stranger's word is none. */
function answerFirst(
  { repo }: Stage,
  { timing, logged }: { readonly timing: number; readonly logged: number },
): readonly string[] {
  const withdrawal = 'By design: both sides are digests, and nobody can choose those.';
  seedReply(repo, timing, { author: 'monalisa', body: withdrawal });
  seedReply(repo, logged, { author: 'hubot', body: 'Not a bug.' });
  const pull = repo.pulls.get(FIRST.number);
  if (pull === undefined) throw new Error('the first pull request is gone');
  repo.pulls.set(FIRST.number, { ...pull, state: 'closed', diff: MENDED });
  repo.talk.resolved.set(logged, 'Codertocat');
  return [
    `monalisa (write) answers the comment on \`timing-attack\`: “${withdrawal}”`,
    'hubot (read) answers the comment on `secret-in-log`: “Not a bug.”',
    'Codertocat (write) pushes without the line `console.log(token);` and resolves that conversation.',
    'The pull request is merged.',
  ];
}

function payloadOf({ number, title, ref, sha }: Pull) {
  return loadWebhook('pull_request', 'opened', {
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
  const { github, repo, model } = stage;
  const payload = payloadOf(pull);
  const base = repo.pulls.get(FIRST.number)?.base ?? { ref: '', sha: '' };
  const { number, title, ref, sha, diff } = pull;
  const head = { ref, sha, repository: REPO };
  github.addPull(REPO, { number, title, author: 'Codertocat', base, head, diff });
  repo.comparisons.set(comparisonOf(payload), diff);
  const result = await stage.run({
    event: { name: 'pull_request', payload },
    ref: `refs/pull/${number}/merge`,
    runId: `165882149${index}`,
    inputs: { 'memory-store': 'repo' },
  });
  expect([result.exitCode, result.stderr]).toEqual([0, '']);
  const prompt = model.prompts()[index * 2];
  const files = github.files(REPO, 'axe-memory');
  const learned = /^\*\*Learned from answers\*\*[^<]*/m.exec(result.summary)?.[0];
  return [
    `## Pull request #${number}: ${title}`,
    `Event: \`pull_request\`, \`opened\` by Codertocat, who has write access; head \`${sha.slice(0, 7)}\`.`,
    part('Request: system prompt', 'text', prompt?.system ?? ''),
    part('Request: user message', 'text', (prompt?.messages[0] ?? '').replace(/^user: /, '')),
    part('Reply: the tools that the model calls', 'text', (REVIEWS[index] ?? []).map(callLine).join('\n')),
    part('Posted', 'markdown', postedOn(stage, number)),
    ...(learned === undefined ? [] : [part('From the job summary', 'markdown', learned)]),
    part('Memory after it: `reviewer.md`', 'markdown', files['reviewer.md'] ?? ''),
    part('State after it: `reviewer.state.md`', 'markdown', files['reviewer.state.md'] ?? ''),
  ].join('\n\n');
}

function callLine({ name, input }: ScriptedToolCall): string {
  return `${name} ${JSON.stringify(input)}`;
}

function postedOn({ repo: { talk } }: Stage, number: number): string {
  return talk.reviews
    .filter(({ pull, author }) => pull === number && author === 'github-actions[bot]')
    .flatMap(({ id, body }) => [
      body,
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
    .replaceAll(/day=\d{4}-\d\d-\d\d/g, 'day=<day>')
    .trimEnd();
  return `\`\`\`\`${language}\n${shown}\n\`\`\`\``;
}
