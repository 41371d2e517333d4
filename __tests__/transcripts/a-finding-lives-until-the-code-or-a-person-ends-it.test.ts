import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { BAD_GATEWAY } from '../helpers/github-faults.js';
import { seedReaction } from '../helpers/github-review-seed.js';
import { type ModelReply, type ScriptedToolCall, text } from '../helpers/model-server.js';
import { loadWebhook } from '../helpers/webhooks.js';
import {
  CHANGE,
  CLEAR,
  CRITICAL,
  calls,
  conversations,
  discussion,
  LOGGED,
  openPull,
  push,
  QUIET,
  REVIEW_INPUTS,
  reviewStage,
  SECOND,
  settleFirst,
  states,
  submit,
  TAKEN_OUT,
  THIRD,
  TIMING,
} from './review-scene.js';
import { expectTranscript, HEAD, headOf, type Stage, setStage, steady, troubles } from './stage.js';
import { resultsOf } from './tool-scene.js';

const OTHER = 'd'.repeat(40);
const DONE = text('Reviewed.');

/** The push that puts the line back. */
const PUT_BACK = TAKEN_OUT.replace('-10,4 +10,3', '-10,3 +10,4').replace(
  '-  console',
  '+  console',
);

/** The finding on the log in other words, of another kind. */
const LOGGED_AGAIN = worded({
  title: 'Secret `token` leaks through `console.log`',
  body: 'Whoever reads the logs can use the `token` that is printed here.',
  category: 'data',
});

/** The push fixes the log in another file: what is written there no longer holds tokens. */
const REDACT = `${headOf('src/log.ts', '1f7a7a4..2a8b8b5')}@@ -1,2 +1,3 @@
 import { secrets } from './secrets.js';
+console.log = redacting(console.log, secrets);
 export const level = 'info';
`;

const SETTLED = settleFirst('What is logged is redacted now.', {
  path: 'src/log.ts',
  line: 2,
  code: 'console.log = redacting(console.log, secrets);',
});

const STILL_THERE = calls({
  name: 'give_verdict',
  input: { verdict: 'holds', reason: '`redacting` is never imported.' },
});

const ASKS = submit('The token must not be logged.');

it('a finding is back when its fix is removed again, even if a person had resolved it, and new elsewhere', async () => {
  const again = { ...LOGGED_AGAIN, input: { ...LOGGED_AGAIN.input, same_as: 'F1' } };
  const replies = [[LOGGED, ASKS], [submit('All is well.')], [again, ASKS], [LOGGED, ASKS]];
  const model = replies.flatMap((reply) => [calls(...reply), text('Reviewed.')]);
  const stage = await reviewStage(model, {}, setStage);
  await stage.run({ inputs: REVIEW_INPUTS });
  const [first] = stage.repo.talk.reviewComments;
  stage.repo.talk.resolved.set(first?.id ?? 0, 'monalisa');

  const fixed = await stage.run({
    ...push(stage, SECOND, { diff: QUIET, fresh: TAKEN_OUT }),
    inputs: REVIEW_INPUTS,
  });
  expect(fixed.summary).toMatch(
    /\[settled\]\(\S+\) by `monalisa`: its conversation was resolved \|/,
  );
  expect(stage.repo.talk.checkRuns.at(-1)).toMatchObject(CLEAR);
  expect(states(stage)).toEqual(['DISMISSED']);

  const back = await stage.run({
    ...push(stage, THIRD, { diff: CHANGE, fresh: PUT_BACK }),
    inputs: REVIEW_INPUTS,
  });
  expect(conversations(stage)).toEqual([
    expect.objectContaining({
      at: 'src/auth.ts:11',
      isResolved: false,
      replies: [expect.stringMatching(/^F\w{4} is back as of 7fd1a60\.$/)],
    }),
  ]);
  expect(stage.repo.talk.checkRuns.at(-1)).toMatchObject(CRITICAL);
  expect(states(stage)).toEqual(['DISMISSED', 'CHANGES_REQUESTED']);
  expect(troubles(back)).toEqual([]);
  expectTranscript(
    'a-finding-lives-until-the-code-or-a-person-ends-it',
    steady(
      `=== the pull request\n${discussion(stage)}\n\n=== the summary of the last run\n${back.summary}`,
    ),
  );

  await stage.run({
    ...openPull(stage, { number: 3, sha: OTHER, diff: CHANGE }),
    inputs: REVIEW_INPUTS,
  });
  expect(conversations(stage).filter(({ pull }) => pull === 3)).toMatchObject([
    { at: 'src/auth.ts:11', says: 'The token is written to the log' },
  ]);
});

it('a finding keeps its request for changes if a second look says that it is still there', async () => {
  const settles = [calls(SETTLED, submit('The log is redacted now.')), DONE];
  const looks = [STILL_THERE, text('I cannot tell.')];
  const stage = await reviewStage([calls(LOGGED, ASKS), DONE, ...settles, ...looks]);
  await stage.run({ inputs: REVIEW_INPUTS });
  const step = await stage.run({
    ...push(stage, SECOND, { diff: CHANGE + REDACT, fresh: REDACT }),
    inputs: REVIEW_INPUTS,
  });
  expect(step).toMatchObject({ exitCode: 0, outputs: { 'findings-open': '1' } });
  expect(states(stage)[0]).toBe('CHANGES_REQUESTED');
  expect(conversations(stage)).toMatchObject([{ isResolved: false, replies: [] }]);
  expect(step.summary).toMatch(/F\w{4} stays open: a second check did not confirm its end/);
  expect(step.summary).toContain('`redacting` is never imported.');
});

it('a finding is not settled by the word of a model on a fork', async () => {
  const patch = {
    'pull_request.head.repo.full_name': 'octocat/Hello-World',
    'pull_request.user.login': 'octocat',
  };
  const settles = calls(SETTLED, submit('The log is redacted now.'));
  const name = 'pull_request_target';
  const labeled = (head: string) => {
    const payload = loadWebhook('pull_request', 'labeled', {
      ...patch,
      'pull_request.head.sha': head,
    });
    return { event: { name, payload }, inputs: REVIEW_INPUTS };
  };
  const script = [calls(LOGGED, ASKS), DONE, settles, DONE];
  const stage = await reviewStage(script, { event: labeled(HEAD).event });
  await stage.run(labeled(HEAD));
  push(stage, SECOND, { diff: CHANGE + REDACT, fresh: REDACT }, patch);
  const step = await stage.run(labeled(SECOND));
  expect(step.exitCode).toBe(0);
  expect(states(stage)[0]).toBe('CHANGES_REQUESTED');
  const said =
    /^F\w{4} looks done as of 6dcb09b: What is logged is redacted now\.\n\nF\w{4} stays open: only people end findings on a fork\.$/;
  const replies = [expect.stringMatching(said)];
  expect(conversations(stage)).toMatchObject([{ isResolved: false, replies }]);
  expect(stage.repo.talk.checkRuns.at(-1)).not.toMatchObject({ conclusion: 'success' });
});

const SHAS = ['1', '2', '3', '4', '5'].map((digit) => digit.repeat(40));
const ON_BRANCH = { 'memory-store': 'branch' };

/** The finding on the log. */
const FIRST = worded({
  title: 'The access token is written to the log',
  body: 'Each call prints the access token to standard output. Whoever reads the logs can use the token.',
});

/** The same as a model says it at other times, also of another kind. */
const WORDINGS = [
  {
    title: 'Secret token leaks through logging',
    body: 'The access token ends up in the logs, where everybody who reads the logs can use it.',
    category: 'data',
  },
  {
    title: 'Do not log credentials',
    body: 'The access token of each call is printed to standard output, and log collectors keep it.',
    category: 'other',
    effect: 'upkeep',
  },
  {
    title: 'Left-over debugging statement prints the token',
    body: 'On each call the access token is printed; whoever reads the logs can use the token.',
    category: 'concurrency',
  },
].map(worded);

function worded(words: Readonly<Record<string, string | undefined>>): ScriptedToolCall {
  return { name: 'add_review_comment', input: { ...LOGGED.input, ...words } };
}

/** Of another kind, in words that have nothing in common with the first. */
const UNLIKE = worded({
  category: 'data',
  title: 'Personal data in plain sight',
  body: 'Operators and their suppliers see what nobody but its owner should know.',
});

async function stageWith(model: readonly ModelReply[]): Promise<Stage> {
  const stage = await reviewStage([calls(FIRST, submit('One thing.')), DONE, ...model]);
  await stage.run({ inputs: ON_BRANCH });
  return stage;
}

/**
 * A wording as a model raises it that says, once it is asked, that it means the earlier finding.
 */
function raisedAndAsked(
  wording: ScriptedToolCall,
  ...more: ScriptedToolCall[]
): readonly ModelReply[] {
  const again = { ...wording, input: { ...wording.input, same_as: 'F1' } };
  return [calls(wording), calls(again, ...more, submit('One thing.')), DONE];
}

it('a finding on one line with four wordings in four pushes is one conversation', async () => {
  const stage = await stageWith(WORDINGS.flatMap((wording) => raisedAndAsked(wording)));
  for (const [index] of WORDINGS.entries()) {
    const step = await stage.run({
      ...push(stage, SHAS[index] ?? '', { diff: CHANGE }),
      inputs: ON_BRANCH,
    });
    expect(step).toMatchObject({ exitCode: 0, outputs: { 'findings-open': '1' } });
  }
  const says = 'The access token is written to the log';
  expect(conversations(stage)).toMatchObject([{ says, replies: [] }]);
  expect(stage.repo.talk.reviews).toHaveLength(1);
});

it('two faults on one line are two, in the comments, the file and SARIF, and after the next push', async () => {
  const other = worded({ title: 'Personal data in plain sight', body: 'Operators see it.' });
  const both = [FIRST, other];
  const stage = await reviewStage([
    calls(...both, submit('Two things.')),
    DONE,
    calls(...both, submit('Nothing new.')),
    DONE,
  ]);
  const first = await stage.run({ inputs: ON_BRANCH });
  const second = await stage.run({
    ...push(stage, SHAS[0] ?? '', { diff: CHANGE }),
    inputs: ON_BRANCH,
  });
  for (const { outputs } of [first, second]) {
    const { findings } = JSON.parse(readFileSync(outputs['findings-file'] ?? '', 'utf8'));
    const sarif = JSON.parse(readFileSync(outputs['sarif-file'] ?? '', 'utf8'));
    expect([findings.length, sarif.runs[0].results.length]).toEqual([2, 2]);
    expect(outputs).toMatchObject({ 'findings-open': '2' });
  }
  expect(conversations(stage).map(({ at }) => at)).toEqual(['src/auth.ts:11', 'src/auth.ts:11']);
});

it('a finding whose words do not decide causes a question to the model, which answers it', async () => {
  const stage = await stageWith(raisedAndAsked(UNLIKE));
  await stage.run({ ...push(stage, SHAS[0] ?? '', { diff: CHANGE }), inputs: ON_BRANCH });
  expect(resultsOf(stage.model.prompts().at(-1))).toEqual([
    expect.stringMatching(
      /^Not accepted: not yet\. (F\w{4}) is open at line 11: “The access token is written to the log”\. If yours is the same, call again with `same_as: "\1"`; if it is another one, with `new: true`\./,
    ),
    expect.stringMatching(/^F\w{4} is open already, so it is not posted again\./),
    expect.anything(),
  ]);
  expect(conversations(stage)).toHaveLength(1);
});

it('a finding that is critical is held back on its own pull request alone, and shown elsewhere as dismissed before', async () => {
  const [said = FIRST] = WORDINGS;
  const elsewhere = [calls(FIRST, TIMING, submit('Two things.')), DONE];
  const stage = await stageWith([...raisedAndAsked(said, TIMING), ...elsewhere]);
  const [logged] = stage.repo.talk.reviewComments;
  seedReaction(stage.repo, {
    on: 'review-comment',
    of: logged?.id ?? 0,
    author: 'monalisa',
    content: '-1',
  });

  const second = await stage.run({
    ...push(stage, SHAS[0] ?? '', { diff: CHANGE }),
    inputs: ON_BRANCH,
  });
  expect(second.outputs).toMatchObject({ 'findings-open': '1' });
  expect(conversations(stage).map(({ at }) => at)).toEqual(['src/auth.ts:11', 'src/auth.ts:12']);

  const opened = openPull(stage, { number: 3, sha: SHAS[1] ?? '', diff: CHANGE });
  const third = await stage.run({ ...opened, inputs: ON_BRANCH });
  expect(third.summary).toMatch(/\| \[new\]\(\S+\): dismissed before on #2 \|/);
  expect(third.outputs).toMatchObject({ 'findings-worst': 'critical' });
  const [first] = stage.repo.talk.reviewComments.filter(({ pull }) => pull === 3);
  expect(first?.body).toContain('*Dismissed before, on #2. ');
});

it.each<[string, boolean, { isResolved: boolean; replies: readonly unknown[] }]>([
  ['is heard by the next run on any', false, { isResolved: true, replies: [expect.anything()] }],
  ['waits where GitHub gives up on so much', true, { isResolved: false, replies: [] }],
])('an answer on another pull request %s', async (_, isTooMuch, expected) => {
  const elsewhere = [calls(submit('Nothing.')), DONE];
  const stage = await reviewStage([calls(LOGGED, submit('One thing.')), DONE, ...elsewhere]);
  await stage.run({ inputs: ON_BRANCH });
  const [logged] = stage.repo.talk.reviewComments;
  const on = { on: 'review-comment', of: logged?.id ?? 0, author: 'monalisa' } as const;
  seedReaction(stage.repo, { ...on, content: '-1' });

  const opened = openPull(stage, { number: 3, sha: OTHER, diff: CHANGE });
  const asksOthers = 'pull0: pullRequest';
  if (isTooMuch)
    stage.github.fail({ route: 'POST /graphql', contains: asksOthers, ...BAD_GATEWAY });
  const before = stage.github.requests().length;
  const step = await stage.run({ ...opened, inputs: ON_BRANCH });
  expect([step.exitCode, troubles(step)]).toEqual([0, []]);
  const asked = stage.github.requests().slice(before);
  expect(asked.filter(({ bytes }) => bytes.includes(asksOthers))).toHaveLength(1);
  expect(conversations(stage)).toMatchObject([{ pull: 2, ...expected }]);
});
