import { expect, it } from '@jest/globals';
import { commentOnPull } from './review-scene.js';
import { expectTranscript, type Stage, seen, setStage, troubles } from './stage.js';

/** A writer's comment below the pull request of the stage. */
async function say(stage: Stage, body: string, commentId: number) {
  const trunk = `refs/heads/${stage.repo.defaultBranch}`;
  const env = stage.cache.env({ ref: trunk, readableRefs: [trunk] });
  return await stage.run({ ...commentOnPull(stage, body, commentId), env });
}

it('the pause is kept in memory, and no model is called until a writer takes it back', async () => {
  const stage = await setStage();
  const paused = await say(stage, '/axe pause', 1001);
  expect(paused).toMatchObject({ exitCode: 0 });
  const texts = [seen(paused, stage)];
  const skipped = await stage.run();
  expect(skipped).toMatchObject({
    exitCode: 0,
    outputs: { conclusion: 'skipped', reason: 'paused' },
  });
  expect(stage.model.requests()).toEqual([]);
  texts.push(seen(skipped, stage));

  const resumed = await say(stage, '/axe resume', 1002);
  texts.push(seen(resumed, stage));
  const ran = await stage.run();
  expect(ran).toMatchObject({ exitCode: 0, outputs: { conclusion: 'success' } });
  expect([paused, skipped, resumed, ran].flatMap(troubles)).toEqual([]);
  expect(stage.model.requests()).toHaveLength(1);
  expectTranscript('a-paused-pull-request-is-left-alone-until-it-is-resumed', texts.join('\n'));
});
