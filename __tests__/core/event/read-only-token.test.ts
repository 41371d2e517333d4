import { describe, expect, it } from '@jest/globals';
import { readOnlyToken } from '../../../src/core/event/read-only-token.js';
import type { Trigger } from '../../../src/core/event/trigger.js';
import { comment, issue, pullRequest, SCHEDULE, workflowRun } from '../../helpers/triggers.js';

const DEPENDABOT = { login: 'dependabot[bot]', isBot: true };
const review = { event: 'pull_request_review', on: 'pull_request', isFork: true } as const;

const TRIGGERS: readonly (readonly [string, Trigger, ReturnType<typeof readOnlyToken>])[] = [
  ['a pull request from a fork', pullRequest({ isFork: true }), 'fork'],
  ['a review of a pull request from a fork', comment(review), 'fork'],
  ['Dependabot’s pull request', pullRequest({ actor: DEPENDABOT }), 'dependabot'],
  ['a pull request of the repository', pullRequest(), undefined],
  [
    'a fork’s pull request with the rights of the base',
    pullRequest({ event: 'pull_request_target', isFork: true }),
    undefined,
  ],
  ['a comment on a pull request from a fork', comment({ on: 'pull_request', isFork: true }), undefined],
  ['an issue that Dependabot opened', issue({ actor: DEPENDABOT }), undefined],
  ['a workflow after a fork’s', workflowRun({ isFork: true }), undefined],
  ['a schedule', SCHEDULE, undefined],
  ['a run on one’s own machine', { kind: 'local' }, undefined],
];

describe('a job token that can never have a write permission', () => {
  it.each(TRIGGERS)('is recognized for %s', (_, trigger, cause) => {
    expect(readOnlyToken(trigger)).toBe(cause);
  });
});
