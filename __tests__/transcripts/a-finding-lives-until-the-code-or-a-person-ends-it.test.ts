import { expect, it } from '@jest/globals';
import { type ScriptedToolCall, text } from '../helpers/model-server.js';
import {
  CHANGE,
  calls,
  conversations,
  discussion,
  LOGGED,
  numberHandles,
  openPull,
  push,
  QUIET,
  reviewStage,
  SECOND,
  states,
  submit,
  TAKEN_OUT,
  THIRD,
} from './review-scene.js';
import { expectTranscript, setStage, steady, troubles } from './stage.js';
import { resultsOf } from './tool-scene.js';

const OTHER = 'd'.repeat(40);

/** The push that puts the line back. */
const PUT_BACK = TAKEN_OUT.replace('-10,4 +10,3', '-10,3 +10,4').replace('-  console', '+  console');

/** The finding on the log in other words, of another kind. */
const LOGGED_AGAIN: ScriptedToolCall = {
  name: 'add_review_comment',
  input: {
    ...LOGGED.input,
    title: 'Secret `token` leaks through `console.log`',
    body: 'Whoever reads the logs can use the `token` that is printed here.',
    category: 'data',
  },
};

/** The push fixes the log in another file: what is written there no longer holds tokens. */
const REDACT = `diff --git a/src/log.ts b/src/log.ts
index 1f7a7a4..2a8b8b5 100644
--- a/src/log.ts
+++ b/src/log.ts
@@ -1,2 +1,3 @@
 import { secrets } from './secrets.js';
+console.log = redacting(console.log, secrets);
 export const level = 'info';
`;

const SETTLED: ScriptedToolCall = {
  name: 'settle_finding',
  input: {
    finding: 'F1',
    how: 'fixed',
    reason: 'What is logged is redacted now.',
    evidence: [{ path: 'src/log.ts', line: 2, code: 'console.log = redacting(console.log, secrets);' }],
  },
};

const settled = (more: object) => ({ ...SETTLED, input: { ...SETTLED.input, ...more } });

/** A second look that finds no token in the log. */
const SEEN_OVER = calls({
  name: 'give_verdict',
  input: {
    verdict: 'refuted',
    evidence: SETTLED.input['evidence'],
    reason: 'What is logged goes through `redacting`.',
  },
});
const STILL_THERE = calls({
  name: 'give_verdict',
  input: { verdict: 'holds', reason: '`redacting` is never imported.' },
});

const INPUTS = { 'memory-store': 'branch', 'check-run': 'true', 'block-on': 'major' };
const ASKS = submit('The token must not be logged.');

it('a finding is back when its fix is removed again, even if a person had resolved it, and new elsewhere', async () => {
  const again = { ...LOGGED_AGAIN, input: { ...LOGGED_AGAIN.input, same_as: 'F1' } };
  const replies = [[LOGGED, ASKS], [submit('All is well.')], [again, ASKS], [LOGGED, ASKS]];
  const model = replies.flatMap((reply) => [calls(...reply), text('Reviewed.')]);
  const stage = await reviewStage(model, {}, setStage);
  await stage.run({ inputs: INPUTS });
  const [first] = stage.repo.talk.reviewComments;
  stage.repo.talk.resolved.set(first?.id ?? 0, 'monalisa');

  const fixed = await stage.run({ ...push(stage, SECOND, QUIET, TAKEN_OUT), inputs: INPUTS });
  expect(fixed.summary).toMatch(/\[settled\]\(\S+\) by `monalisa`: its conversation was resolved \|/);
  expect(stage.repo.talk.checkRuns.at(-1)).toMatchObject({
    conclusion: 'success',
    title: 'No findings · whole',
  });
  expect(states(stage)).toEqual(['DISMISSED']);

  const back = await stage.run({ ...push(stage, THIRD, CHANGE, PUT_BACK), inputs: INPUTS });
  expect(conversations(stage)).toEqual([
    expect.objectContaining({
      at: 'src/auth.ts:11',
      isResolved: false,
      replies: [expect.stringMatching(/^F\w{4} is back since 7fd1a60\.$/)],
    }),
  ]);
  expect(stage.repo.talk.checkRuns.at(-1)).toMatchObject({
    conclusion: 'failure',
    title: '1 critical open · whole',
  });
  expect(states(stage)).toEqual(['DISMISSED', 'CHANGES_REQUESTED']);
  expect(troubles(back)).toEqual([]);
  expectTranscript(
    'a-finding-lives-until-the-code-or-a-person-ends-it',
    steady(`=== the pull request\n${discussion(stage)}\n\n=== the summary of the last run\n${back.summary}`),
  );

  await stage.run({ ...openPull(stage, { number: 3, sha: OTHER, diff: CHANGE }), inputs: INPUTS });
  expect(conversations(stage).filter(({ pull }) => pull === 3)).toMatchObject([
    { at: 'src/auth.ts:11', says: 'The token is written to the log' },
  ]);
});

it('a finding is settled by a change elsewhere, and its request for changes is taken back', async () => {
  const stage = await reviewStage([
    calls(LOGGED, ASKS),
    text('Reviewed.'),
    calls(
      settled({ evidence: [{ path: 'src/auth.ts', line: 11, code: LOGGED.input['code'] }] }),
      settled({ finding: 'F7' }),
      SETTLED,
      submit('The log is redacted now.'),
    ),
    text('Reviewed.'),
    SEEN_OVER,
  ]);
  await stage.run({ inputs: INPUTS });
  expect(states(stage)).toEqual(['CHANGES_REQUESTED']);

  const step = await stage.run({ ...push(stage, SECOND, CHANGE + REDACT, REDACT), inputs: INPUTS });
  expect(troubles(step)).toEqual([]);
  const answers = numberHandles(resultsOf(stage.model.prompts()[3]).join('\n'));
  expect(answers).toContain('Not accepted: name in `evidence` a line that changed since F1 was posted');
  expect(answers).toContain('Not accepted: "F7" is not one of your open findings; these are F1.');
  expect(states(stage)).toEqual(['DISMISSED', 'COMMENTED']);
  expect(conversations(stage)).toMatchObject([
    {
      isResolved: true,
      replies: [expect.stringMatching(/^✅ F\w{4} is settled by 6dcb09b: What is logged is redacted now\.$/)],
    },
  ]);
  expect(stage.repo.talk.reviews[1]?.body).toMatch(
    /\n\n- ✅ \[The token is written to the log\]\(\S+\) · F\w{4} — settled by `6dcb09b`\n\n<sub>Reviewed/,
  );
  expect(stage.repo.talk.checkRuns.at(-1)).toMatchObject({ conclusion: 'success' });
  expect(step.outputs).toMatchObject({ 'findings-open': '0', 'findings-worst': '' });
});

it('a finding keeps its request for changes if a second look says that it is still there', async () => {
  const settles = calls(SETTLED, submit('The log is redacted now.'));
  const looks = [STILL_THERE, text('I cannot tell.')];
  const stage = await reviewStage([
    calls(LOGGED, ASKS),
    text('Reviewed.'),
    settles,
    text('Reviewed.'),
    ...looks,
  ]);
  await stage.run({ inputs: INPUTS });
  const step = await stage.run({ ...push(stage, SECOND, CHANGE + REDACT, REDACT), inputs: INPUTS });
  expect(step).toMatchObject({ exitCode: 0, outputs: { 'findings-open': '1' } });
  expect(states(stage)[0]).toBe('CHANGES_REQUESTED');
  expect(conversations(stage)).toMatchObject([{ isResolved: false, replies: [] }]);
  expect(step.summary).toMatch(/F\w{4} stays open, because a second look did not confirm its end/);
  expect(step.summary).toContain('`redacting` is never imported.');
});

it('a finding is not settled by the word of a model on a change from outside', async () => {
  const patch = { 'pull_request.user.login': 'hubot' };
  const replies = [
    [LOGGED, ASKS],
    [SETTLED, submit('The log is redacted now.')],
  ];
  const stage = await reviewStage(
    replies.flatMap((reply) => [calls(...reply), text('Reviewed.')]),
    { event: { name: 'pull_request', action: 'opened', patch } },
  );
  await stage.run({ inputs: INPUTS });
  const step = await stage.run({ ...push(stage, SECOND, CHANGE + REDACT, REDACT, patch), inputs: INPUTS });
  expect(step.exitCode).toBe(0);
  expect(states(stage)[0]).toBe('CHANGES_REQUESTED');
  expect(conversations(stage)).toMatchObject([
    {
      isResolved: false,
      replies: [
        expect.stringMatching(
          /^F\w{4} looks done as of 6dcb09b: What is logged is redacted now\.\n\nA person with write access has to resolve it: the change comes from outside\.$/,
        ),
      ],
    },
  ]);
  expect(stage.repo.talk.checkRuns.at(-1)).not.toMatchObject({ conclusion: 'success' });
});
