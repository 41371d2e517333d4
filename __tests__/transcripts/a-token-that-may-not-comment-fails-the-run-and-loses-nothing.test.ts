import { expect, it } from '@jest/globals';
import { ANSWER, expectTranscript, routesOf, seen, setStage, troubles } from './stage.js';

it('the run fails, with the answer in the summary and the permission to add in one line', async () => {
  const stage = await setStage({ github: { readOnly: true } });
  const step = await stage.run({ inputs: { 'memory-store': 'cache' } });
  expect(step).toMatchObject({
    exitCode: 1,
    outputs: { conclusion: 'failure', response: ANSWER, 'memory-saved': 'true' },
  });
  expect(step.outputs['comment-url']).toBeUndefined();
  expect(troubles(step)).toMatchObject([
    { level: 'error', message: expect.stringContaining('`pull-requests: write`') },
  ]);
  expect(step.summary).toContain(ANSWER);
  expectTranscript('a-token-that-may-not-comment-fails-the-run-and-loses-nothing', seen(step, stage));
});

it.each([
  ['a locked conversation', 403, 'Unable to create comment because issue is locked.', {}],
  ['a rate limit', 429, 'You have exceeded a secondary rate limit', { 'retry-after': '3600' }],
  ['a refusal', 422, 'Validation Failed', {}],
])(
  'the answer is remembered for %s, although it could not be posted',
  async (_, status, message, headers) => {
    const stage = await setStage();
    stage.github.fail({
      route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
      status,
      body: { message },
      headers,
    });
    const step = await stage.run();
    expect(step.exitCode).toBe(1);
    expect(troubles(step)).toMatchObject([{ level: 'error', message: expect.stringContaining(message) }]);
    expect(step.summary).toContain(ANSWER);
    expect(step.outputs['memory-saved']).toBe('true');
    expect(step.outputs['memory-entry']).not.toContain('Posted a comment');
  },
);

it('a secondary rate limit is waited for, and then one comment is posted', async () => {
  const stage = await setStage();
  stage.github.fail({
    route: 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments',
    status: 403,
    body: { message: 'You have exceeded a secondary rate limit' },
    headers: { 'retry-after': '1' },
  });
  const step = await stage.run();
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(stage.repo.comments).toHaveLength(1);
});

it('no comment and no warning is written if comments are off', async () => {
  const stage = await setStage();
  const step = await stage.run({ inputs: { comment: 'never' } });
  expect(step.exitCode).toBe(0);
  expect(troubles(step)).toEqual([]);
  expect(stage.repo.comments).toEqual([]);
  expect(routesOf(stage).filter((route) => route.includes('comment'))).toEqual([]);
});
