import { expect, it } from '@jest/globals';
import { type FaultAnswer, graphQlRateLimit } from '../helpers/github-faults.js';
import { text } from '../helpers/model-server.js';
import {
  CHANGE,
  calls,
  conversations,
  DOCS,
  push,
  submit,
  TIMING,
  withSecondLook,
} from './review-scene.js';
import { setStageInProcess } from './stage-in-process.js';

const INPUTS = {
  agent: 'builtin/pr-reviewer',
  'memory-store': 'branch',
  'fail-on': 'failure, incomplete, findings:major',
};
const DONE = text('Reviewed.');

const DATA_AND_ERRORS = {
  data: { repository: { issueOrPullRequest: null, checked: null } },
  errors: [{ message: 'Field could not be resolved', path: ['repository', 'issueOrPullRequest'] }],
};

/** Each with the number of queries that it meets: the first two are asked again after a pause. */
const ANSWERS: Readonly<Record<string, FaultAnswer & { readonly times: number }>> = {
  'a page of HTML with status 200': {
    status: 200,
    body: '<html><body>Sign in</body></html>',
    times: 1,
  },
  'half a body': { status: 200, body: '{"data":{"repository":{"issueOrPull', times: 1 },
  'data with errors': { status: 200, body: DATA_AND_ERRORS, times: 99 },
  'a limit that is spent for an hour': {
    ...graphQlRateLimit(Math.floor(Date.now() / 1000) + 3600),
    times: 99,
  },
};

/** The first query of a run, its second, and the last ones. */
const FROM = [0, 1, 4];

const ROWS = Object.keys(ANSWERS).flatMap((name) => FROM.map((skip) => [name, skip] as const));

it.each(ROWS)('%s from query %i on loses no finding and frees no gate', async (name, skip) => {
  const answer = ANSWERS[name] ?? { status: 500, times: 99 };
  const again = [calls(submit('Nothing new.')), DONE];
  const model = withSecondLook([calls(TIMING, submit('One.')), DONE, ...again, ...again]);
  const stage = await setStageInProcess({ diff: CHANGE, model });
  expect((await stage.run({ inputs: INPUTS })).outputs).toMatchObject({ 'findings-open': '1' });

  stage.github.fail({ ...answer, route: 'POST /graphql', skip });
  const strange = await stage.run({
    ...push(stage, 'd'.repeat(40), { diff: CHANGE, fresh: DOCS }),
    inputs: INPUTS,
  });
  expect(strange.exitCode).toBe(1);
  expect(strange.log).not.toMatch(/^ +at /m);

  stage.github.recover();
  const usual = await stage.run({
    ...push(stage, 'e'.repeat(40), { diff: CHANGE, fresh: DOCS }),
    inputs: INPUTS,
  });
  expect(usual).toMatchObject({ exitCode: 1, outputs: { 'findings-open': '1' } });
  expect(conversations(stage)).toMatchObject([{ at: 'src/auth.ts:12', isResolved: false }]);
});
