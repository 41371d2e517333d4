import { expect, it } from '@jest/globals';
import { readThisRun } from '../../src/runner/runner.js';

it('the run is identified by the runner’s variables', () => {
  const env = {
    GITHUB_SERVER_URL: 'https://github.com',
    GITHUB_REPOSITORY: 'octocat/hello',
    GITHUB_RUN_ID: '7',
    GITHUB_RUN_ATTEMPT: '2',
    GITHUB_JOB: 'review',
    GITHUB_WORKFLOW: 'Review',
    GITHUB_WORKFLOW_REF: 'octocat/hello/.github/workflows/review.yml@refs/heads/main',
  };
  expect(readThisRun(env)).toEqual({
    runUrl: 'https://github.com/octocat/hello/actions/runs/7',
    workflow: '.github/workflows/review.yml',
    run: '7/2/review',
  });
  const { GITHUB_WORKFLOW_REF: _, ...older } = env;
  expect(readThisRun(older).workflow).toBe('Review');
});

it('no run is identified outside of a workflow', () => {
  expect(readThisRun({})).toEqual({ runUrl: '', workflow: '', run: '//' });
});
