import { expect, it } from '@jest/globals';
import { reviewCommand } from '../../src/review/command.js';
import { comment, issue, pullRequest } from '../helpers/triggers.js';

it.each([
  ['/axe review', false],
  ['/axe review full', true],
  ['  /AXE  Review  FULL  \nPlease look at the locks.', true],
  ['\r\n/axe review\r\n', false],
])('a comment requests a review: %j', (body, isFull) => {
  expect(reviewCommand(comment({ on: 'pull_request', body }))).toEqual({ isFull });
});

it.each(['/axe reviews', '/axe review fully', 'Please /axe review', '    /axe review', '> /axe review', ''])(
  'a comment requests no review: %j',
  (body) => {
    expect(reviewCommand(comment({ on: 'pull_request', body }))).toBeUndefined();
  },
);

it('a review is only requested below a pull request', () => {
  const body = '/axe review';
  expect(reviewCommand(comment({ on: 'issue', body }))).toBeUndefined();
  expect(reviewCommand(issue({ body }))).toBeUndefined();
  expect(reviewCommand(pullRequest({ body }))).toBeUndefined();
});
