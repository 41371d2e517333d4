import { expect, it } from '@jest/globals';
import { text } from '../helpers/model-server.js';
import { schedulePayload } from '../helpers/webhooks.js';
import {
  ANSWER,
  expectTranscript,
  type Stage,
  seen,
  setStage,
  steady,
  told,
  troubles,
} from './stage.js';
import { setStageInProcess } from './stage-in-process.js';

const SCHEDULE = { name: 'schedule', payload: schedulePayload('0 6 * * 1') };
const WORKFLOW = {
  GITHUB_WORKFLOW_REF: 'Codertocat/Hello-World/.github/workflows/report.yml@refs/heads/master',
};
const TO_ISSUE = { 'report-to': 'issue' };

function issuesOf({ repo }: Stage): string {
  return [...repo.issues.values()]
    .map(({ number, title, author, body }) => `${author} #${number} ${title}\n${body}`)
    .join('\n\n');
}

it('a report on a schedule opens an issue, and the next run updates it', async () => {
  const stage = await setStage({
    event: SCHEDULE,
    model: [
      text('Three tests fail.\n\nAsk @octocat. ![](https://evil.example/p.png)'),
      text('All is well.'),
    ],
  });
  const inputs = { ...TO_ISSUE, language: 'German' };
  const first = await stage.run({ inputs, env: WORKFLOW });
  expect(troubles(first)).toEqual([]);
  expect(stage.model.prompts()[0]?.system).toContain(
    '## Language\n\nWrite everything that people will read (your answer, comments, summaries, issues) in this language: German.',
  );
  const opened = issuesOf(stage);
  const second = await stage.run({ inputs, env: WORKFLOW, runId: '1658821494' });
  expect(second.outputs['memory-entry']).toContain('**Result:** Updated the report #1.\n');
  expect(stage.repo.issues.size).toBe(1);
  expect(issuesOf(stage)).not.toContain('Three tests fail.');
  expectTranscript(
    'a-schedule-reports-in-one-issue',
    [seen(first, stage), opened, issuesOf(stage), ''].map(steady).join('\n=====\n'),
  );
});

it('a report on a schedule stays separate from reports of other workflows, and leaves a closed one alone', async () => {
  const stage = await setStageInProcess({ event: SCHEDULE });
  await stage.run({ inputs: TO_ISSUE, env: WORKFLOW });
  const other = { GITHUB_WORKFLOW_REF: WORKFLOW.GITHUB_WORKFLOW_REF.replace('report', 'other') };
  await stage.run({ inputs: TO_ISSUE, env: other });
  expect([...stage.repo.issues.keys()]).toEqual([1, 2]);
  stage.repo.talk.closedIssues.add(2);
  await stage.run({ inputs: TO_ISSUE, env: other });
  expect([...stage.repo.issues.keys()]).toEqual([1, 2, 3]);
});

it('a report on a schedule fails the run, with the permission to add, if it cannot be written', async () => {
  const stage = await setStageInProcess({ event: SCHEDULE, github: { readOnly: true } });
  const step = await stage.run({ inputs: { ...TO_ISSUE, 'memory-store': 'cache' } });
  expect(step).toMatchObject({ exitCode: 1, outputs: { conclusion: 'failure' } });
  expect(told(step)).toEqual([
    expect.stringMatching(
      /^error: the answer is in the job summary, but the issue was not written: .*`issues: write`/,
    ),
  ]);
  expect(step.summary).toContain(ANSWER);
  expect(step.outputs['memory-entry']).not.toContain('report');
});

it('an issue is not used for the answer about a pull request', async () => {
  const stage = await setStageInProcess();
  const step = await stage.run({ inputs: TO_ISSUE });
  expect(step.exitCode).toBe(0);
  expect([stage.repo.issues.size, stage.repo.comments.length]).toEqual([0, 1]);
});
