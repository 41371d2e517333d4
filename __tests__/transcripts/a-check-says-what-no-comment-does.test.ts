import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { CHANGE, calls, LOGGED, REVIEWER, submit, TIMING } from './review-scene.js';
import { HEAD, type StageOptions, told, troubles } from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const REVIEW = 'POST /repos/{owner}/{repo}/pulls/{pull_number}/reviews';
const CHECK = 'POST /repos/{owner}/{repo}/check-runs';
const DENIED = {
  status: 403,
  body: {
    message: 'Resource not accessible by integration',
    documentation_url: 'https://docs.github.com',
    status: '403',
  },
} as const;

function stageWith(model: StageOptions['model']) {
  const base = { 'axe/agents/reviewer.toml': REVIEWER };
  return setStageInProcess({ base, diff: CHANGE, ...(model === undefined ? {} : { model }) });
}

const FINDINGS = [calls(TIMING, LOGGED, submit('Two things to fix.')), text('I have reviewed the change.')];

it('a check holds the findings on their lines if nothing is commented, and blocks nothing', async () => {
  const stage = await stageWith(FINDINGS);
  const step = await stage.run({ inputs: { comment: 'never', 'check-run': 'true' } });
  expect(step.exitCode).toBe(0);
  expect(step.annotations.filter(({ file }) => file !== undefined)).toEqual([]);
  expect(troubles(step)).toEqual([]);
  expect(stage.repo.talk.reviews).toEqual([]);
  expect(step.summary).toMatch(/^\[Check of the commit\]\(https:\S+\)\n/m);
  expect(step.summary).toContain('**Findings not posted as comments**');
  expect(stage.repo.talk.checkRuns).toMatchObject([
    {
      headSha: HEAD,
      name: 'reviewer',
      conclusion: 'neutral',
      title: '1 critical, 1 major open · whole',
      summary: expect.stringContaining('Two things to fix.'),
      annotations: [
        {
          path: 'src/auth.ts',
          start_line: 11,
          title: 'The token is written to the log',
          message: expect.stringMatching(/The token ends up in the log\.$/),
        },
        {
          path: 'src/auth.ts',
          start_line: 12,
          end_line: 12,
          annotation_level: 'warning',
          title: 'The comparison of tokens leaks by time',
        },
      ],
    },
  ]);
});

it('a check replaces the review that the token cannot post', async () => {
  const stage = await stageWith(FINDINGS);
  stage.github.fail({ route: REVIEW, ...DENIED });
  const step = await stage.run({ inputs: { 'check-run': 'true' } });
  expect(step.annotations.filter(({ file }) => file !== undefined)).toEqual([]);
  expect(troubles(step)).toHaveLength(1);
  expect(stage.repo.talk.checkRuns).toMatchObject([{ annotations: [{}, {}] }]);
});

it('a check repeats nothing from the review, and the next step writes the one that is there', async () => {
  const stage = await stageWith([...FINDINGS, ...FINDINGS]);
  for (const _ of [1, 2]) await stage.run({ inputs: { 'check-run': 'true' } });
  expect(stage.repo.talk.reviews).toHaveLength(1);
  const check = { conclusion: 'neutral', title: '1 critical, 1 major open · whole', annotations: [] };
  expect(stage.repo.talk.checkRuns).toMatchObject([check]);
});

it.each([
  ['major', calls(TIMING, submit('Must not be merged.')), 'failure'],
  ['', calls(TIMING, submit('Must not be merged.')), 'neutral'],
  ['major', calls(submit('All is well.')), 'success'],
])('a check with `block-on: %s` has the verdict of the review', async (blockOn, reply, conclusion) => {
  const stage = await stageWith([reply, text('Done.')]);
  await stage.run({ inputs: { 'check-run': 'true', 'block-on': blockOn } });
  expect(stage.repo.talk.checkRuns.map((run) => run.conclusion)).toEqual([conclusion]);
});

it('a check that cannot be written causes one warning, and the runner shows the findings', async () => {
  const stage = await stageWith(FINDINGS);
  stage.github.fail({ route: REVIEW, ...DENIED });
  stage.github.fail({ route: CHECK, ...DENIED, times: 99 });
  const step = await stage.run({ inputs: { 'check-run': 'true' } });
  // Nothing could be published, so the run is not a success (`fail-on`).
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(told(step).join('\n')).toMatch(/the check was not written: .*`checks: write`/);
  expect(step.annotations.flatMap(({ file, line }) => (file === undefined ? [] : [line]))).toEqual([11, 12]);
});

it('a check states that an agent has answered which does not review', async () => {
  const stage = await setStageInProcess();
  await stage.run({ inputs: { 'check-run': 'true' } });
  expect(stage.repo.comments).toHaveLength(1);
  expect(stage.repo.talk.checkRuns).toMatchObject([
    {
      headSha: HEAD,
      conclusion: 'neutral',
      title: 'Answered · whole',
      summary: expect.stringContaining('`==`'),
    },
  ]);
});
