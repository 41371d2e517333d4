import { expect, it } from '@jest/globals';
import { seedReaction } from '../helpers/github-review-seed.js';
import { type ModelReply, type ScriptedToolCall, text } from '../helpers/model-server.js';
import {
  CHANGE,
  calls,
  conversations,
  LOGGED,
  openPull,
  push,
  reviewStage,
  submit,
  TIMING,
} from './review-scene.js';
import type { Stage } from './stage.js';
import { resultsOf } from './tool-scene.js';

const SHAS = ['1', '2', '3', '4', '5'].map((digit) => digit.repeat(40));
const INPUTS = { 'memory-store': 'branch' };

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

const DONE = text('Reviewed.');

async function stageWith(model: readonly ModelReply[]): Promise<Stage> {
  const stage = await reviewStage([calls(FIRST, submit('One thing.')), DONE, ...model]);
  await stage.run({ inputs: INPUTS });
  return stage;
}

/** A wording as a model raises it that says, once it is asked, that it means the earlier finding. */
function raisedAndAsked(
  wording: ScriptedToolCall,
  ...more: readonly ScriptedToolCall[]
): readonly ModelReply[] {
  const again = { ...wording, input: { ...wording.input, same_as: 'F1' } };
  return [calls(wording), calls(again, ...more, submit('One thing.')), DONE];
}

it('a finding on one line with four wordings in four pushes is one conversation', async () => {
  const stage = await stageWith(WORDINGS.flatMap((wording) => raisedAndAsked(wording)));
  for (const [index] of WORDINGS.entries()) {
    const step = await stage.run({ ...push(stage, SHAS[index] ?? '', CHANGE), inputs: INPUTS });
    expect(step).toMatchObject({ exitCode: 0, outputs: { 'findings-open': '1' } });
  }
  expect(conversations(stage)).toMatchObject([
    { says: 'The access token is written to the log', replies: [] },
  ]);
  expect(stage.repo.talk.reviews).toHaveLength(1);
});

it('a finding whose words do not decide causes a question to the model, which answers it', async () => {
  const stage = await stageWith(raisedAndAsked(UNLIKE));
  await stage.run({ ...push(stage, SHAS[0] ?? '', CHANGE), inputs: INPUTS });
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
  const stage = await stageWith([
    ...raisedAndAsked(said, TIMING),
    calls(FIRST, TIMING, submit('Two things.')),
    DONE,
  ]);
  const [logged] = stage.repo.talk.reviewComments;
  seedReaction(stage.repo, { on: 'review-comment', of: logged?.id ?? 0, author: 'monalisa', content: '-1' });

  const second = await stage.run({ ...push(stage, SHAS[0] ?? '', CHANGE), inputs: INPUTS });
  expect(second.outputs).toMatchObject({ 'findings-open': '1' });
  expect(conversations(stage).map(({ at }) => at)).toEqual(['src/auth.ts:11', 'src/auth.ts:12']);

  const opened = openPull(stage, { number: 3, sha: SHAS[1] ?? '', diff: CHANGE });
  const third = await stage.run({ ...opened, inputs: INPUTS });
  expect(third.summary).toMatch(/\| \[new\]\(\S+\): dismissed before on #2 \|/);
  expect(third.outputs).toMatchObject({ 'findings-worst': 'critical' });
  const [first] = stage.repo.talk.reviewComments.filter(({ pull }) => pull === 3);
  expect(first?.body).toContain('*Dismissed before, on #2. ');
});
