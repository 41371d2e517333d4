import { expect, it } from '@jest/globals';
import { type ScriptedToolCall, text } from '../helpers/model-server.js';
import {
  CHANGE,
  calls,
  discussion,
  LOGGED,
  push,
  reviewStage,
  SECOND,
  states,
  submit,
  TIMING,
} from './review-scene.js';
import { expectTranscript, HEAD, seen, setStage, steady, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

it('a review by the offline rules is on the lines with findings, and states that no model wrote it', async () => {
  const stage = await setStageInProcess({ diff: CHANGE });
  const inputs = { agent: 'builtin/pr-reviewer', model: 'offline/rules' };
  const step = await stage.run({ inputs, env: { ANTHROPIC_API_KEY: '' } });
  expect([step.exitCode, troubles(step), stage.model.requests(), stage.repo.comments]).toEqual([
    0,
    [],
    [],
    [],
  ]);
  expectTranscript('the-offline-rules-post-a-review', `${steady(discussion(stage))}\n`);
});

const NEXT_CHANGE = CHANGE.replace('@@ -10,3 +10,4 @@', '@@ -10,3 +10,5 @@').replace(
  '+  console.log(token);',
  '+  const now = Date.now();\n+  console.log(token);',
);
/** What is new since the first head. */
const ADDED = CHANGE.slice(0, CHANGE.indexOf('@@ ')).concat(
  '@@ -10,3 +10,4 @@ export function isValid(token: string): boolean {\n   const expected = readToken();\n',
  '+  const now = Date.now();\n   console.log(token);\n   return expected == token;\n',
);
const UNUSED: ScriptedToolCall = {
  name: 'add_review_comment',
  input: {
    path: 'src/auth.ts',
    line: 11,
    code: '  const now = Date.now();',
    title: 'A variable is never used',
    body: '`now` is never used.',
    category: 'other',
    effect: 'upkeep',
    reach: 'always',
  },
};

it('comments are posted on lines once, and after the next push only on what is new', async () => {
  const replies = [
    calls(TIMING, LOGGED, submit('Two things to fix.')),
    text('I have reviewed the change.'),
    calls(TIMING, LOGGED, UNUSED),
    calls(submit('One more.')),
    text('I have reviewed the push.'),
  ];
  const stage = await reviewStage(replies, { roles: {} }, setStage);
  const first = await stage.run();
  expect(first.exitCode).toBe(0);
  const opened = discussion(stage);
  const second = await stage.run({ ...push(stage, SECOND, NEXT_CHANGE, ADDED), runId: '1658821494' });
  expect(stage.repo.talk.reviewComments.map(({ line, commit }) => [line, commit])).toEqual([
    [11, HEAD],
    [12, HEAD],
    [11, SECOND],
  ]);
  expectTranscript(
    'a-review-stands-on-its-lines-and-is-not-repeated',
    [seen(first, stage), opened, seen(second, stage), discussion(stage), ''].map(steady).join('\n=====\n'),
  );
});

it('a review requests changes if the workflow allows it, and takes that back when what blocks has been fixed as it was suggested', async () => {
  const replies = [calls(TIMING, submit('Must not be merged.')), calls(submit('All fixed.'))];
  const stage = await reviewStage(replies.flatMap((reply) => [reply, text('Done.')]));
  const inputs = { 'block-on': 'major' };
  await stage.run({ inputs });
  expect(states(stage)).toEqual(['CHANGES_REQUESTED']);
  const fixed = CHANGE.replace('+  return expected == token;', '+  return timingSafeEqual(expected, token);');
  await stage.run({ ...push(stage, SECOND, fixed), inputs });
  expect(states(stage)).toEqual(['DISMISSED', 'COMMENTED']);
  const bodies = stage.repo.talk.reviews.map(({ body }) => body).join('\n');
  expect(bodies).toContain('— settled: its suggestion was committed');
  expect(stage.repo.talk.resolved.size).toBe(1);
});
