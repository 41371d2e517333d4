import { expect, it } from '@jest/globals';
import { httpError, networkError } from '../../../src/github/client/errors.js';
import { refusalOf } from '../../../src/github/posting/review.js';

const asked = 'POST /repos/octocat/hello/pulls/42/reviews';

function refused(errors: readonly unknown[], message = 'Unprocessable Entity', status = 422) {
  return httpError({ requestLine: asked, status, headers: {}, body: { message, errors } });
}

it.each([
  ['Line could not be resolved', 'line'],
  ['Line could not be resolved, Path could not be resolved, and Line could not be resolved', 'line'],
  [
    "Pull request review thread line must be part of the diff and Pull request review thread diff hunk can't be blank",
    'line',
  ],
  ['Start line must be part of the same hunk as the line.', 'line'],
  ['Pull request review thread start line must precede the end line.', 'line'],
  ['Review comments is invalid and Review threads is invalid', 'line'],
  ['Review Can not request changes on your own pull request', 'event'],
  ['lock prevents review', 'other'],
  ['User can only have one pending review per pull request', 'other'],
  ['The commitOID is not part of the pull request', 'other'],
])('a 422 that says "%s" is %s', (error, kind) => {
  expect(refusalOf(refused([error]))).toBe(kind);
});

it('an older server’s error objects are understood too', () => {
  const error = {
    resource: 'PullRequestReviewComment',
    code: 'custom',
    field: 'pull_request_review_thread.line',
    message: 'pull_request_review_thread.line must be part of the diff',
  };
  expect(refusalOf(refused([error], 'Validation Failed'))).toBe('line');
});

it.each([
  ['a 502', refused([], '', 502), 'lost'],
  ['no answer', networkError(asked, { code: undefined, message: 'socket hang up' }), 'lost'],
  ['a 403 with the same words', refused(['Line could not be resolved'], '', 403), 'other'],
])('%s is %s', (_, error, kind) => {
  expect(refusalOf(error)).toBe(kind);
});
