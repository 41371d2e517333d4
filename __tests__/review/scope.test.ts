import { expect, it } from '@jest/globals';
import { planScope, reviewCommand } from '../../src/review/scope.js';
import type { Reviewed } from '../../src/review/state-facts.js';
import { comment, issue, pullRequest } from '../helpers/triggers.js';

const [LAST, HEAD] = ['2', '3'].map((digit) => digit.repeat(40)) as [string, string];
const AT = Date.parse('2026-11-22T10:00:00Z');
const REVIEWED: Reviewed = { kind: 'reviewed', pull: 42, head: LAST, base: 'b', into: 'main', at: AT };

it('the scope of a review does not treat an unknown base as a different one', () => {
  const { into: _, ...without } = REVIEWED;
  const question = { pull: 42, head: HEAD, isFullRequested: false };
  expect(planScope({ ...question, facts: [without], into: 'main' }).kind).toBe('ask');
  expect(planScope({ ...question, facts: [REVIEWED], into: '' }).kind).toBe('ask');
});

it.each([['  /AXE  Review  FULL  \nPlease look at the locks.', true]])(
  'a comment requests a review: %j',
  (body, isFull) => {
    expect(reviewCommand(comment({ on: 'pull_request', body }))).toEqual({ isFull });
  },
);

it.each(['/axe reviews', '/axe review fully', '> /axe review'])(
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
