import { expect, it } from '@jest/globals';
import { CHANGE, discussion } from './review-scene.js';
import { expectTranscript, setStage, steady, troubles } from './stage.js';

it('the review is on the lines with findings, and states that no model wrote it', async () => {
  const stage = await setStage({ diff: CHANGE });
  const inputs = { agent: 'builtin/pr-reviewer', model: 'offline/rules' };
  const step = await stage.run({ inputs, env: { ANTHROPIC_API_KEY: '' } });
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(stage.model.requests()).toEqual([]);
  expect(stage.repo.talk.reviewComments.map(({ path, line }) => [path, line])).toEqual([['src/auth.ts', 11]]);
  expect(stage.repo.comments).toEqual([]);
  expectTranscript('the-offline-rules-post-a-review', `${steady(discussion(stage))}\n`);
});
