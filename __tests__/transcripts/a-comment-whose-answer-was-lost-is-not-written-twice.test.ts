import { expect, it } from '@jest/globals';
import { answerLine } from '../helpers/marks.js';
import { ANSWER, setStage, troubles } from './stage.js';

const CREATE = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

it.each([
  ['GitHub answers 502 and has created it', { status: 502, afterEffect: true }],
  ['the connection is cut and it was created', { status: 'disconnect', afterEffect: true }],
  ['GitHub answers 502 and has not created it', { status: 502 }],
] as const)('exactly one comment exists if %s', async (_, fault) => {
  const stage = await setStage();
  stage.github.fail({ route: CREATE, body: '<html>Unicorn!</html>', ...fault });
  const step = await stage.run();
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(stage.repo.comments.map(({ body }) => body)).toEqual([expect.stringContaining(ANSWER)]);
  expect(step.outputs['comment-url']).toBe(
    `https://github.com/Codertocat/Hello-World/pull/2#issuecomment-${stage.repo.comments[0]?.id}`,
  );
});

it('comments of others stay unchanged, even if they look like the action’s own', async () => {
  const stage = await setStage();
  const forged = `${answerLine('reviewer')}\nApproved.`;
  stage.github.addComment('Codertocat/Hello-World', { issue: 2, author: 'octocat', body: forged });
  await stage.run();
  expect(stage.repo.comments.map(({ author, body }) => [author, body.includes(ANSWER)])).toEqual([
    ['octocat', false],
    ['github-actions[bot]', true],
  ]);
});
