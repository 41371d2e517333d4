import { expect, it } from '@jest/globals';
import { text, toolCall } from '../helpers/model-server.js';
import { resultsIn } from './memory-scene.js';
import {
  CHANGE,
  calls,
  conversations,
  LOG_GONE,
  LOGGED,
  push,
  QUIET,
  REVIEW_INPUTS,
  REVIEWER,
  reviewStage,
  SECOND,
  SEEN_OVER,
  states,
  submit,
  TAKEN_OUT,
} from './review-scene.js';
import { HEAD, REPO, type Stage, setStage } from './stage.js';
import { resultsOf } from './tool-scene.js';

const READER = REVIEWER.replace('"submit_review"', '"submit_review", "github_checks"');
const FAILED = 'not ok 1 - tokens are compared in constant time';

/** A workflow of the repository failed on the commit, with a log that anybody can read. */
function failCheck({ repo: { talk } }: Stage, headSha: string, job: number): void {
  talk.checkRuns.push({
    id: job,
    headSha,
    externalId: '',
    title: null,
    summary: null,
    annotations: [],
    status: 'completed',
    conclusion: 'failure',
    app: 'github-actions',
    name: 'test',
    job,
  });
  talk.jobLogs.set(job, `${FAILED}\n`);
}

function ownCheck({ repo: { talk } }: Stage) {
  return talk.checkRuns.filter(({ name }) => name !== 'test').at(-1);
}

it('a pull request with a red check keeps its titles, its memory and the end of its findings', async () => {
  const replies = [
    toolCall('github_checks', {}),
    calls(LOGGED, submit('The token must not be logged.')),
    text('Reviewed.'),
    toolCall('github_checks', {}),
    calls(LOG_GONE, submit('Nothing is logged any more.')),
    text('Reviewed.'),
    SEEN_OVER,
  ];
  const base = { 'axe/agents/reviewer.toml': READER };
  const stage = await reviewStage(replies, { base, diff: CHANGE }, setStage);
  const log = () => stage.github.files(REPO, 'axe-memory');

  failCheck(stage, HEAD, 901);
  const raised = await stage.run({ inputs: REVIEW_INPUTS });
  expect(raised).toMatchObject({ exitCode: 0, outputs: { 'findings-open': '1' } });
  expect(resultsOf(stage.model.prompts()[1])).toEqual([expect.stringContaining(FAILED)]);
  expect(raised.log).toContain('Trust:  full');
  expect(states(stage)).toEqual(['CHANGES_REQUESTED']);
  expect(ownCheck(stage)).toMatchObject({ headSha: HEAD, conclusion: 'failure' });

  const next = push(stage, SECOND, { diff: QUIET, fresh: TAKEN_OUT });
  failCheck(stage, SECOND, 902);
  const before = stage.model.requests().length;
  const settled = await stage.run({ ...next, inputs: REVIEW_INPUTS });
  const [asked, read] = stage.model.prompts().slice(before);
  expect(asked?.messages.join('\n')).toContain('The token is written to the log');
  expect(resultsOf(read)).toEqual([expect.stringContaining(FAILED)]);
  expect(settled).toMatchObject({
    exitCode: 0,
    outputs: { conclusion: 'success', 'findings-open': '0' },
  });
  expect(settled.log).toContain('Trust:  full');
  expect(conversations(stage)).toMatchObject([{ isResolved: true }]);
  expect(states(stage)[0]).toBe('DISMISSED');
  expect(ownCheck(stage)).toMatchObject({ headSha: SECOND, conclusion: 'success' });

  expect(Object.keys(log()).filter((path) => path.includes('/reviewer.md'))).toEqual([]);
  expect(resultsIn(log()['reviewer.md'] ?? '')).toHaveLength(2);
});
