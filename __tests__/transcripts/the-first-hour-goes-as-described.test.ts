import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { text } from '../helpers/model-server.js';
import type { StepResult } from '../helpers/run-action.js';
import { runCli } from '../helpers/run-cli.js';
import { tempDir } from '../helpers/temp.js';
import { inputsOf, ownSteps, type Workflow } from '../helpers/workflow-files.js';
import {
  CHANGE,
  calls,
  commentOnPull,
  discussion,
  LOGGED,
  push,
  QUIET,
  replyOnLine,
  SECOND,
  submit,
  TAKEN_OUT,
  TIMING,
  withSecondLook,
} from './review-scene.js';
import { expectTranscript, type Stage, setStage, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const FILE = '.github/workflows/axe.yml';
const IN_RUN = {
  GITHUB_WORKFLOW_REF: `Codertocat/Hello-World/${FILE}@refs/pull/2/merge`,
  GITHUB_ACTION_REPOSITORY: 'acme/axe-action',
  GITHUB_ACTION_REF: 'v1',
};

/** The first workflow, as the change of a pull request. */
const ADDED = `diff --git a/${FILE} b/${FILE}
new file mode 100644
index 0000000..1f7a7a4
--- /dev/null
+++ b/${FILE}
@@ -0,0 +1,1 @@
+name: axe
`;

const REVIEWS = [
  calls(TIMING, LOGGED, submit('The token is compared and logged.')),
  text('Done.'),
  text('Because an attacker can measure it.'),
  calls(submit('The line that logs it is gone.')),
  text('Done.'),
];

/** A pull request that the built-in agent reviews, and how a person goes on. */
async function opened(set: typeof setStage, diff = CHANGE): Promise<Stage> {
  return await set({
    base: {},
    diff,
    model: withSecondLook(REVIEWS),
    roles: { monalisa: 'write' },
  });
}

/** The pull request: the reviews with their comments, the replies, and the comments below them. */
function conversation(stage: Stage): string {
  const { talk, comments } = stage.repo;
  const replies = talk.reviewComments.filter(({ inReplyTo }) => inReplyTo !== undefined);
  return [
    discussion(stage),
    ...replies.map(({ author, body }) => `${author}, in the conversation:\n${body}`),
    ...comments.map(({ author, body }) => `${author}, below:\n${body}`),
  ].join('\n\n');
}

/** Everything that the step shows or leaves on GitHub. */
function shownBy(step: StepResult, stage: Stage): string {
  const annotations = step.annotations.map(({ message }) => message);
  const checks = stage.repo.talk.checkRuns.map((run) => JSON.stringify(run));
  return [conversation(stage), step.log, step.summary, ...annotations, ...checks].join('\n');
}

it('the path of the first hour, minute by minute', async () => {
  const cwd = tempDir('repository');
  mkdirSync(join(cwd, '.git'));
  const wrote = await runCli(['init', '--uses', 'acme/axe-action@v1'], { cwd });
  const doctor = await runCli(['doctor'], { cwd });
  expect([wrote.exitCode, doctor.exitCode]).toEqual([0, 0]);
  const workflow = parse(
    readFileSync(join(cwd, FILE), 'utf8').replace('acme/', 'YOUR_ORG/'),
  ) as Workflow;
  const [step] = Object.values(workflow.jobs).flatMap(ownSteps);
  if (step === undefined) throw new Error('the workflow has no step of ours');
  const inputs = inputsOf(step, workflow);

  const adding = await opened(setStageInProcess, `${ADDED}${CHANGE}`);
  await adding.run({ inputs, env: IN_RUN });
  const ending = discussion(adding).match(/^<sub>Reviewed.*`\/axe`.*$/m)?.[0] ?? '';
  expect(ending).toMatch(/ · `\/axe` comments work once this workflow is merged<\/sub>$/);

  const stage = await opened(setStage);
  const run = async (event: Parameters<Stage['run']>[0] = {}) => {
    const result = await stage.run({ ...event, inputs, env: IN_RUN });
    expect([result.exitCode, troubles(result)]).toEqual([0, []]);
    return result;
  };
  await run();
  const [timing] = stage.repo.talk.reviewComments;
  if (timing === undefined) throw new Error('nothing was posted');
  const asked = stage.model.requests().length;
  await run(replyOnLine(stage, timing.id, 'By design: both sides are constants.'));
  await run(commentOnPull(stage, '/axe help', 1001));
  expect(stage.model.requests()).toHaveLength(asked);
  expect(stage.repo.talk.resolved.has(timing.id)).toBe(true);
  await run(commentOnPull(stage, '/axe ask why?', 1002));
  const second = await run(push(stage, SECOND, { diff: QUIET, fresh: TAKEN_OUT }));
  expect(second.outputs).toMatchObject({ 'findings-open': '1' });

  const parts = [
    ['minute 3: axe-action init', wrote.stdout],
    ['minute 5: axe-action doctor', doctor.stdout],
    ['minute 6: the pull request that adds the workflow', ending],
    ['minutes 6 to 15: the pull request', conversation(stage)],
  ];
  expectTranscript(
    'the-first-hour',
    parts
      .map(([title, shown]) => `=== ${title}\n${shown}\n`)
      .join('\n')
      .replaceAll(cwd, '<repository>'),
  );
});

it('without `trigger-phrase` no text offers a command', async () => {
  const stage = await opened(setStageInProcess);
  const inputs = { agent: 'builtin/pr-reviewer', 'check-run': 'true' };
  const first = await stage.run({ inputs, env: IN_RUN });
  const [timing] = stage.repo.talk.reviewComments;
  if (timing === undefined) throw new Error('nothing was posted');
  const reply = await stage.run({
    ...replyOnLine(stage, timing.id, 'By design: both sides are constants.'),
    inputs,
    env: IN_RUN,
  });
  const repeated = await stage.run({ inputs, env: IN_RUN });
  const second = await stage.run({
    ...push(stage, SECOND, { diff: QUIET, fresh: TAKEN_OUT }),
    inputs,
    env: IN_RUN,
  });
  const shown = [first, reply, repeated, second].map((step) => shownBy(step, stage)).join('\n');
  expect(shown).not.toContain('/axe ');
  expect(shown).toContain(
    '[how to answer](https://github.com/acme/axe-action/blob/v1/docs/reviews.md#when-a-finding-is-over)',
  );
});
