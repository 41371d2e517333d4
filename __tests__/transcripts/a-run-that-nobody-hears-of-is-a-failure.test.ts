import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { CHANGE, calls, LOGGED, REVIEWER, submit } from './review-scene.js';
import { ANSWER, type StageOptions, setStage, told, troubles } from './stage.js';

const DENIED = {
  status: 403,
  body: { message: 'Resource not accessible by integration' },
  times: 99,
} as const;
const FILES = 'GET /repos/{owner}/{repo}/pulls/{pull_number}/files';
const COMPARE = 'GET /repos/{owner}/{repo}/compare/{basehead}';
const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const COMMENT = 'POST /repos/{owner}/{repo}/issues/{issue_number}/comments';

const REVIEWS: StageOptions = {
  base: { 'axe/agents/reviewer.toml': REVIEWER },
  diff: CHANGE,
  model: [calls(LOGGED, submit('One thing.')), text('Reviewed.')],
};

it.each<[string, string, StageOptions]>([
  ['review', REVIEW, REVIEWS],
  ['comment', COMMENT, {}],
])('a run fails if its %s could not be posted, with the reason in one line', async (_, route, options) => {
  const stage = await setStage(options);
  stage.github.fail({ route, ...DENIED });
  const step = await stage.run();
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(troubles(step)).toMatchObject([{ level: 'error' }]);
  expect(told({ annotations: troubles(step) })[0]).toMatch(
    /Resource not accessible.*The run failed because of it\.$/,
  );
  expect(step.summary).toMatch(/^### reviewer: failure · /);
});

it('a run does not fail if a part of it was published, or if `fail-on` excludes it', async () => {
  const stage = await setStage(REVIEWS);
  stage.github.fail({ route: REVIEW, ...DENIED });
  expect((await stage.run({ inputs: { 'check-run': 'true' } })).outputs['conclusion']).toBe('success');
  const green = await setStage();
  green.github.fail({ route: COMMENT, ...DENIED });
  const step = await green.run({ inputs: { 'fail-on': 'timeout' } });
  expect(step).toMatchObject({ exitCode: 0, outputs: { conclusion: 'failure', response: ANSWER } });
});

it.each([
  ['an agent that posts reviews', REVIEWS],
  ['an agent that comments', {}],
])('a run that could read nothing fails before a model is called: %s', async (_, options) => {
  const stage = await setStage(options);
  for (const route of [FILES, COMPARE]) stage.github.fail({ route, ...DENIED });
  const step = await stage.run();
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(stage.model.requests()).toEqual([]);
  expect(told(step)).toEqual([
    expect.stringMatching(/^error: nothing of pull request #2 could be read: .*`contents: read`/s),
  ]);
});
