import { expect, it } from '@jest/globals';
import { httpError } from '../../../src/github/client/errors.js';

it.each([
  ['POST /repos/o/r/pulls/1/reviews', '`pull-requests: write`'],
  ['PUT /repos/o/r/pulls/1/reviews/2/dismissals', '`pull-requests: write`'],
  ['POST /repos/o/r/pulls/comments/1/reactions', '`pull-requests: write`'],
  ['GET /repos/o/r/pulls/1/commits', '`pull-requests: read`'],
  ['POST /repos/o/r/issues', '`issues: write`'],
  ['PATCH /repos/o/r/issues/1', '`issues: write` or `pull-requests: write`'],
  ['POST /repos/o/r/issues/1/labels', '`issues: write` or `pull-requests: write`'],
  ['POST /repos/o/r/issues/1/assignees', '`issues: write` or `pull-requests: write`'],
  ['POST /repos/o/r/issues/comments/1/reactions', '`issues: write` or `pull-requests: write`'],
  ['GET /repos/o/r/labels/bug', '`issues: read` or `pull-requests: read`'],
  ['POST /repos/o/r/check-runs', '`checks: write`'],
  ['GET /repos/o/r/commits/main/check-runs', '`checks: read`'],
  ['GET /repos/o/r/commits/feature/a/check-runs', '`checks: read`'],
  ['GET /repos/o/r/commits/main/status', '`statuses: read`'],
  ['GET /repos/o/r/commits', '`contents: read`'],
  ['GET /repos/o/r/actions/jobs/1/logs', '`actions: read`'],
  ['GET /repos/o/r/contents/check-runs', '`contents: read`'],
  ['GET /search/code', '`contents: read`'],
  ['GET /search/issues', '`issues: read` or `pull-requests: read`'],
])('%s without its permission requires %s', (asked, wanted) => {
  const error = httpError(asked, {
    status: 403,
    headers: {},
    body: { message: 'Resource not accessible by integration' },
  });
  expect(error.remedy).toBe(`Add ${wanted} under \`permissions:\` of the job.`);
});

it('a permission that is needed with `write` anyway is named so at once', () => {
  const { remedy } = httpError(
    'GET /repos/o/r/commits/main/check-runs',
    { status: 403, headers: {}, body: {} },
    ['checks'],
  );
  expect(remedy).toBe('Add `checks: write` under `permissions:` of the job.');
});
